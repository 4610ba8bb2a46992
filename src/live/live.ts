import { v7 } from 'uuid';
import type { Thousandths } from '../domain/credits.js';
import { CHARGE_UNKNOWN, type ErrorCode } from '../domain/errors.js';
import { familyOfList } from '../domain/lists.js';
import type { Family } from '../domain/model.js';
import { type LazySignal, lazySignal } from '../lib/abort.js';
import { pause } from '../lib/monotonic.js';
import type { Clock, Timers } from '../ports/clock.js';
import type { Push } from '../ports/network.js';
import type { Pace, RateDecision } from '../ports/rate-limiter.js';
import type { FollowCall, Followed } from '../read/newer.js';
import type { Answer, Call, Outcome, Params } from '../serve/call.js';
import type { Serve } from '../serve/serve.js';
import type { LiveBudget, Share } from './budget.js';
import { type Checked, Feed, SHORTEST_MS, type Turn } from './feed.js';
import { type LivePosition, Positions } from './positions.js';
import { isOwn, isPassing } from './refusals.js';
import { Turns } from './turns.js';

/** The parts of a stream's call that are the same for each of its calls. */
export type LiveCall = Omit<Call, 'requestId' | 'follow' | 'admitted' | 'signal'>;

export interface LiveRequest {
  readonly call: LiveCall;
  /** What is asked, apart from where it begins: a paid answer is given again only to the same question. */
  readonly queryKey: string;
  readonly from: LivePosition;
  /** Whether answers from `from` on may have been paid for and lost on their way. */
  readonly isResumed: boolean;
  /** Whether clients get short positions. */
  readonly isShort: boolean;
  /** Whether it may wait until its caller may make a request; if not, it is refused when that is not possible now. */
  readonly mayWait: boolean;
  /** Whether a call in progress is completed when the signal aborts, so that no charge goes unreported. */
  readonly finishes: boolean;
  readonly budget: LiveBudget;
  readonly signal: AbortSignal;
}

/** An event of a followed list: it begins, something new came, or it ends. */
export type LiveEvent =
  | {
      readonly kind: 'begin' | 'items';
      readonly outcome: Outcome;
      readonly answer: Answer;
      /** What was charged under the call's id: now, or earlier if the answer was lost then. */
      readonly charged: Thousandths;
      /** What its stream has spent since the event before. */
      readonly spent: Thousandths;
      readonly followed: Followed;
      readonly position: LivePosition;
      /** Says how the list is being read, at any time. */
      readonly checked: () => Checked;
    }
  | { readonly kind: 'end'; readonly outcome: Outcome };

export interface LiveOptions {
  readonly serve: Serve;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Shared by all processes. */
  readonly pace: Pace;
  /** Upstream calls per second of all sessions together; null: no pace. */
  readonly perSecond: Readonly<Record<Family, number | null>>;
  /** Announces new items; left out if no network does. */
  readonly push?: Pick<Push, 'follow'> | null;
  /** Requests that the process works on at a time. */
  readonly places: number;
  /** The ids of a stream's charges are derived from it, so that none is made twice. */
  readonly secret: Uint8Array;
}

/** Reads for followers use at most one in this many of the calls that the network's pace allows. */
const PART_OF_PACE = 3;
/** Reads for followers per second if the network has no pace. */
const UNPACED = 100;

/** How old a cached list may be when a caller begins to follow it, milliseconds. */
const BEGIN_MS = 4_500;

const SECOND_MS = 1000;

/** How far a followed list has come. */
interface Progress {
  readonly position: LivePosition;
  /** The cursor of the last read; later than that of the position if nothing new came since. */
  readonly since: string | null;
  readonly subject: string | null;
  /** Whether `since` is a cursor that the caller sent. */
  readonly expires: boolean;
  /** A page that was read before this time is too old, Unix milliseconds. */
  readonly notBefore: number;
  readonly mayBePaid: boolean;
  /** The oldest new item, if the position has its name. */
  readonly begins: string | null;
  readonly admitted: RateDecision | undefined;
}

/** The outcome of a call, or of the last one if several were needed. */
interface Called {
  readonly outcome: Outcome;
  /** What was charged for this answer before; null if nothing was. */
  readonly paid: Thousandths | null;
  /** These name it. */
  readonly position: LivePosition;
  readonly begins: string | null;
  /** Upstream calls. */
  readonly calls: number;
  /** What was charged for answers that cannot be sent again. */
  readonly lost: Thousandths;
}

/** A followed list, and the turns in which its network is asked. */
interface Joined {
  readonly feed: Feed;
  readonly turns: Turns;
}

/** Follows lists. Each batch of new items is a call like any other, with its own price, charge and receipt. */
export class Live {
  readonly positions: Positions;
  readonly #options: LiveOptions;
  readonly #feeds = new Map<string, Joined & { readonly unfollow: (() => void) | undefined }>();
  readonly #turns = new Map<string, Turns>();

