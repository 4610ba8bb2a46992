import type { ServiceError } from '../domain/errors.js';
import { DAY_MS, MINUTE_MS, utcDay } from '../lib/durations.js';
import { pause } from '../lib/monotonic.js';
import { LiveBudget, NOTHING_SPENT } from '../live/budget.js';
import { type Checked, SHORTEST_MS } from '../live/feed.js';
import type { Live, LiveCall, LiveEvent, LiveRequest } from '../live/live.js';
import { isPassing } from '../live/refusals.js';
import type { Clock, Timers } from '../ports/clock.js';
import type { Backlog, HeldWatch, StepBody, WatchLeases, WatchReason, WatchSettings } from '../ports/watches.js';
import type { Outcome } from '../serve/call.js';
import type { Beginnings } from './beginnings.js';
import { type StopReason, stopNotices } from './notices.js';

export type ItemsEvent = Exclude<LiveEvent, { kind: 'end' }>;

/** How an interface asks for what a watch follows, and how it writes new items. */
export interface WatchForm {
  /** `{ user: 'harbor_obs' }`: what it follows, in the words of the interface. */
  follows(watch: WatchSettings): Readonly<Record<string, string>>;
  call(
    watch: Pick<WatchSettings, 'kind' | 'subject' | 'product' | 'count'>,
  ): Omit<LiveCall, 'credential' | 'address' | 'onAdmitted'>;
  /** `number`: that of the delivery. */
  body(watch: WatchSettings & { readonly watchId: string }, event: ItemsEvent, number: number, at: number): StepBody;
}

export interface FollowerOptions {
  readonly leases: Pick<WatchLeases, 'step' | 'stop' | 'wake' | 'backlog' | 'giveUp'>;
  readonly live: Pick<Live, 'follow' | 'positions'>;
  readonly form: WatchForm;
  readonly beginnings: Beginnings;
  readonly clock: Clock;
  readonly timers: Timers;
  /** The address of the dashboard, for mails; null: there is no mail server. */
  readonly dashboard: () => string | null;
  /** Called when something was stored that can be sent. */
  readonly onWritten: () => void;
}

/** The address of calls that the service itself makes. */
const OWN_ADDRESS = '::1';

type WatchQuery = Pick<HeldWatch, 'watchId' | 'kind' | 'subject' | 'product' | 'count' | 'keyHash'>;

/** The call that a watch makes with its key. `queryKey` and a position together name a charge. */
export const watchCall = (form: Pick<WatchForm, 'call'>, watch: WatchQuery): Pick<LiveRequest, 'call' | 'queryKey'> => {
  const { watchId, kind, subject, product, count, keyHash } = watch;
  return {
    queryKey: JSON.stringify([watchId, kind, subject, product, count]),
    call: { ...form.call(watch), credential: { keyHash }, address: OWN_ADDRESS },
  };
};

/** A watch waits while more than this is on its way to its address. */
const MOST_DELIVERIES = 1_000;
const MOST_BYTES = 8 * 2 ** 20;

const isTooMuch = ({ deliveries, bytes }: Backlog): boolean => deliveries > MOST_DELIVERIES || bytes > MOST_BYTES;

/** Not counted yet. */
const UNCOUNTED: Backlog = { deliveries: Number.POSITIVE_INFINITY, bytes: 0 };

/** How soon a waiting watch is tried again, milliseconds. */
const HASTENED_AGAIN_MS = 5 * MINUTE_MS;
/** For the first try: credits that are added while the watch stops do not wake it, because it is not waiting yet. */
const HASTENED_SOON_MS = 5_000;
/** What they wait for wakes them when it comes. */
const HASTENED: ReadonlySet<StopReason> = new Set(['credits', 'key_cap', 'frozen']);
const BACKLOG_AGAIN_MS = MINUTE_MS;
/** The longest time until a list that could not be read is tried again. */
const LONGEST_RETRY_MS = MINUTE_MS;

