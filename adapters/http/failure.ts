import type { FastifyReply, FastifyRequest } from 'fastify';
import { ERROR_CODES, type ServiceError } from '../../src/domain/errors.js';
import { prefers } from './accept.js';
import { type Headers, setHeaders } from './headers.js';
import type { AnswerContext, HttpAnswer } from './plans.js';

/** The page that describes a failure's code. */
const pageOf = ({ code }: ServiceError, baseUrl: string): string => `${baseUrl}/problems/${code}`;

/** What every interface says about a failure besides its message. `baseUrl` is where the problem pages are. */
export function failureMembers(failure: ServiceError, baseUrl: string) {
  const { reason, param, place } = failure.detail;
  const { code, retryAfter } = failure;
  return {
    code,
    ...(reason !== undefined && { reason }),
    ...(param !== undefined && { param }),
    ...(place !== undefined && { place }),
    ...(retryAfter !== undefined && { retry_after: retryAfter }),
    doc_url: pageOf(failure, baseUrl),
  };
}

/** The shape of every failure (section 7), with the additional members. */
export function errorBody(failure: ServiceError, requestId: string, baseUrl: string) {
  const { code, ...members } = failureMembers(failure, baseUrl);
  return {
    error: { code, message: failure.message, ...members },
    request_id: requestId,
    ...(!failure.isChargeUnknown && { credits_charged: 0 }),
  };
}

/** Says why a call would be refused; sent together with its price. */
export const refusedBody = (refused: ServiceError | null): object =>
  refused === null ? {} : { refused: { code: refused.code, message: refused.message } };

/** The same as problem details (RFC 9457; section 7). */
export function problemBody(failure: ServiceError, requestId: string, baseUrl: string) {
  return {
    type: pageOf(failure, baseUrl),
    title: ERROR_CODES[failure.code].title,
    status: failure.status,
    detail: failure.message,
    code: failure.code,
    ...errorBody(failure, requestId, baseUrl),
  };
}

/**
 * Where a client without a key can find out how to get one for `resource`, a path (RFC 9728); names an error only for a
 * bad key (A7).
 */
export const bearerChallenge = ({ code }: ServiceError, baseUrl: string, resource = ''): string =>
  `Bearer resource_metadata="${baseUrl}/.well-known/oauth-protected-resource${resource}", scope="read"${code === 'invalid_key' ? ', error="invalid_token"' : ''}`;

/**
 * Logs a failure that the caller did not cause, for the operator; with a stack only where one helps to find the cause.
 */
export function logFailure({ id, log }: Pick<FastifyRequest, 'id' | 'log'>, failure: ServiceError): void {
  if (failure.status < 500) return;
  const isFault = failure.status === 500;
  const err = failure.detail.cause ?? (isFault ? failure : undefined);
  log[isFault ? 'error' : 'warn'](
    { request_id: id, code: failure.code, ...(err !== undefined && { err }) },
    failure.message,
  );
}

/** What a failed call was charged, and when to try again, as far as either is known. */
export const failureHeaders = ({ isChargeUnknown, retryAfter }: ServiceError): Headers => ({
  'X-Credits-Charged': isChargeUnknown ? undefined : '0',
  'Retry-After': retryAfter === undefined ? undefined : String(retryAfter),
});

/** A failure in the shape that REST uses, as do all paths that belong to no interface. */
export function failureAnswer(
  failure: ServiceError,
  requestId: string,
  { accept, baseUrl }: AnswerContext,
): HttpAnswer {
  // As RFC 9457 where the caller asks for it by name (H1).
  const isProblem = prefers(accept, 'application/problem+json');
  const body = isProblem ? problemBody(failure, requestId, baseUrl) : errorBody(failure, requestId, baseUrl);
  return {
    status: failure.status,
    headers: {
      Vary: 'Accept',
      'WWW-Authenticate': failure.status === 401 ? bearerChallenge(failure, baseUrl) : undefined,
      'Content-Type': `application/${isProblem ? 'problem+json' : 'json'}; charset=utf-8`,
    },
    body: JSON.stringify(body),
  };
}

declare module 'fastify' {
  interface FastifyInstance {
    failurePage: FailurePage;
  }
}

/** Sends a failure as a page if the request comes from a browser that displays one; otherwise returns null. */
export type FailurePage = (request: FastifyRequest, reply: FastifyReply, failure: ServiceError) => FastifyReply | null;

/** Refuses a request that made no call. */
export function sendFailure(request: FastifyRequest, reply: FastifyReply, failure: ServiceError): FastifyReply {
  logFailure(request, failure);
  setHeaders(reply, failureHeaders(failure));
  const page = request.server.failurePage(request, reply, failure);
  if (page) return page;
  const context = { accept: request.headers.accept, baseUrl: request.server.baseUrl };
  const { status, headers, body } = failureAnswer(failure, request.id, context);
  setHeaders(reply, headers);
  return reply.code(status).send(body);
}
