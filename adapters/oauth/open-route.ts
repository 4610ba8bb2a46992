import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { asServiceError, ServiceError } from '../../src/domain/errors.js';
import type { Soon } from '../../src/lib/soon.js';
import { OAuthError } from '../../src/oauth/oauth-error.js';
import type { RateDecision } from '../../src/ports/rate-limiter.js';
import { logFailure } from '../http/failure.js';
import { limitHeaders, setHeaders } from '../http/headers.js';
import type { AdmitPublic, Handler } from '../http/keyless.js';
import { limitedAs } from '../http/origin.js';

/** How many requests one address (`limitAddress`) may make in how many seconds. */
export interface Allowance {
  readonly name: string;
  readonly limit: number;
  readonly windowSeconds: number;
}

export interface PublicLimits {
  readonly admitPublic: AdmitPublic;
  /** Counts requests that are never refused. */
  readonly admitStatic: AdmitPublic;
  /** `whom`: an address, a network, an account, or `all`. */
  readonly take: (allowance: Allowance, whom: string) => Soon<RateDecision>;
}

interface OpenRoute {
  readonly methods: readonly ('GET' | 'HEAD' | 'POST')[];
  readonly url: string;
  readonly allowance?: Allowance;
  /** Answered even when the address is over its limit, because an answer costs no more than a refusal (L10). */
  readonly isUnrefused?: boolean;
  readonly handler: Handler;
}

/** For browsers on any site (H5). `*` does not cover Authorization. */
const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id',
} as const;

/** Adds a route for programs: it needs no key, is open to every origin, and reports failures in the form of OAuth. */
export function openRoute(
  app: FastifyInstance,
  limits: PublicLimits,
  { methods, url, allowance, isUnrefused = false, handler }: OpenRoute,
): void {
  app.route({
    method: [...methods],
    url,
    errorHandler: (error, request, reply) => sendOAuthError(request, reply, error),
    handler: async (request, reply) => {
      setHeaders(reply, CORS);
      if (isUnrefused)
        setHeaders(reply, limitHeaders({ rate: await limits.admitStatic(request.ip), policy: 'public' }));
      else await admit(limits, request, reply, allowance);
      return handler(request, reply);
    },
  });
  app.options(url, (_request, reply) =>
    reply
      .headers({ ...CORS, 'Access-Control-Allow-Methods': methods.join(', ') })
      .headers({ 'Access-Control-Allow-Headers': '*, Authorization', 'Access-Control-Max-Age': '86400' })
      .code(204)
      .send(),
  );
}

/** Throws `rate_limited` past the public limit or the allowance. The headers describe the `public` policy (8.1.6). */
export async function admit(
  limits: PublicLimits,
  request: FastifyRequest,
  reply: FastifyReply,
  allowance?: Allowance,
): Promise<void> {
  const rate = await limits.admitPublic(request.ip);
  setHeaders(reply, limitHeaders({ rate, policy: 'public' }));
  if (!rate.allowed) throw tooMany('from this IP address', rate);
  if (allowance) await takeOne(limits, allowance, limitedAs(request), 'from this IP address');
}

/** Throws `rate_limited` past the limit. `which`: the words in the message that say which requests are too many. */
export async function takeOne(
  { take }: PublicLimits,
  allowance: Allowance,
  whom: string,
  which: string,
): Promise<void> {
  const own = await take(allowance, whom);
  if (!own.allowed) throw tooMany(which, own);
}

const tooMany = (which: string, { retryAfterSeconds: seconds }: RateDecision): ServiceError =>
  new ServiceError('rate_limited', `Too many requests ${which}. Try again in ${seconds} s.`, { retryAfter: seconds });

function sendOAuthError(request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply {
  setHeaders(reply, { ...CORS, 'Cache-Control': 'no-store' });
  const { code, message, status, retryAfter } = thrown instanceof OAuthError ? thrown : outsideOAuth(request, thrown);
  if (retryAfter !== undefined) reply.header('Retry-After', String(retryAfter));
  // RFC 6749 5.2: a client that tried to authenticate in this header is answered there.
  if (status === 401 && request.headers.authorization !== undefined) {
    reply.header('WWW-Authenticate', 'Basic realm="Clients have no secret here"');
  }
  return reply.code(status).send({ error: code, error_description: toAscii(message) });
}

/** Failures that OAuth does not define, in OAuth's form. */
function outsideOAuth(request: FastifyRequest, thrown: unknown): OAuthError {
  const failure = asServiceError(isOurs(thrown) ? thrown : fromFastify(thrown));
  logFailure(request, failure);
  const { message, status, retryAfter } = failure;
  if (failure.code === 'rate_limited') return new OAuthError('temporarily_unavailable', message, 429, retryAfter);
  return new OAuthError(status < 500 ? 'invalid_request' : 'server_error', message, status, retryAfter);
}

const isOurs = (thrown: unknown): boolean => thrown instanceof ServiceError;

/** Failures of the framework, such as a body that is too large. */
function fromFastify(thrown: unknown): unknown {
  const { statusCode: status } = thrown as { statusCode?: number };
  if (status === undefined || status < 400 || status > 499) return thrown;
  return new ServiceError('bad_request', 'The request cannot be read.', { status, cause: thrown });
}

/** The text, limited to the characters that an error_description may contain (RFC 6749 5.2). */
const toAscii = (text: string): string => text.replaceAll('"', "'").replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?');
