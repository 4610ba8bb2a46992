import { buildEnvelope, renderEnvelope } from '../../../../adapters/rest/envelope.js';
import { toThousandths } from '../../../../src/domain/credits.js';
import { asServiceError } from '../../../../src/domain/errors.js';
import type { LazySignal } from '../../../../src/lib/abort.js';
import type { Outcome } from '../../../../src/serve/call.js';
import type { SimulatedNode } from './node.js';
import type { CallLog, Result, World } from './world.js';

export interface Customer {
  readonly accountId: string;
  readonly walletId: string;
  readonly keyId: string;
  readonly key: string;
}

/** A client's request: a persisted operation, as REST runs it. */
export interface Request {
  readonly operation: 'followers' | 'following' | 'follower-ids' | 'user-tweets' | 'tweet' | 'tweets-batch';
  readonly variables: Readonly<Record<string, unknown>>;
  readonly budget: number | null;
}

/** Whether the client is still there. */
export class Presence implements LazySignal {
  readonly #controller = new AbortController();
  readonly signal = this.#controller.signal;

  get aborted(): boolean {
    return this.signal.aborted;
  }

  get reason(): unknown {
    return this.signal.reason;
  }

  leave(): void {
    this.#controller.abort(new DOMException('The caller has left.', 'AbortError'));
  }
}

/** Serves a request on a node as its REST interface would, and logs the outcome. */
export async function serveOn(
  world: World,
  node: SimulatedNode,
  customer: Customer,
  request: Request,
  signal: LazySignal,
): Promise<CallLog> {
  const { scheduler, trace, calls, nextId, database } = world;
  const requestId = nextId();
  const { operation, variables, budget } = request;
  const { accountId, walletId, keyId, key } = customer;
  const log: CallLog = {
    ...{ requestId, host: node.host, accountId, walletId, keyId, operation, variables, budget },
    beganAtMs: scheduler.now(),
  };
  calls.push(log);
  trace.add(`${node.host.name} begins ${requestId.slice(-4)} ${operation}`, JSON.stringify(variables));
  const outcome = await node.engine.serve({
    requestId,
    credential: { xApiKey: key, authorization: undefined, hasQueryKey: false },
    address: '192.0.2.1',
    interface: 'rest',
    allOrNothing: true,
    render: renderEnvelope,
    document: { name: operation },
    parse: () => ({ variables: { ...variables }, budget, estimate: false }),
    signal,
  });
  log.result = resultOf(outcome);
  log.endedAtMs = scheduler.now();
  log.paidAtEnd = database.row(requestId)?.amount;
  trace.add(`${node.host.name} ends ${requestId.slice(-4)}`, JSON.stringify(log.result));
  return log;
}

interface Envelope {
  readonly credits_charged: number;
  readonly balance_remaining: number;
  readonly items?: number;
  readonly cache_hits?: number;
  readonly cache: string;
  readonly next_cursor?: string;
  readonly data: { readonly id: string } | readonly ({ readonly id: string } | string)[];
}

/** What the client reads from the body. */
function resultOf({ result, requestId, warnings }: Outcome): Result {
  if (result.kind === 'refusal') return refusalOf(result.failure);
  let body: Envelope;
  try {
    const { shared, own } = buildEnvelope(result, requestId, warnings);
    body = JSON.parse(`${shared.bytes}${own}`);
  } catch (error) {
    return refusalOf(error);
  }
  const { items = 0, cache, cache_hits: hits, next_cursor: next = null } = body;
  const data = Array.isArray(body.data) ? body.data : [body.data];
  return {
    kind: 'answer',
    charged: toThousandths(body.credits_charged),
    balance: toThousandths(body.balance_remaining),
    items,
    cacheHits: hits ?? (cache === 'hit' ? items : 0),
    cache,
    ids: data.map((one) => (typeof one === 'string' ? one : one.id)),
    next,
  };
}

function refusalOf(error: unknown): Result {
  const failure = asServiceError(error);
  const { code, detail, retryAfter } = failure;
  return { kind: 'refusal', code, reason: detail.reason, retryAfter };
}