/**
 * How following ended. `over`: it was told to end, or is complete. `stopped`: the watch waits or is paused, and is given
 * up. `lost`: another process may hold the watch. A number: it is tried again after that many milliseconds.
 */
type Ending = 'over' | 'stopped' | 'lost' | number;

/** Follows one watch that this process holds: new items are charged, and stored with the position after them. */
export class WatchFollower {
  readonly watch: HeldWatch;
  readonly #options: FollowerOptions;
  readonly #holder: string;
  readonly #budget: LiveBudget;
  readonly #over = new AbortController();
  #position: string;
  #number: number;
  /** What the watch has been waiting for; null if it was not. */
  #waitedFor: WatchReason | null;
  /** What is on its way at most: the last count, plus what was stored since. */
  #backlog: Backlog = UNCOUNTED;
  #failures = 0;
  #checked: (() => Checked) | null = null;
  #isSettled = false;

  constructor(watch: HeldWatch, holder: string, options: FollowerOptions) {
    this.watch = watch;
    this.#holder = holder;
    this.#options = options;
    const { dailyLimit, spentOn, spentThatDay, position, number, state, reason } = watch;
    const spent = spentOn === null ? NOTHING_SPENT : { inAll: spentThatDay, day: spentOn, onDay: spentThatDay };
    // An ended watch gets what was already paid for, and no more.
    this.#budget = new LiveBudget({ perDay: this.#isOver ? 0 : dailyLimit, spent });
    this.#position = position;
    this.#number = number;
    this.#waitedFor = state === 'waiting' ? reason : null;
  }