  constructor(options: LiveOptions) {
    this.#options = options;
    this.positions = new Positions(options.secret);
  }

  /** How many lists are followed. */
  get size(): number {
    return this.#feeds.size;
  }

  /** Ends with an `end` event if a call was refused for good, and without one once the signal is aborted. */
  async *follow(request: LiveRequest): AsyncGenerator<LiveEvent, void> {
    const { clock } = this.#options;
    const { signal, budget, isShort, finishes } = request;
    let position = request.from;
    let { since, subject = null } = position;
    let mayBePaid = request.isResumed;
    let begins: string | null = null;
    let admitted: RateDecision | undefined;
    let turn: Turn | 'again' = 'again';
    let feed: Feed | undefined;
    let turns: Turns | undefined;
    let leave: (() => void) | undefined;
    let failed: ErrorCode | null = null;
    /** What was charged for items that will not come any more, since the last event. */
    let unsaid = 0;
    // A gap is reported once, even if every read ends before it reaches what is known.
    let hasGap = false;
    const checked = (): Checked => {
      const { at = clock.now(), everyMs = SHORTEST_MS, failed: ofAll = null } = feed?.checked ?? {};
      return { at, everyMs, failed: failed ?? ofAll };
    };
    try {
      while (!signal.aborted) {
        const beginsAt = since === null ? clock.now() - BEGIN_MS : 0;
        const notBefore = (turn === 'read' ? feed?.notBefore : undefined) ?? beginsAt;
        const expires = feed === undefined && !request.isResumed;
        const released = feed?.releases ?? 0;
        const progress = { position, since, subject, expires, notBefore, mayBePaid, begins, admitted };
        const { outcome, paid, calls, lost, ...called } = await this.#call(request, progress);
        const { result } = outcome;
        ({ position, begins } = called);
        unsaid += lost;
        const hasLeft = signal.aborted && !(finishes && result.kind === 'answer');
        const hasMissed = turn !== 'read';
        const givesUp = hasLeft || (result.kind === 'refusal' && isOwn(result.failure));
        if (turn === 'read' && givesUp) feed?.wasGivenUp();
        if (turn === 'take') feed?.took();
        if (turn === 'take' || givesUp) turn = 'again';
        void turns?.charge(calls - (turn === 'read' ? 1 : 0));
        if (hasLeft) return;
        if (result.kind === 'refusal') {
          const { code, detail } = result.failure;
          const retryAfterMs = (detail.retryAfter ?? 1) * SECOND_MS;
          const mayBegin = request.mayWait && code === 'rate_limited' && detail.reason === undefined;
          if (feed === undefined && mayBegin) {
            await pause(retryAfterMs, signal, this.#options.timers);
            continue;
          }
          // Before the consumer gets the end: it may take its time, and the others must not wait for that.
          if (turn === 'read') feed?.wasNotRead(isPassing(code) ? code : null, retryAfterMs);
          turn = 'again';
          if (feed === undefined || !isPassing(code)) return yield { kind: 'end', outcome };
          failed = code;
          mayBePaid ||= detail.reason === CHARGE_UNKNOWN;
          if (givesUp) await pause(retryAfterMs, signal, this.#options.timers);
          if (givesUp && hasMissed) continue;
          const next = await feed.wait(signal, hasMissed, givesUp ? released : feed.releases);
          if (next === undefined) return;
          turn = next;
          continue;
        }
        const followed = result.followed as Followed;
        const isFirst = feed === undefined;
        if (feed === undefined) {
          ({ feed, turns, leave } = this.#join(outcome, followed));
          void turns.charge(calls);
        }
        // This call may have missed what others found meanwhile, and what they find until its consumer asks for more.
        const isBehind = isFirst ? feed.isAheadOf(followed) : released < feed.releases;
        if (turn === 'read') feed.wasRead(followed);
        else feed.saw(followed);
        const has = feed.releases - (isBehind ? 1 : 0);
        turn = 'again';
        failed = null;
        admitted = outcome.rate ?? undefined;
        since = followed.since;
        ({ subject } = followed.list);
        mayBePaid &&= paid !== null;
        const isMoved = followed.items > 0 || (followed.gap && !hasGap);
        hasGap = followed.gap;
        if (isMoved) begins = null;
        if (isFirst || isMoved) {
          const given = isShort ? followed.short : since;
          position = isMoved
            ? this.positions.after(position, { since: given, newest: followed.top, now: clock.now() })
            : { ...position, since: given };
          const charged = paid ?? result.charge.amount;
          // What was charged earlier and is delivered only now was not counted then.
          if (isMoved) budget.spend(charged - result.charge.amount, clock.now());
          const spent = unsaid + (isMoved ? charged : 0);
          unsaid = 0;
          const what = { outcome, answer: result, charged, spent, followed, position, checked };
          yield { kind: isFirst ? 'begin' : 'items', ...what };
        }
        if (followed.hasNewer) continue;
        const next = await feed.wait(signal, false, has);
        if (next === undefined) return;
        turn = next;
      }
    } finally {
      if (turn === 'read') feed?.wasGivenUp();
      if (turn === 'take') feed?.took();
      leave?.();
    }
  }

  /** Calls until that delivers something, finds nothing or fails. */
  async #call({ budget, ...request }: LiveRequest, at: Progress): Promise<Called> {
    const { clock } = this.#options;
    let { position, begins } = at;
    let [calls, lost] = [0, 0];
    for (;;) {
      const { freed } = budget;
      const share = budget.open(() => clock.now());
      const { outcome, paid } = await this.#serve(request, { ...at, position, begins }, share);
      const { result, upstream } = outcome;
      const hasMore = budget.freed > freed;
      share.close(result.kind === 'answer' ? result.charge.amount : 0);
      calls += upstream.calls;
      const called = { outcome, paid: paid?.amount ?? null, position, begins, calls, lost };
      if (result.kind === 'refusal') {
        if (result.failure.detail.reason !== 'max_credits') return called;
        // What calls of other lists have planned may become free again, or did during this call.
        const more = hasMore ? Promise.resolve() : budget.untilFreed();
        if (more === null) return called;
        await more;
        continue;
      }
      const { items, oldest } = result.followed as Followed;
      if (paid === null || items > 0 || oldest === null) return called;
      // The list no longer shows what was paid for. What it shows has a price and a charge of its own.
      budget.spend(paid.amount, clock.now());
      lost += paid.amount;
      begins = oldest;
      position = this.positions.past(position, oldest);
    }
  }

  async #serve(
    { call, queryKey, signal, finishes }: Omit<LiveRequest, 'budget'>,
    at: Progress,
    share: Share,
  ): Promise<{ outcome: Outcome; paid: FollowCall['paid'] }> {
    const { serve, clock } = this.#options;
    const { position, since, subject, expires, notBefore, admitted, begins } = at;
    const mayBePaid = at.mayBePaid && since !== null;
    const own = { begins, isKept: finishes, paid: null, followed: null };
    const follow: FollowCall = { since, subject, expires, notBefore, mayBePaid, ...own };
    const parse = (): Params => {
      const params = call.parse();
      const most = Math.min(params.budget ?? Number.POSITIVE_INFINITY, share.left);
      return { ...params, budget: Number.isFinite(most) ? most : null, sharedBudget: share };
    };
    const requestId = since === null ? v7({ msecs: clock.now() }) : this.positions.requestId(position, queryKey);
    const ending = finishes ? untilDone() : lazySignal(signal);
    const outcome = await serve({ ...call, parse, requestId, follow, admitted, signal: ending });
    return { outcome, paid: follow.paid };
  }

  #join({ mode }: Outcome, { list }: Followed): Joined & { leave: () => void } {
    const key = JSON.stringify([mode, list]);
    const { timers, clock, places } = this.#options;
    let followed = this.#feeds.get(key);
    if (followed === undefined) {
      const turns = this.#turnsOf(mode, familyOfList(list.kind));
      const feed = new Feed({ timers, now: () => clock.now(), turns, places });
      // Test keys read an invented network, which announces nothing.
      const push = mode === 'test' ? null : this.#options.push;
      const unfollow = push?.follow(list, {
        onNew: (madeAt) => feed.nudge(madeAt),
        onComplete: (isComplete) => feed.setPushed(isComplete),
      });
      followed = { feed, turns, unfollow };
      this.#feeds.set(key, followed);
    }
    const { feed, turns, unfollow } = followed;
    feed.followers += 1;
    const leave = (): void => {
      feed.followers -= 1;
      if (feed.followers > 0) return;
      this.#feeds.delete(key);
      unfollow?.();
    };
    return { feed, turns, leave };
  }

  /** Spreads the reads for followers, so that together they take at most a third of the network's pace. */
  #turnsOf(mode: Outcome['mode'], family: Family): Turns {
    const { pace, perSecond, timers, clock } = this.#options;
    const key = `live ${mode} ${family}`;
    let turns = this.#turns.get(key);
    if (turns === undefined) {
      const all = mode === 'test' ? null : perSecond[family];
      const own = all === null ? UNPACED : all / PART_OF_PACE;
      turns = new Turns({ pace, key, timers, perSecond: own, now: () => clock.now() });
      this.#turns.set(key, turns);
    }
    return turns;
  }
}

/** The signal of a call that is completed whatever happens. */
const untilDone = (): LazySignal => {
  let own: AbortSignal | undefined;
  return {
    aborted: false,
    reason: undefined,
    get signal() {
      own ??= new AbortController().signal;
      return own;
    },
  };
};
