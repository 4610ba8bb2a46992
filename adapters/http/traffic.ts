import type { ErrorCode } from '../../src/domain/errors.js';
import { LEFT, type TrafficInterface } from '../../src/domain/traffic.js';
import type { TrafficSample } from '../../src/figures/traffic-book.js';
import { type Answered, interfaceFromUrl } from './answered.js';

/** Refusals by these are a limit that somebody met. */
const LIMITS: ReadonlySet<ErrorCode> = new Set(['rate_limited', 'no_credits', 'upstream_rate_limited']);

const TOO_MANY = 429;

/** A request that is over, for the sums of the operator's page. */
export function toTrafficSample({ request, status, outcome, ms }: Answered): TrafficSample {
  const charge = outcome?.result.kind === 'answer' ? outcome.result.charge : null;
  const failure = outcome?.result.kind === 'refusal' ? outcome.result.failure : null;
  const met = failure === null ? status === TOO_MANY : LIMITS.has(failure.code);
  const name = failure?.detail.reason ?? failure?.code ?? 'rate_limited';
  return {
    interface: outcome?.mode === 'test' ? 'test' : (interfaceFromUrl(request) satisfies TrafficInterface),
    operation: outcome?.operation ?? null,
    status: status ?? LEFT,
    code: failure?.code ?? '',
    ms,
    items: charge?.items ?? 0,
    cacheHits: charge?.cacheHits ?? 0,
    limit: met ? { name, accountId: outcome?.policy === 'account' ? outcome.accountId : null } : null,
  };
}
