import { fastifyCookie } from '@fastify/cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Sessions, Visitor } from '../../src/sign-in/sessions.js';

/**
 * Loads the cookie parser, which `parse` and `serialize` need, in a separate scope: otherwise its hooks would also run
 * for every request with a key.
 */
export function loadCookies(app: FastifyInstance): void {
  app.register(async (room) => void (await room.register(fastifyCookie, { hook: false })));
}

/** Who is signed in, according to the session's cookie. The only place that reads or sets it. */
export interface SessionCookies {
  /** Whose session the request belongs to; null when nobody is signed in. */
  visitorOf(request: FastifyRequest): Promise<Visitor | null>;
  /**
   * Signs the browser in: `token` is the session's secret, which the cookie carries until `expiresAt` (Unix
   * milliseconds).
   */
  set(reply: FastifyReply, session: { readonly token: string; readonly expiresAt: number }): void;
  /** Deletes the cookie. */
  clear(reply: FastifyReply): void;
}

/** base64url of 32 bytes: any other value needs no look-up in the store. */
const TOKEN = /^[\w-]{43}$/;

/**
 * The session's cookie. `__Host-` binds it to this host and to https: no other host, and no page without TLS, can set
 * it. Where the service itself has no TLS (a laptop), the cookie has a plain name.
 */
export function createSessionCookies(app: FastifyInstance, sessions: Pick<Sessions, 'find'>): SessionCookies {
  loadCookies(app);
  const visitors = new WeakMap<FastifyRequest, Promise<Visitor | null>>();
  const cookie = () =>
    app.authUrl.startsWith('https:') ? { name: '__Host-perch', secure: true } : { name: 'perch', secure: false };
  const set = (reply: FastifyReply, value: string, expires: Date): void => {
    const { name, secure } = cookie();
    const options = { path: '/', httpOnly: true, sameSite: 'lax', secure, expires } as const;
    reply.header('Set-Cookie', fastifyCookie.serialize(name, value, options)).header('Cache-Control', 'no-store');
  };
  const find = async ({ headers }: FastifyRequest): Promise<Visitor | null> => {
    const token = headers.cookie === undefined ? undefined : fastifyCookie.parse(headers.cookie)[cookie().name];
    return token !== undefined && TOKEN.test(token) ? sessions.find(token) : null;
  };

  return {
    visitorOf(request) {
      const known = visitors.get(request) ?? find(request);
      visitors.set(request, known);
      return known;
    },
    set: (reply, { token, expiresAt }) => set(reply, token, new Date(expiresAt)),
    clear: (reply) => set(reply, '', new Date(0)),
  };
}
