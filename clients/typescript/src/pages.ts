import { PerchError, unreadable } from './errors.js';
import { sleep } from './send.js';

/** The parts of a page that the iteration reads. */
interface AnyPage {
  readonly credits_charged: number;
  readonly next_cursor?: string;
  readonly truncated?: string;
}

/**
 * Why an iteration ended: `complete` (there is no more), `max_credits` (its own budget), `no_credits` (the wallet) or
 * `key_cap` (the key's cap).
 */
export type EndReason = 'complete' | 'max_credits' | 'no_credits' | 'key_cap';

const SHORT_OF_CREDITS: readonly string[] = ['max_credits', 'no_credits', 'key_cap'] satisfies EndReason[];

/** Whether an answer was cut because of credits. */
export const isShort = (reason: string | undefined): reason is Exclude<EndReason, 'complete'> =>
  reason !== undefined && SHORT_OF_CREDITS.includes(reason);

/** Credits have at most three decimals, so they are added as whole thousandths. */
export const thousandths = (credits: number): number => Math.round(credits * 1000);

/** Seconds that a page waits for the rate limit each time. */
const LONGEST_WAIT_S = 10;
/** How often a page is called for while the rate limit refuses it, because others use the key. */
const MOST_TRIES = 5;

/** The pages of a list, one call each, within one budget: an async iterable that can be iterated once. */
export class Pages<P extends AnyPage> implements AsyncIterable<P> {
  #spent = 0;
  readonly #budget: number;
  #cursor: string | undefined;
  #ended: EndReason | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #pages: AsyncGenerator<P, void, undefined>;

  /** `read` makes one call: it reads the page at a cursor for at most the given credits. */
  constructor(
    read: (cursor: string | undefined, maxCredits: number) => Promise<P>,
    options: {
      readonly maxCredits: number;
      readonly cursor?: string | undefined;
      readonly signal?: AbortSignal | undefined;
    },
  ) {
    const { maxCredits, cursor, signal } = options;
    if (!Number.isFinite(maxCredits) || thousandths(maxCredits) <= 0) {
      throw new RangeError('maxCredits must be a number of credits above 0.');
    }
    // Rounded down, so that the budget is never exceeded.
    this.#budget = Math.floor(maxCredits * 1000 + 1e-6);
    this.#cursor = cursor;
    this.#signal = signal;
    this.#pages = this.#walk(read);
  }

  /** Credits charged for the pages so far. */
  get spent(): number {
    return this.#spent / 1000;
  }

  /** Credits left in the budget. */
  get remaining(): number {
    return (this.#budget - this.#spent) / 1000;
  }

  /**
   * The cursor of the next page, from which another iteration can continue, even after a `break` or a failure. Before
   * the first page, it is the cursor that was passed to the iteration; after the last page, it is undefined.
   */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  /** Why it ended; undefined while it continues, after a `break`, and after a failure. */
  get ended(): EndReason | undefined {
    return this.#ended;
  }

  [Symbol.asyncIterator](): AsyncIterator<P, void, undefined> {
    return this.#pages;
  }

  async *#walk(
    read: (cursor: string | undefined, maxCredits: number) => Promise<P>,
  ): AsyncGenerator<P, void, undefined> {
    for (let first = true; ; first = false) {
      const page = await this.#next(read, first);
      if (page === null) return;
      yield page;
      if (this.#ended !== undefined) return;
    }
  }

  /** One call, repeated when the rate limit refused it and says so for a short time. Refused calls are free. */
  async #patiently(call: () => Promise<P>): Promise<P> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await call();
      } catch (error) {
        const waitS = error instanceof PerchError && error.status === 429 ? error.retryAfter : undefined;
        if (waitS === undefined || waitS > LONGEST_WAIT_S || tries === MOST_TRIES) throw error;
        await sleep(waitS * 1000, this.#signal);
      }
    }
  }

  /**
   * One call; null if the credits do not cover another item. Records the charge before the caller sees the page.
   */
  async #next(read: (cursor: string | undefined, maxCredits: number) => Promise<P>, first: boolean): Promise<P | null> {
    let page: P;
    try {
      page = await this.#patiently(() => read(this.#cursor, this.remaining));
    } catch (error) {
      // The first page fails like any other call, because nothing was delivered. On later pages the iteration ends.
      if (first || !(error instanceof PerchError) || error.code !== 'no_credits') throw error;
      this.#ended = isShort(error.reason) ? error.reason : 'no_credits';
      return null;
    }
    const { credits_charged: charged, next_cursor: next, truncated } = page;
    // Without the charge, the rest of the budget is unknown.
    if (!Number.isFinite(charged)) throw unreadable({ status: 200 });
    this.#spent += thousandths(charged);
    if (next !== undefined && next === this.#cursor) {
      throw new PerchError('unreadable', 'The server gave the same cursor again.', { status: 200 });
    }
    this.#cursor = next;
    if (isShort(truncated)) this.#ended = truncated;
    else if (next === undefined) this.#ended = 'complete';
    else if (this.#spent >= this.#budget) this.#ended = 'max_credits';
    return page;
  }
}
