import { createHmac } from 'node:crypto';
import { v7 } from 'uuid';
import type { Thousandths } from '../domain/credits.js';
import type { ErrorCode } from '../domain/errors.js';
import { familyOfList } from '../domain/lists.js';
import type { Family } from '../domain/model.js';
import type { LazySignal } from '../lib/abort.js';
import type { Soon } from '../lib/soon.js';
import type { Clock, Timers } from '../ports/clock.js';
import type { RateDecision } from '../ports/rate-limiter.js';
import type { Follow, Followed } from '../read/newer.js';
import type { Answer, Call, Outcome, Params } from '../serve/call.js';
import type { Serve } from '../serve/serve.js';
import { Feed, type FeedOptions, SHORTEST_MS, type Turn } from './feed.js';

/** What a stream's call is but for what changes from one call to the next. */
export type LiveCall = Omit<Call, 'requestId' | 'follow' | 'admitted' | 'signal'>;

/** What a stream may still spend, thousandths of credits; null: whatever its caller has. Shared by all it follows. */
export interface LiveBudget {
  left: Thousandths | null;
}

/** How far a stream has come: what its client gives back to resume it. */
export interface LivePosition {
  /** Tells this stream from others of the same caller. */
  readonly stream: string;
  /** When the cursor was given out, Unix milliseconds, later than the one before it. */
  readonly at: number;
  /** What the caller has; null: all there is now. */
  readonly since: string | null;
}

export interface LiveRequest {
  readonly call: LiveCall;
  readonly from: LivePosition;
  /** Whether an answer to `from` may have been paid for, and lost on its way. */
  readonly isResumed: boolean;
  readonly budget: LiveBudget;
  /** The decision on the stream as a whole; undefined: its first call asks. */
  readonly admitted?: RateDecision | undefined;
  readonly signal: AbortSignal;
}

/** What happens to a stream: it begins, something new came, the network was asked, or it ends. */
export type LiveEvent =
  | {
      readonly kind: 'begin' | 'items';
      readonly outcome: Outcome;
      readonly answer: Answer;
      readonly followed: Followed;
      readonly position: LivePosition;
    }
  | { readonly kind: 'checked'; readonly everyMs: number; readonly failed: ErrorCode | null }
  | { readonly kind: 'end'; readonly outcome: Outcome };

export interface LiveOptions {
  readonly serve: Serve;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Upstream calls per second of all sessions together; null: no pace. */
  readonly pace: Readonly<Record<Family, number | null>>;
  /** Names the charges of a stream, so that none is made twice. */
  readonly secret: Uint8Array;
}

/** Followers leave this part of the network's pace to others. */
const PART_OF_PACE = 3;
/** Reads for followers a second where the network has no pace. */
const UNPACED = 100;

/** Failures that pass: the stream goes on. Any other ends it. */
const PASSING: ReadonlySet<ErrorCode> = new Set([
  'rate_limited',
  'upstream_rate_limited',
  'no_account',
  'upstream_error',
  'request_rejected',
  'query_id_stale',
  'internal',
]);

/** A page is not read again for followers if it was read within this part of their interval: on another node, say. */
const NEW_ENOUGH = 0.9;

const SECOND_MS = 1000;
/** The longest wait after a failure. */
const LONGEST_PAUSE_MS = 60_000;

/** Follows lists: each batch is a call like any other, with a price, a charge and a receipt of its own. */
export class Live {
  readonly #options: LiveOptions;
  readonly #feeds = new Map<string, SharedFeed>();
  readonly #nextAt: Record<Family, number> = { fast: 0, slow: 0 };

  constructor(options: LiveOptions) {
    this.#options = options;
  }

