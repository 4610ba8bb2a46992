import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import { packable } from './packed.js';

/** A body that is the same for everyone: made once, compressed once for each coding, with a validator. */
export interface StaticBody {
  readonly type: string;
  readonly body: Buffer;
  /** Weak: all codings of the body have the same one (RFC 9110, 8.8.3). */
  readonly etag: string;
  readonly bytes: ReturnType<typeof packable>;
}

export function staticBody(type: string, content: string | Buffer): StaticBody {
  const body = Buffer.isBuffer(content) ? content : Buffer.from(content);
  const etag = `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  return { type, body, etag, bytes: packable({ type, body }) };
}

/** A browser may show its copy for five minutes, and then asks whether it is still valid. */
const FOR_MINUTES = 'public, max-age=300';

/** Sends the body, or 304 to a client that has it. Other headers, such as the policy of a page, are the caller's. */
export async function sendStatic(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, etag, bytes }: StaticBody,
  cacheControl = FOR_MINUTES,
): Promise<FastifyReply> {
  const vary = [reply.getHeader('Vary') ?? [], 'Accept-Encoding'].flat().join(', ');
  reply.headers({ ETag: etag, 'Cache-Control': cacheControl, Vary: vary });
  // Only this header: `fetch` sends no-cache with every validator, but that is meant for intermediate caches.
  if (fresh({ 'if-none-match': request.headers['if-none-match'] }, { etag })) return reply.code(304).send();
  const { body, encoding } = await bytes(request.headers['accept-encoding']);
  // No `identity`, which is for Accept-Encoding only (RFC 9110, 8.4.1).
  if (encoding !== 'identity') reply.header('Content-Encoding', encoding);
  return reply.type(type).send(body);
}
