import type { FastifyReply, FastifyRequest } from 'fastify';
import { ERROR_CODES, type ServiceError } from '../../src/core/errors.js';

/**
 * Whether the failure goes out as RFC 9457 (H1): named with a q above 0, and `application/json` not named with a higher one.
 * Wildcards never select it.
 */
function wantsProblem(accept: string | undefined): boolean {
  if (!accept) return false;
  const named = new Map<string, number>();
  for (const part of accept.split(',')) {
    const [type = '', ...params] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const q = params.find((param) => param.startsWith('q='));
    const quality = q === undefined ? 1 : Number(q.slice(2));
    named.set(type, Number.isNaN(quality) ? 0 : quality);
  }
  const problem = named.get('application/problem+json') ?? 0;
  return problem > 0 && problem >= (named.get('application/json') ?? 0);
}

/** A failure's one shape (section 7), with what is additive (S10). */
export function errorBody(failure: ServiceError, requestId: string) {
  const { reason, param } = failure.detail;
  const { retryAfter } = failure;
  return {
    error: {
      code: failure.code,
      message: failure.message,
      ...(reason !== undefined && { reason }),
      ...(param !== undefined && { param }),
      ...(retryAfter !== undefined && { retry_after: retryAfter }),
    },
    request_id: requestId,
    credits_charged: 0,
  };
}

/** The same as RFC 9457 (section 7, H2). `baseUrl` is where the problem pages are. */
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

/** Where a client that has no key can find out how to get one (RFC 9728); an error only for a key that is bad (A7). */
const challengeOf = ({ code }: ServiceError, baseUrl: string): string =>
  `Bearer resource_metadata="${baseUrl}/.well-known/oauth-protected-resource", scope="read"${code === 'invalid_key' ? ', error="invalid_token"' : ''}`;

/** The only place where a code becomes a status. */
export function sendFailure(request: FastifyRequest, reply: FastifyReply, failure: ServiceError): FastifyReply {
  if (failure.status >= 500) {
    const level = failure.status === 500 ? 'error' : 'warn';
    request.log[level]({ err: failure.detail.cause ?? failure, code: failure.code }, failure.message);
  }
  reply.code(failure.status).header('Vary', 'Accept').header('X-Credits-Charged', '0');
  if (failure.retryAfter !== undefined) reply.header('Retry-After', String(failure.retryAfter));
  if (failure.status === 401) reply.header('WWW-Authenticate', challengeOf(failure, request.server.baseUrl));
  if (wantsProblem(request.headers.accept)) {
    const { baseUrl } = request.server;
    return reply
      .type('application/problem+json; charset=utf-8')
      .send(JSON.stringify(problemBody(failure, request.id, baseUrl)));
  }
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(errorBody(failure, request.id)));
}