  get #isOver(): boolean {
    return this.watch.state === 'ended';
  }

  /** How its list is read; null before the first read. */
  get checked(): Checked | null {
    return this.#checked?.() ?? null;
  }

  /** Whether it was told to end. */
  get isEnding(): boolean {
    return this.#over.signal.aborted;
  }

  /** Whether all that was charged for it is stored, as far as can be known. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Makes no new calls. A call in progress is completed, and what it was charged for is stored. */
  end(): void {
    this.#over.abort();
  }

  /** Follows the watch until that ends. Rejects if the outcome could not be stored. */
  async run(): Promise<Exclude<Ending, number>> {
    const { signal } = this.#over;
    let ending: Ending = 0;
    while (typeof ending === 'number') {
      if (ending > 0) await pause(ending, signal, this.#options.timers);
      if (signal.aborted) return 'over';
      ending = (await this.#isBehindStill()) ? await this.#stop('backlog') : await this.#follow();
    }
    return ending;
  }

  async #follow(): Promise<Ending> {
    const { live, form, beginnings, clock, leases } = this.#options;
    const { watch } = this;
    const { signal } = this.#over;
    const begun = await beginnings.enter(watch.accountId, signal);
    try {
      if (signal.aborted) return 'over';
      const [from] = live.positions.decode(this.#position, 1);
      if (from === undefined) throw new TypeError('A position is that of one list.');
      const events = live.follow({
        ...watchCall(form, watch),
        ...{ from, isResumed: true, isShort: false, mayWait: true, finishes: true, signal },
        budget: this.#budget,
      });
      for await (const event of events) {
        begun();
        if (event.kind === 'end') return this.#ended(event.outcome);
        this.#failures = 0;
        this.#checked = event.checked;
        if ((event.followed.items > 0 || event.followed.gap) && !(await this.#write(event))) return 'lost';
        this.#isSettled = true;
        if (this.#waitedFor !== null) await leases.wake(this.#holder, watch, clock.now());
        this.#waitedFor = null;
        if (this.#isOver && !event.followed.hasNewer) return 'over';
        if (!this.#isOver && event.followed.items > 0 && (await this.#isBehind())) return this.#stop('backlog');
      }
      // A call that failed last may have been charged.
      this.#isSettled &&= this.checked?.failed === null;
      return 'over';
    } finally {
      begun();
    }
  }

  async #write(event: ItemsEvent): Promise<boolean> {
    const { live, form, leases, clock, onWritten } = this.#options;
    const { followed, outcome, charged } = event;
    const at = clock.now();
    const position = live.positions.encodeOwn(event.position, followed.list);
    const body = form.body(this.watch, event, this.#number + 1, at);
    const isWritten = await leases.step(this.#holder, this.watch, {
      ...{ from: this.#position, position, requestId: outcome.requestId, items: followed.items, charged, at },
      ...{ day: utcDay(at), newestAt: followed.newestAt, body },
    });
    if (!isWritten) return false;
    this.#position = position;
    this.#number += 1;
    const { deliveries, bytes } = this.#backlog;
    this.#backlog = {
      deliveries: deliveries + 1,
      bytes: body.reduce((sum, part) => sum + Buffer.byteLength(part), bytes),
    };
    onWritten();
    return true;
  }

  async #ended({ result }: Outcome): Promise<Ending> {
    if (result.kind === 'answer') throw new TypeError('An answer ends nothing.');
    const { failure } = result;
    if (!isPassing(failure.code)) {
      const reason = reasonOf(failure);
      if (!this.#isOver) return this.#stop(reason);
      if (reason === 'frozen') return this.#postpone();
      this.#isSettled = true;
      return 'over';
    }
    this.#isSettled = false;
    const everyMs = Math.min(LONGEST_RETRY_MS, SHORTEST_MS * 2 ** this.#failures);
    const at = this.#options.clock.now();
    this.#failures += 1;
    this.#checked = () => ({ at, everyMs, failed: failure.code });
    return everyMs;
  }

  async #stop(reason: StopReason): Promise<Ending> {
    const { leases, clock, form, dashboard, onWritten } = this.#options;
    const { watch } = this;
    const at = clock.now();
    const dueAt = dueAfter(reason, at);
    const state = dueAt === null ? 'paused' : 'waiting';
    const of = { watchId: watch.watchId, follows: form.follows(watch), state, reason, dueAt, at } as const;
    const notices = this.#waitedFor === reason ? [] : stopNotices({ ...of, dashboard: dashboard() });
    const isSoon = this.#waitedFor !== reason && HASTENED.has(reason);
    const againAt = isSoon ? at + HASTENED_SOON_MS : dueAt;
    const isStopped = await leases.stop(this.#holder, watch, { state, reason, dueAt: againAt, at, notices });
    if (isStopped && notices.length > 0) onWritten();
    return isStopped ? 'stopped' : 'lost';
  }

  /** For an ended watch: what was already paid for comes once its account may read again. */
  async #postpone(): Promise<Ending> {
    const { leases, clock } = this.#options;
    await leases.giveUp(this.#holder, [this.watch], clock.now() + HASTENED_AGAIN_MS);
    return 'stopped';
  }

  async #isBehindStill(): Promise<boolean> {
    return this.#waitedFor === 'backlog' && (await this.#isBehind());
  }

  async #isBehind(): Promise<boolean> {
    if (isTooMuch(this.#backlog)) this.#backlog = await this.#options.leases.backlog(this.watch);
    return isTooMuch(this.#backlog);
  }
}

/** Why a watch stops whose call was refused. */
function reasonOf({ code, detail: { reason } }: ServiceError): StopReason {
  if (code === 'no_credits') {
    if (reason === 'key_cap') return 'key_cap';
    return reason === 'max_credits' ? 'daily_limit' : 'credits';
  }
  if (code === 'invalid_key' && reason === 'frozen') return 'frozen';
  return code === 'invalid_key' || reason === 'scope' ? 'key' : 'list';
}

/** When a watch that stops is tried again; null: not until its customer resumes it. */
function dueAfter(reason: StopReason, at: number): number | null {
  if (HASTENED.has(reason)) return at + HASTENED_AGAIN_MS;
  if (reason === 'backlog') return at + BACKLOG_AGAIN_MS;
  return reason === 'daily_limit' ? (Math.floor(at / DAY_MS) + 1) * DAY_MS : null;
}
