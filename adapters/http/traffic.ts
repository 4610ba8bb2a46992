import type { ErrorCode } from '../../src/domain/errors.js';
import { LEFT, type TrafficInterface } from '../../src/domain/traffic.js';
import type { RequestBook } from '../../src/figures/request-book.js';
import type { TrafficSample } from '../../src/figures/traffic-book.js';
import type { Clock } from '../../src/ports/clock.js';
import { fieldFailure } from '../../src/serve/execute.js';
import { type Answered, interfaceFromUrl } from './answered.js';
import { loggedUrl, withoutKeys } from './request.js';

/** A refusal with one of these codes means that the caller reached a limit. */
const LIMITS: ReadonlySet<ErrorCode> = new Set(['rate_limited', 'no_credits', 'upstream_rate_limited']);

const TOO_MANY = 429;

const interfaceOf = ({ request, outcome }: Answered): TrafficInterface =>
  outcome?.mode === 'test' ? 'test' : interfaceFromUrl(request);

/** A request that is over, for the sums of the operator's page. */
export function toTrafficSample(answered: Answered): TrafficSample {
  const { status, outcome, ms } = answered;
  const charge = outcome?.result.kind === 'answer' ? outcome.result.charge : null;
  const failure = outcome?.result.kind === 'refusal' ? outcome.result.failure : null;
  const met = failure === null ? status === TOO_MANY : LIMITS.has(failure.code);
  const name = failure?.detail.reason ?? failure?.code ?? 'rate_limited';
  return {
    interface: interfaceOf(answered),
    operation: outcome?.operation ?? null,
    status: status ?? LEFT,
    code: failure?.code ?? '',
    ms,
    items: charge?.items ?? 0,
    cacheHits: charge?.cacheHits ?? 0,
    limit: met ? { name, accountId: outcome?.policy === 'account' ? outcome.accountId : null } : null,
  };
}

/**
 * Notes a request for its account's log. Not logged are requests that were refused before their account was known, and
 * a protocol's own messages that succeeded.
 */
export function noteRequest(book: RequestBook, answered: Answered, clock: Clock): void {
  const { request, status, outcome, ms } = answered;
  if (outcome === null || outcome.accountId === null) return;
  const { accountId, keyId, operation, result, requestId } = outcome;
  const [partial] = result.kind === 'answer' ? result.errors : [];
  if (operation === null && result.kind === 'answer') return;
  const isFailure = result.kind === 'refusal' || partial !== undefined || status === null;
  book.note(accountId, isFailure, () => {
    const failure = result.kind === 'refusal' ? result.failure : partial && fieldFailure(partial);
    return {
      ...{ accountId, requestId, at: clock.now(), keyId, interface: interfaceFromUrl(request) },
      operation: operation === null ? null : withoutKeys(operation),
      status: status ?? LEFT,
      code: failure?.code ?? null,
      message: failure === undefined ? null : withoutKeys(failure.message),
      requestLine: `${request.method} ${loggedUrl(request.url)}`,
      ...{ ms, charged: result.kind === 'answer' ? result.charge.amount : 0 },
    };
  });
}
