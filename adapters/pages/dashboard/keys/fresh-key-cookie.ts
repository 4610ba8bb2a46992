import { fastifyCookie } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

/** A key, or the secret of a webhook, that was just made, on its way to the page that shows it. */
export interface FreshKey {
  readonly key: string;
  /** When the key that it replaces ends (RFC 3339), or null if it already has; undefined if it replaces none. */
  readonly oldEnds?: string | null | undefined;
}

const FRESH_KEY = z.object({ key: z.string().max(200), oldEnds: z.string().max(40).nullish() });

/** Long enough for a slow connection to ask for the page. Seconds. */
const SHOWN_WITHIN_S = 60;

export const freshKeyPath = (keyId: string): string => `/dashboard/keys/${keyId}/new`;

const cookieName = ({ authUrl }: FastifyRequest['server']): string =>
  authUrl.startsWith('https:') ? '__Secure-perch-key' : 'perch-key';

/**
 * The browser carries the key from the form to the page after it: a reload then repeats no form, and the service never
 * stores a key that it could show again. Only that page's path gets the cookie, for a minute, and no script reads it.
 */
export function carry(reply: FastifyReply, path: string, fresh: FreshKey): void {
  write(reply, path, Buffer.from(JSON.stringify(fresh)).toString('base64url'), SHOWN_WITHIN_S);
}

/** The key that the browser carries to this page, which it then forgets; null if it carries none. */
export function take(request: FastifyRequest, reply: FastifyReply, path: string): FreshKey | null {
  const text = fastifyCookie.parse(request.headers.cookie ?? '')[cookieName(request.server)];
  if (text === undefined) return null;
  write(reply, path, '', 0);
  try {
    return FRESH_KEY.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch {
    return null;
  }
}

function write(reply: FastifyReply, path: string, value: string, maxAge: number): void {
  const name = cookieName(reply.server);
  const secure = name.startsWith('__Secure-');
  const options = { path, httpOnly: true, sameSite: 'strict', secure, maxAge } as const;
  reply.header('Set-Cookie', fastifyCookie.serialize(name, value, options));
}
