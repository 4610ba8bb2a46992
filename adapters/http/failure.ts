import type { FastifyReply, FastifyRequest } from 'fastify';
import { ERROR_CODES, type ServiceError } from '../../src/domain/errors.js';
import { prefers } from './accept.js';

/** The shape of every failure (section 7), with the additional members. */
export function errorBody(failure: ServiceError, requestId: string) {
  const { reason, param, place } = failure.detail;
  const { retryAfter } = failure;
  return {
    error: {
      code: failure.code,
      message: failure.message,
      ...(reason !== undefined && { reason }),
      ...(param !== undefined && { param }),
      ...(place !== undefined && { place }),
      ...(retryAfter !== undefined && { retry_after: retryAfter }),
    },
    request_id: requestId,
    ...(!failure.isChargeUnknown && { credits_charged: 0 }),
  };
}

/** Why a call would be refused, beside its price. */
export const refusedBody = (refused: ServiceError | null): object =>
  refused === null ? {} : { refused: { code: refused.code, message: refused.message } };

/** The same as problem details (RFC 9457; section 7). `baseUrl` is where the problem pages are. */
export function problemBody(failure: ServiceError, requestId: string, baseUrl: string) {
  return {
    type: `${baseUrl}/problems/${failure.code}`,
    title: ERROR_CODES[failure.code].title,
    status: failure.status,
    detail: failure.message,
    code: failure.code,
    ...errorBody(failure, requestId),
  };
}

/**
 * Where a client without a key can find out how to get one for `resource`, a path (RFC 9728); names an error only for a
 * bad key (A7).
 */
export const bearerChallenge = ({ code }: ServiceError, baseUrl: string, resource = ''): string =>
  `Bearer resource_metadata="${baseUrl}/.well-known/oauth-protected-resource${resource}", scope="read"${code === 'invalid_key' ? ', error="invalid_token"' : ''}`;

/** Logs what the caller did not cause, for the operator; with a stack only where one helps to find the cause. */
export function logFailure(request: FastifyRequest, failure: ServiceError): void {
  if (failure.status < 500) return;
  const isFault = failure.status === 500;
  const err = failure.detail.cause ?? (isFault ? failure : undefined);
  const line = { request_id: request.id, code: failure.code, ...(err !== undefined && { err }) };
  request.log[isFault ? 'error' : 'warn'](line, failure.message);
}

/** What a failed call was charged, and when to try again, as far as either can be said. */
export function failureHeaders(reply: FastifyReply, failure: ServiceError): void {
  if (!failure.isChargeUnknown) reply.header('X-Credits-Charged', '0');
  if (failure.retryAfter !== undefined) reply.header('Retry-After', String(failure.retryAfter));
}

/** The only place where a code becomes a status. */
export function sendFailure(request: FastifyRequest, reply: FastifyReply, failure: ServiceError): FastifyReply {
  logFailure(request, failure);
  reply.code(failure.status).header('Vary', 'Accept');
  failureHeaders(reply, failure);
  if (failure.status === 401) reply.header('WWW-Authenticate', bearerChallenge(failure, request.server.baseUrl));
  // As RFC 9457 where the caller asks for it by name (H1).
  if (prefers(request.headers.accept, 'application/problem+json')) {
    const { baseUrl } = request.server;
    return reply
      .type('application/problem+json; charset=utf-8')
      .send(JSON.stringify(problemBody(failure, request.id, baseUrl)));
  }
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(errorBody(failure, request.id)));
}
