import { fastifyCookie } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

/** A newly made key, or secret of a webhook, on its way to the page that shows it. */
export interface FreshKey {
  readonly key: string;
  /** When the key that it replaces ends (RFC 3339), or null if it has ended; undefined if it replaces none. */
  readonly oldEnds?: string | null | undefined;
}

const FRESH_KEY = z.object({ key: z.string().max(200), oldEnds: z.string().max(40).nullish() });

/** Seconds; long enough to request the page over a slow connection. */
const SHOWN_WITHIN_S = 60;

export const freshKeyPath = (keyId: string): string => `/dashboard/keys/${keyId}/new`;

const cookieName = ({ authUrl }: FastifyRequest['server']): string =>
  authUrl.startsWith('https:') ? '__Secure-perch-key' : 'perch-key';

/**
 * Has the browser carry the key from the form to the page after it, so that a reload does not send the form again, and
 * the service never stores a key that it could show again. The cookie is only for that page's path, lasts a minute, and
 * no script can read it.
 */
export function carry(reply: FastifyReply, path: string, fresh: FreshKey): void {
  write(reply, path, Buffer.from(JSON.stringify(fresh)).toString('base64url'), SHOWN_WITHIN_S);
}

/** Takes the key that the browser carries to this page, and clears the cookie; null if there is none. */
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
