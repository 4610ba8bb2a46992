import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { toCredits } from '../../src/domain/credits.js';
import type { Outcome } from '../../src/serve/call.js';
import { loggedUrl, withoutKeys } from './request.js';

/** The message of a request's line. */
export const REQUEST = 'request';

/** Logs one line per request when it is over. Uses no child logger, which would cost more than the line itself. */
export function logRequests(app: FastifyInstance, log: FastifyBaseLogger): void {
  app.onAnswered(({ request, status, outcome, ms }) => {
    const line = {
      request_id: request.id,
      method: request.method,
      url: loggedUrl(request.url),
      ...(status === null ? { aborted: true } : { status }),
      ...(outcome && callFields(outcome)),
      ms: tenths(ms),
    };
    log.info(line, REQUEST);
  });
}

/** Members that are undefined are left out of the line. */
function callFields({ accountId, operation, result, upstream }: Outcome) {
  const answer = result.kind === 'answer' ? result : undefined;
  return {
    account: accountId ?? undefined,
    operation: operation === null ? undefined : withoutKeys(operation),
    code: result.kind === 'refusal' ? result.failure.code : undefined,
    cache: answer?.charge.cache,
    charge: answer && toCredits(answer.charge.amount),
    upstream_calls: upstream.calls,
    queue_ms: tenths(upstream.waitMs),
  };
}

const tenths = (ms: number): number => Math.round(ms * 10) / 10;
