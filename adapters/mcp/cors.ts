import type { FastifyReply, FastifyRequest } from 'fastify';
import { setHeaders } from '../http/headers.js';

/** What a client in a browser may read of an answer, beside its body. */
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

/** On every answer: clients in browsers are let in, from any site that the origin check lets pass (H5). */
export function openToBrowsers(reply: FastifyReply): void {
  setHeaders(reply, {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': EXPOSED,
    'Cache-Control': 'private, no-store',
  });
}

/** What a browser asks first. */
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
