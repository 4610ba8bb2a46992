import type { FastifyReply, FastifyRequest } from 'fastify';
import { setHeaders } from '../http/headers.js';

/** What a client in a browser may read of an answer, besides its body. */
const EXPOSED = [
  'WWW-Authenticate',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'X-Request-Id',
  'X-Credits-Charged',
  'X-Credits-Remaining',
  'Server-Timing',
].join(', ');

/** Set on every answer: clients in browsers are admitted, from any site that passes the origin check. */
export function openToBrowsers(reply: FastifyReply): void {
  setHeaders(reply, {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': EXPOSED,
    'Cache-Control': 'private, no-store',
  });
}

/** Answers the preflight request of a browser. */
export function preflight(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  setHeaders(reply, {
    Allow: 'POST, OPTIONS',
    // GET and DELETE are answered, with 405: a client must be able to see that.
    'Access-Control-Allow-Methods': 'POST, GET, DELETE, OPTIONS',
    'Access-Control-Allow-Headers': '*, Authorization',
    'Access-Control-Max-Age': '86400',
  });
  return reply.code(204).send();
}
