import { PerchError, unreadable } from './errors.js';
import { type EndReason, isShort, thousandths } from './pages.js';

/** The parts of an answer to `since` that the iteration reads. */
interface AnyNewer<Item> {
  readonly data: readonly Item[];
  readonly credits_charged: number;
  readonly since_cursor?: string;
  readonly has_newer?: boolean;
  readonly gap?: boolean;
  readonly truncated?: string;
}

export interface FollowOptions {
  /** The most credits that all items together may cost; at most three decimals. `Infinity`: what the wallet holds. */
  readonly maxCredits: number;
  /** Milliseconds between two calls, unless more is there already. Default 30,000. */
  readonly intervalMs?: number;
  /** Ends the iteration, without an error. */
  readonly signal?: AbortSignal;
  /** Items before the next ones may be missing: more came than one call reads, or than the network goes back. */
  readonly onGap?: () => void;
  /** A call failed, and will be made again: the service is busy, or can't be reached. */
  readonly onRetry?: (error: PerchError) => void;
}

/** Why it ended: `aborted` by the signal, or as pages do for want of credits. */
export type FollowEnd = 'aborted' | Exclude<EndReason, 'complete'>;

/** The longest time between two tries of a call that failed. */
const LONGEST_DELAY_MS = 300_000;
const SHORTEST_DELAY_MS = 100;

/** New items of a list as they come, the oldest first: an async iterable that can be iterated once. */
export class Following<Item> implements AsyncIterable<Item> {
  #spent = 0;
  #since: string | undefined;
  #ended: FollowEnd | undefined;
  #hasAnswer = false;
  readonly #budget: number;
  readonly #intervalMs: number;
  readonly #options: FollowOptions;
  readonly #items: AsyncGenerator<Item, void, undefined>;

  /** `read` makes one call: what is newer than a cursor or, without one, a first page of one item. */
  constructor(
    read: (query: { since?: string; count?: 1; max_credits?: number }) => Promise<AnyNewer<Item>>,
    options: FollowOptions & { readonly since?: string | undefined },
  ) {
    const { maxCredits, intervalMs = 30_000, since } = options;
    if (!(maxCredits > 0) || thousandths(maxCredits) <= 0) {
      throw new RangeError('maxCredits must be a number of credits above 0.');
    }
    if (!(intervalMs >= 0 && intervalMs < 2 ** 31))
      throw new RangeError('intervalMs must be a number of milliseconds.');
    // Rounded down, so that the budget is never exceeded.
    this.#budget = Math.floor(maxCredits * 1000 + 1e-6);
    this.#intervalMs = intervalMs;
    this.#options = options;
    this.#since = since;
    this.#items = this.#walk(read);
  }

  /** Credits charged so far. */
  get spent(): number {
    return this.#spent / 1000;
  }

  /** Credits left in the budget. */
  get remaining(): number {
    return (this.#budget - this.#spent) / 1000;
  }

  /**
   * Where to continue later, as `query: { since }`, also after a `break` or a failure. It moves with the last item of
   * each answer: continued from here, no item comes twice, unless the caller stopped between items of one answer.
   */
  get since(): string | undefined {
    return this.#since;
  }

  /** Why it ended; undefined while it continues, after a `break`, and after a failure. */
  get ended(): FollowEnd | undefined {
    return this.#ended;
  }

  [Symbol.asyncIterator](): AsyncIterator<Item, void, undefined> {
    return this.#items;
  }

  async *#walk(
    read: (query: { since?: string; count?: 1; max_credits?: number }) => Promise<AnyNewer<Item>>,
  ): AsyncGenerator<Item, void, undefined> {
    while (this.#ended === undefined) {
      const since = this.#since;
      const answer = await this.#ask(() =>
        read({
          ...(since === undefined ? { count: 1 } : { since }),
          ...(this.#budget !== Number.POSITIVE_INFINITY && { max_credits: this.remaining }),
        }),
      );
      if (answer === null) return;
      const { data, since_cursor: next, has_newer: hasNewer = false, gap = false, truncated } = answer;
      if (gap) this.#options.onGap?.();
      // The first page is what was there before.
      for (const [index, item] of since === undefined ? [] : data.entries()) {
        if (index === data.length - 1) this.#since = next;
        yield item;
      }
      this.#since = next;
      if (isShort(truncated)) this.#ended = truncated;
      else if (this.#spent >= this.#budget) this.#ended = 'max_credits';
      else if (since !== undefined && !hasNewer) await this.#sleep(this.#intervalMs);
    }
  }

  /** One call, made again until it is answered; null where the iteration ends. */
  async #ask(call: () => Promise<AnyNewer<Item>>): Promise<AnyNewer<Item> | null> {
    for (let tries = 0; ; tries += 1) {
      try {
        const answer = await call();
        const { credits_charged: charged, since_cursor: next } = answer;
        if (!Number.isFinite(charged)) throw unreadable(200);
        this.#spent += thousandths(charged);
        if (next === undefined) {
          throw new PerchError('unreadable', 'The server gave no since_cursor: this list cannot be followed.', {
            status: 200,
          });
        }
        this.#hasAnswer = true;
        return answer;
      } catch (error) {
        if (this.#options.signal?.aborted) this.#ended = 'aborted';
        else if (this.#hasAnswer && error instanceof PerchError && error.code === 'no_credits')
          this.#ended = isShort(error.reason) ? error.reason : 'no_credits';
        else if (this.#mayRepeat(error)) {
          this.#options.onRetry?.(error);
          const delayMs = Math.max(SHORTEST_DELAY_MS, this.#intervalMs) * 2 ** tries;
          await this.#sleep(Math.max((error.retryAfter ?? 0) * 1000, Math.min(delayMs, LONGEST_DELAY_MS)));
        } else throw error;
        if (this.#ended !== undefined) return null;
      }
    }
  }

  /**
   * What the service puts off is free. A call without an answer may have been charged: it is made again once others
   * were answered, because the same cursor returns the same items, at half price by then.
   */
  #mayRepeat(error: unknown): error is PerchError {
    if (!(error instanceof PerchError)) return false;
    const { code, status, reason } = error;
    if (status === 429 || (status === 503 && reason !== 'charge_unknown')) return true;
    return this.#hasAnswer && (status >= 500 || code === 'unreachable' || code === 'timeout');
  }

  #sleep(ms: number): Promise<void> {
    const { signal } = this.#options;
    return new Promise((done) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        if (signal?.aborted) this.#ended = 'aborted';
        done();
      };
      const timer = setTimeout(end, Math.min(ms, 2 ** 31 - 1));
      signal?.addEventListener('abort', end);
      if (signal?.aborted) end();
    });
  }
}
