import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { packable } from '../site/packed.js';

/** A text as it is served: made once, compressed once, with a validator. */
export interface Kept {
  readonly type: string;
  readonly etag: string;
  readonly bytes: ReturnType<typeof packable>;
}

export function keep(type: string, text: string): Kept {
  const body = Buffer.from(text);
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  return { type, etag, bytes: packable({ type, body }) };
}

/**
 * A browser may show its copy for five minutes, and then asks whether it is still valid (H6). Other headers, such as
 * the policy of a page, are the caller's.
 */
export async function sendKept(
  request: FastifyRequest,
  reply: FastifyReply,
  kept: Kept,
  cacheControl = 'public, max-age=300',
): Promise<FastifyReply> {
  reply.header('ETag', kept.etag).header('Cache-Control', cacheControl);
  reply.header('Vary', 'Accept, Accept-Encoding');
  if (request.headers['if-none-match'] === kept.etag) return reply.code(304).send();
  const { body, encoding } = await kept.bytes(request.headers['accept-encoding']);
  return reply.type(kept.type).header('Content-Encoding', encoding).send(body);
}
