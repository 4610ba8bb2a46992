import { PerchError, unreadable } from './errors.js';
import { type EndReason, isShort, thousandths } from './pages.js';
import { sleep } from './send.js';

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
  /** Maximum credits for all items together, with at most three decimals. `Infinity`: whatever the wallet holds. */
  readonly maxCredits: number;
  /** Milliseconds between two calls, unless there are more new items already. Default 30,000. */
  readonly intervalMs?: number;
  /** Ends the iteration, without an error. */
  readonly signal?: AbortSignal;
  /** Called if items may be missing before the next ones: there were more than one call reads, or the network keeps. */
  readonly onGap?: () => void;
  /** Called if a call failed and will be repeated, because the service is busy or cannot be reached. */
  readonly onRetry?: (error: PerchError) => void;
}

/** Why it ended: `aborted` by the signal, or for lack of credits, as for pages. */
export type FollowEnd = 'aborted' | Exclude<EndReason, 'complete'>;

/** The longest time between two attempts at a call that failed. */
const LONGEST_DELAY_MS = 300_000;
const SHORTEST_DELAY_MS = 100;
/** Before the first look at the receipt of a call; each later delay is twice as long: a minute in all. */
const RECEIPT_DELAY_MS = 2_000;
const RECEIPT_TRIES = 4;
/** Calls at one cursor whose answers were lost: each may have been charged, outside the budget. */
const LOST_CALLS = 5;

/** New items of a list as they appear, oldest first: an async iterable that can be iterated once. */
export class Following<Item> implements AsyncIterable<Item> {
  #spent = 0;
  #since: string | undefined;
  #ended: FollowEnd | undefined;
  #hasAnswer = false;
  readonly #budget: number;
  readonly #intervalMs: number;
  readonly #options: FollowOptions;
  readonly #chargedFor: (requestId: string) => Promise<number | undefined>;
  readonly #items: AsyncGenerator<Item, void, undefined>;

  /**
   * `read` makes one call: it reads items newer than a cursor or, without a cursor, a first page of one item.
   * `chargedFor` looks up what the receipt of a call says.
   */
  constructor(
    read: (query: { since?: string; count?: 1; max_credits?: number }) => Promise<AnyNewer<Item>>,
    chargedFor: (requestId: string) => Promise<number | undefined>,
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
    this.#chargedFor = chargedFor;
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
   * Where to continue later: pass it as `query: { since }`, even after a `break` or a failure. It advances with the
   * last item of each answer, so no item comes twice unless the caller stopped between items of one answer.
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
      const answer = await this.#callWithRetry(() =>
        read({
          ...(since === undefined ? { count: 1 } : { since }),
          ...(this.#budget !== Number.POSITIVE_INFINITY && { max_credits: this.remaining }),
        }),
      );
      if (answer === null) return;
      const { data, since_cursor: next, has_newer: hasNewer = false, gap = false, truncated } = answer;
      if (gap) this.#options.onGap?.();
      // The item of the first page is not new: it was there before.
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

  /** One call, repeated until it is answered; null if the iteration ends. */
  async #callWithRetry(call: () => Promise<AnyNewer<Item>>): Promise<AnyNewer<Item> | null> {
    for (let tries = 0, lost = 0; ; tries += 1) {
      try {
        const answer = await call();
        const { credits_charged: charged, since_cursor: next } = answer;
        if (!Number.isFinite(charged)) throw unreadable({ status: 200 });
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
          const isLost = mayBeCharged(error);
          if (isLost) lost += 1;
          if (lost === LOST_CALLS) throw error;
          this.#options.onRetry?.(error);
          if (isLost && error.requestId !== undefined) await this.#lookUp(error.requestId);
          const delayMs = Math.max(SHORTEST_DELAY_MS, this.#intervalMs) * 2 ** tries;
          if (this.#ended === undefined)
            await this.#sleep(Math.max((error.retryAfter ?? 0) * 1000, Math.min(delayMs, LONGEST_DELAY_MS)));
        } else throw error;
        if (this.#ended !== undefined) return null;
      }
    }
  }

  /**
   * A call that the service postpones (429, or 503 with a time) is free. Others that fail may have been charged, or fail
   * again. They are repeated only if an earlier call was answered: the same cursor returns the same items, then cached
   * and at half price.
   */
  #mayRepeat(error: unknown): error is PerchError {
    if (!(error instanceof PerchError)) return false;
    const { code, status, retryAfter } = error;
    if (status === 429 || (status === 503 && retryAfter !== undefined)) return true;
    return this.#hasAnswer && (status >= 500 || code === 'unreachable' || code === 'timeout');
  }

  /**
   * Adds the charge of a call once it is known. A call without a receipt for a minute was not charged.
   */
  async #lookUp(requestId: string): Promise<void> {
    let retryAfter = 0;
    for (let tries = 0; this.#ended === undefined; tries += 1) {
      await this.#sleep(Math.max(retryAfter * 1000, Math.min(RECEIPT_DELAY_MS * 2 ** tries, LONGEST_DELAY_MS)));
      if (this.#ended !== undefined) return;
      try {
        const charged = await this.#chargedFor(requestId);
        if (charged === undefined || !Number.isFinite(charged)) throw unreadable({ status: 200 });
        this.#spent += thousandths(charged);
        if (this.#spent >= this.#budget) this.#ended = 'max_credits';
        return;
      } catch (error) {
        if (this.#options.signal?.aborted) this.#ended = 'aborted';
        else if (error instanceof PerchError && error.code === 'not_found') {
          if (tries >= RECEIPT_TRIES) return;
        } else if (this.#mayRepeat(error)) {
          this.#options.onRetry?.(error);
          ({ retryAfter = 0 } = error);
        } else throw error;
      }
    }
  }

  async #sleep(ms: number): Promise<void> {
    const { signal } = this.#options;
    await sleep(ms, signal);
    if (signal?.aborted) this.#ended = 'aborted';
  }
}

/** What Node and Bun call connections that were never made, so that nothing was sent. */
const NOT_SENT: readonly (string | undefined)[] = [
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT'],
  'ConnectionRefused',
];

/** Whether no answer of the service says what a call cost. */
const mayBeCharged = ({ code, status, reason }: PerchError): boolean =>
  reason === 'charge_unknown' ||
  (status !== 429 && ['timeout', 'unreachable', 'unreadable'].includes(code) && !NOT_SENT.includes(reason));
