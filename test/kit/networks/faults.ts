import { ServiceError } from '../../../src/domain/errors.js';
import type { Network } from '../../../src/ports/network.js';

/** One call as the network received it. */
export interface NetworkCall {
  readonly what: 'users' | 'tweets' | 'page';
  /** The kind of a list; null for single objects. */
  readonly kind: string | null;
  /** The inputs of a batch, or the subject of a list. */
  readonly of: readonly string[];
  readonly token: string | null;
}

export interface Faults {
  readonly network: Network;
  /** Every call so far, failed ones included. */
  readonly calls: NetworkCall[];
  /** Fails the next `times` calls with this error; without a number, all calls until `heal`. */
  fail(error: unknown, times?: number): void;
  /** Lets this many calls pass before the failures set with `fail` begin. */
  failAfter(calls: number, error: unknown): void;
  heal(): void;
  /** Makes calls wait until the returned function is called. */
  hold(): () => void;
  /** Resolves once the network has received this many calls in all. */
  called(count: number): Promise<void>;
}

/**
 * Wraps a network: counts its calls, and makes them fail or wait when a test says so, which test data cannot provoke.
 */
export function withFaults(inner: Network): Faults {
  const calls: NetworkCall[] = [];
  const watchers = new Set<() => void>();
  let failure: { error: unknown; times: number; after: number } | null = null;
  let gate: Promise<void> = Promise.resolve();

  async function through<T>(call: NetworkCall, answer: () => Promise<T>): Promise<T> {
    calls.push(call);
    for (const watch of watchers) watch();
    const mine = failure;
    await gate;
    if (mine && mine.after > 0) mine.after -= 1;
    else if (mine && mine.times > 0) {
      mine.times -= 1;
      throw mine.error;
    }
    return answer();
  }

  const network: Network = {
    ...inner,
    users: (refs, context) =>
      through(
        {
          what: 'users',
          kind: null,
          of: refs.map((ref) => ('id' in ref ? ref.id : `@${ref.handle}`)),
          token: null,
        },
        () => inner.users(refs, context),
      ),
    tweets: (ids, context) =>
      through({ what: 'tweets', kind: null, of: [...ids], token: null }, () => inner.tweets(ids, context)),
    page: (list, token, context, want) =>
      through({ what: 'page', kind: list.kind, of: [list.subject], token }, () =>
        inner.page(list, token, context, want),
      ),
  };

  return {
    network,
    calls,
    fail(error, times = Number.POSITIVE_INFINITY) {
      failure = { error, times, after: 0 };
    },
    failAfter(count, error) {
      failure = { error, times: Number.POSITIVE_INFINITY, after: count };
    },
    heal() {
      failure = null;
    },
    hold() {
      let open = (): void => {};
      gate = new Promise((resolve) => {
        open = resolve;
      });
      return open;
    },
    called: (count) =>
      new Promise((resolve) => {
        const watch = (): void => {
          if (calls.length < count) return;
          watchers.delete(watch);
          resolve();
        };
        watchers.add(watch);
        watch();
      }),
  };
}

/** The error that a network in trouble throws. */
export const upstreamFault = (
  code: 'upstream_error' | 'no_account' | 'upstream_rate_limited' | 'request_rejected' | 'query_id_stale',
  retryAfter?: number,
): ServiceError => new ServiceError(code, 'The network is not well.', retryAfter === undefined ? {} : { retryAfter });

export const denied = (): ServiceError => new ServiceError('access_denied', 'Error 37: not for this session.');