  /** Ends with `end` if a call was refused for good, and without once the signal is aborted. */
  async *follow(request: LiveRequest): AsyncGenerator<LiveEvent, void> {
    const { clock } = this.#options;
    const { signal, budget } = request;
    let position = request.from;
    let { admitted, isResumed: mayBePaid } = request;
    let turn: Turn = 'take';
    let feed: SharedFeed | undefined;
    let pauseMs = SECOND_MS;
    let isFirst = true;
    try {
      while (!signal.aborted) {
        const outcome = await this.#ask(request, {
          position,
          turn,
          everyMs: feed?.intervalMs ?? SHORTEST_MS,
          mayBePaid,
          admitted,
        });
        const { result } = outcome;
        const wasRead = turn === 'read';
        turn = 'take';
        if (result.kind === 'refusal') {
          if (wasRead) feed?.wasRead(null);
          if (signal.aborted) return;
          const { code, detail } = result.failure;
          if (isFirst || !PASSING.has(code)) return yield { kind: 'end', outcome };
          pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(2 * pauseMs, (detail.retryAfter ?? 0) * SECOND_MS));
          yield { kind: 'checked', everyMs: pauseMs, failed: code };
          await this.#pause(pauseMs, signal);
          continue;
        }
        const followed = result.followed as Followed;
        feed ??= this.#join(outcome, followed);
        if (wasRead) feed.wasRead(followed);
        else feed.saw(followed.newestAt);
        [pauseMs, mayBePaid, admitted] = [SECOND_MS, false, outcome.rate ?? undefined];
        position = { stream: position.stream, at: Math.max(clock.now(), position.at + 1), since: followed.since };
        if (budget.left !== null) budget.left -= result.charge.amount;
        if (isFirst || followed.items > 0 || followed.gap) {
          yield { kind: isFirst ? 'begin' : 'items', outcome, answer: result, followed, position };
        }
        isFirst = false;
        if (followed.hasNewer) continue;
        yield { kind: 'checked', everyMs: feed.intervalMs, failed: null };
        const next = await feed.wait(signal);
        if (next === undefined) return;
        turn = next;
      }
    } finally {
      if (turn === 'read') feed?.wasRead(null);
      if (feed) this.#leave(feed);
    }
  }

  #ask(
    { call, budget, signal }: LiveRequest,
    at: {
      position: LivePosition;
      turn: Turn;
      everyMs: number;
      mayBePaid: boolean;
      admitted: RateDecision | undefined;
    },
  ): Soon<Outcome> {
    const { serve, clock } = this.#options;
    const { position, turn, everyMs, mayBePaid, admitted } = at;
    const { since } = position;
    const notBefore = turn === 'read' || since === null ? clock.now() - NEW_ENOUGH * everyMs : 0;
    const follow: Follow = { since, notBefore, mayBePaid, atMost: Number.POSITIVE_INFINITY, followed: null };
    const parse = (): Params => {
      const params = call.parse();
      const most = [params.budget, budget.left].filter((left) => left !== null);
      return { ...params, budget: most.length === 0 ? null : Math.min(...most) };
    };
    const requestId = this.#requestId(position);
    return serve({ ...call, parse, requestId, follow, admitted, signal: lazily(signal) });
  }

  /** The same for the same position of a stream: its charge is made once, however often its answer is sent. */
  #requestId({ stream, at, since }: LivePosition): string {
    const { clock, secret } = this.#options;
    if (since === null) return v7({ msecs: clock.now() });
    const random = createHmac('sha256', secret).update(`${stream} ${at}`).digest();
    return v7({ msecs: at, seq: random.readUInt32BE(16), random: random.subarray(0, 16) });
  }

  #join({ mode }: Outcome, { list }: Followed): SharedFeed {
    const key = JSON.stringify([mode, list]);
    let feed = this.#feeds.get(key);
    if (feed === undefined) {
      const { timers, clock } = this.#options;
      const slot = (wantedMs: number): number => this.#slot(familyOfList(list.kind), wantedMs);
      feed = new SharedFeed(key, { timers, now: () => clock.now(), slot });
      this.#feeds.set(key, feed);
    }
    feed.followers += 1;
    return feed;
  }

  #leave(feed: SharedFeed): void {
    feed.followers -= 1;
    if (feed.followers === 0) this.#feeds.delete(feed.key);
  }

  /** Reads of followers are spread, so that all together take a third of the network's pace at most. */
  #slot(family: Family, wantedMs: number): number {
    const { clock, pace } = this.#options;
    const now = clock.now();
    const perSecond = (pace[family] ?? UNPACED * PART_OF_PACE) / PART_OF_PACE;
    const at = Math.max(now + wantedMs, this.#nextAt[family]);
    this.#nextAt[family] = Math.max(now, this.#nextAt[family]) + SECOND_MS / perSecond;
    return at - now;
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const cancel = this.#options.timers.after(ms, end);
      signal.addEventListener('abort', end);
    });
  }
}

/** A feed, and how many follow it, waiting or not. */
class SharedFeed extends Feed {
  readonly key: string;
  followers = 0;

  constructor(key: string, options: FeedOptions) {
    super(options);
    this.key = key;
  }
}

const lazily = (signal: AbortSignal): LazySignal => ({
  get aborted() {
    return signal.aborted;
  },
  get reason(): unknown {
    return signal.reason;
  },
  signal,
});
