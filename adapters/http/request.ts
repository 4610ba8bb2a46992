import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Call } from '../../src/serve/call.js';

const one = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

/** Query parameters under which people try to send a key; refused, and never logged (A3). */
const QUERY_KEYS = /[?&](api_?key|key|x-api-key|access_token|token)=/i;

/** What every interface's call has in common: who sent it, from where, under which id, and whether they are still there. */
export function callerOf(
  request: FastifyRequest,
  reply: FastifyReply,
): Pick<Call, 'requestId' | 'credential' | 'address' | 'signal'> {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return {
    requestId: request.id,
    credential: {
      xApiKey: one(request.headers['x-api-key']),
      authorization: request.headers.authorization,
      hasQueryKey: QUERY_KEYS.test(request.url) || /[?&][^=]+=perch_live_/.test(request.url),
    },
    address: request.ip,
    signal: gone.signal,
  };
}

/** A URL as it may stand in a log: without anything that could be a key. */
export const loggedUrl = (url: string): string =>
  url
    .replaceAll(/perch_live_[0-9A-Za-z]+/g, 'perch_live_…')
    .replaceAll(/([?&](?:api_?key|key|x-api-key|access_token|token)=)[^&]*/gi, '$1…');
