import type { Clock } from '../../ports/clock.js';

/** Latency of the answers in one window, milliseconds. */
export interface Latency {
  /** The 10th percentile: leaves out answers that were fast by accident. */
  readonly lowMs: number;
  /** The same for the later half of the window, where queueing at the network shows first. */
  readonly lateLowMs: number;
  readonly medianMs: number;
}

/** `samples`: in order of arrival; at least one. */
function measureLatency(samples: readonly number[]): Latency {
  const all = sorted(samples);
  const late = sorted(samples.slice(Math.floor(samples.length / 2)));
  return { lowMs: quantile(all, 0.1), lateLowMs: quantile(late, 0.1), medianMs: quantile(all, 0.5) };
}

const sorted = (samples: readonly number[]): number[] => [...samples].sort((one, other) => one - other);

const quantile = (ascending: readonly number[], share: number): number =>
  ascending[Math.floor(ascending.length * share)] ?? 0;

/**
 * How many calls of one kind a session has in flight if there is no pace, as for a local database. Fixed, because
 * nothing says how fast it should be. Twice the connections with which the corpus is read, so that none of them idles.
 */
export const UNPACED = 16;

/** With a pace, the limit starts at a quarter of a second's calls, at least `least`: a cold burst runs at the pace. */
const START = { seconds: 0.25, least: 4 } as const;

/** The highest limit: four seconds' calls, within these bounds. With slower answers, reads are slower than the pace. */
const RANGE = { seconds: 4, least: 8, most: 256 } as const;

/**
 * A window ends with enough answers (twice the limit, within these bounds), or after `ms` with at least `few`, because
 * one slow call does not make a slow network.
 */
const WINDOW = { least: 10, most: 24, few: 5, ms: 1000 } as const;

/** Latency up to this many times the network's own is tolerated. By then, as many calls wait there as are served. */
const TOLERANCE = 2;

/**
 * A network that slows down every call under load shows that in its fastest answers: if they are this many times
 * slower, it is crowded as well.
 */
const SLOWER = 3;

/** A network that serves this share of the pace is not crowded, however long its answers take. */
const MANAGES = 0.9;

/** The most by which the limit changes per window. `first` replaces `up` until it has been cut for the first time. */
const STEP = { down: 0.5, up: 1.5, first: 2 } as const;

/** After this many useless cuts in a row, or this long under pressure, the network's own latency is measured again. */
const MEASURE = { afterCuts: 3, everyMs: 30_000 } as const;

/** Weight of the newest window in the network's own latency. */
const WEIGHT = 0.3;

/**
 * If no call was sent or answered for this many times the usual latency, within these bounds, one call finds out
 * whether the network is back.
 */
const SILENCE = { times: 8, leastMs: 2000, mostMs: 5000 } as const;

/** State shared by the limits of one kind, which measure at the same time because they read the same network. */
export interface SharedMeasurement {
  /** Incremented whenever one of them requests a measurement. */
  round: number;
}

/** One call, from `enter` to `leave`. */
export interface InFlightCall {
  readonly startedAt: number;
  /** The limit under which it was sent: answers to calls sent under an older one say nothing about the newest. */
  readonly epoch: number;
}

export interface InFlightLimitOptions {
  /** Calls per second of the session; null: no pace, and a fixed limit. */
  readonly perSecond: number | null;
  /** The fixed limit. */
  readonly unpaced: number;
  /** Milliseconds from any start, never set back. */
  readonly monotonic: Clock;
  readonly measurement: SharedMeasurement;
}

const clamp = (least: number, value: number, most: number): number => Math.min(most, Math.max(least, value));

/**
 * Limits how many calls of one kind a session has in flight to what the network can serve. It follows the gradient of
 * the network's latency, as Netflix's concurrency-limits and Envoy's adaptive concurrency do. Limits are per session,
 * because one session's credentials may be served more slowly than another's, and per kind, because a thread always
 * takes longer than a profile. A network is crowded when three things coincide: a call waits here for room, fewer calls
 * are served than the pace allows, and even the fastest answers have waited there for longer than answers take (CoDel's
 * standing queue), which natural variation in latency does not cause. The limit then falls until as many calls wait at
 * the network as are served there, but never below 1; the rest wait here.
 */
export class InFlightLimit {
  readonly #options: InFlightLimitOptions;
  readonly #most: number;
  readonly #inFlight = new Set<InFlightCall>();
  #limit: number;
  #epoch = 0;
  #wasCut = false;
  #cuts = 0;
  /** Latency of the network's fastest answers when no call waits there. */
  #ownMs: number | undefined;
  /**
   * The window: when it began, the latencies of its answers, whether a call waited here for room, and the most calls in
   * flight.
   */
  #sinceMs: number;
  #samples: number[] = [];
  #pressed = false;
  #peak = 0;
  /** The median of the last window, and when a call was last sent or answered. */
  #medianMs = 0;
  #movedAtMs: number;
  #measured: { readonly round: number; readonly atMs: number };
  /** During a measurement: the limit before it, and the median latency under that limit. */
  #before: { readonly limit: number; readonly medianMs: number } | undefined;

  constructor(options: InFlightLimitOptions) {
    this.#options = options;
    const { perSecond, unpaced, monotonic, measurement } = options;
    const callsIn = (seconds: number): number => Math.ceil((perSecond ?? 0) * seconds);
    this.#most = perSecond === null ? unpaced : clamp(RANGE.least, callsIn(RANGE.seconds), RANGE.most);
    this.#limit = perSecond === null ? unpaced : clamp(START.least, callsIn(START.seconds), this.#most);
    this.#sinceMs = monotonic.now();
    this.#movedAtMs = this.#sinceMs;
    this.#measured = { round: measurement.round, atMs: this.#sinceMs };
  }

  /** Most calls at once, at least 1. */
  get limit(): number {
    return Math.floor(this.#limit);
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Whether one more call may be sent; asked only when one is waiting. */
  hasRoom(): boolean {
    this.#joinMeasurement();
    if (this.#inFlight.size < this.limit) return true;
    this.#pressed = true;
    return this.#inFlight.size < this.#most && this.#options.monotonic.now() >= this.silentAtMs;
  }

  /** When a call may be sent without room, to find out whether the network is back. Monotonic milliseconds. */
  get silentAtMs(): number {
    return this.#movedAtMs + clamp(SILENCE.leastMs, SILENCE.times * this.#medianMs, SILENCE.mostMs);
  }

  /** Estimated milliseconds between the moments at which room for one more call becomes free; 0 while there is room. */
  get waitMs(): number {
    const [oldest] = this.#inFlight;
    if (oldest === undefined || this.#inFlight.size < this.limit) return 0;
    return Math.max(this.#medianMs, this.#options.monotonic.now() - oldest.startedAt) / this.limit;
  }

  enter(): InFlightCall {
    const call = { startedAt: this.#options.monotonic.now(), epoch: this.#epoch };
    this.#movedAtMs = call.startedAt;
    this.#inFlight.add(call);
    this.#peak = Math.max(this.#peak, this.#inFlight.size);
    return call;
  }

  /** `isSample`: whether the call's duration shows the network's latency; that of an immediate refusal does not. */
  leave(call: InFlightCall, isSample: boolean): void {
    this.#inFlight.delete(call);
    const now = this.#options.monotonic.now();
    this.#movedAtMs = now;
    if (!isSample || this.#options.perSecond === null) return;
    this.#joinMeasurement();
    if (call.epoch !== this.#epoch) return;
    this.#samples.push(now - call.startedAt);
    const count = this.#samples.length;
    const enough = count >= clamp(WINDOW.least, 2 * this.limit, WINDOW.most);
    if (this.#before !== undefined && count >= WINDOW.few) this.#take(this.#before, now);
    else if (enough || (count >= WINDOW.few && now - this.#sinceMs >= WINDOW.ms)) this.#close(now);
  }

  /** Joins a measurement of its kind: with one call at a time per session, hardly any call waits at the network. */
  #joinMeasurement(): void {
    const { measurement, monotonic } = this.#options;
    if (measurement.round === this.#measured.round) return;
    this.#measured = { round: measurement.round, atMs: monotonic.now() };
    this.#before ??= { limit: this.#limit, medianMs: this.#medianMs };
    this.#set(1);
  }

  /** Ends the measurement: returns to the previous limit, reduced in proportion if answers were too slow under it. */
  #take(before: { readonly limit: number; readonly medianMs: number }, now: number): void {
    const { lowMs, medianMs } = measureLatency(this.#samples);
    this.#before = undefined;
    this.#ownMs = lowMs;
    this.#cuts = 0;
    this.#measured = { round: this.#measured.round, atMs: now };
    const share = before.medianMs > 0 ? Math.min(1, (TOLERANCE * medianMs) / before.medianMs) : 1;
    this.#set(before.limit * share);
    this.#begin(now);
  }

  #close(now: number): void {
    const latency = measureLatency(this.#samples);
    const perSecond = (1000 * this.#samples.length) / Math.max(1, now - this.#sinceMs);
    const pressed = this.#pressed;
    const crowded = pressed && perSecond < MANAGES * (this.#options.perSecond ?? 0);
    this.#learn(latency);
    this.#begin(now);
    if (pressed) this.#adapt(this.#gradientOf(latency), crowded, now);
  }

  /** The network's own latency may fall at any time, but rises only while the load is far below the limit. */
  #learn({ lowMs, medianMs }: Latency): void {
    const own = this.#ownMs ?? lowMs;
    const isIdle = !this.#pressed && this.#peak <= this.limit / 2;
    this.#ownMs = isIdle || lowMs < own ? own + WEIGHT * (lowMs - own) : own;
    this.#medianMs = medianMs;
  }

  /** How many times longer an answer takes than without a queue at the network. */
  #gradientOf({ lateLowMs, lowMs, medianMs }: Latency): number {
    const own = Math.max(1, this.#ownMs ?? lowMs);
    const queuedMs = Math.max(0, lateLowMs - own);
    return Math.max(medianMs / Math.max(1, medianMs - queuedMs), lowMs / own / SLOWER);
  }

  #adapt(gradient: number, crowded: boolean, now: number): void {
    const ratio = TOLERANCE / gradient;
    if (crowded && (this.#cuts >= MEASURE.afterCuts || now - this.#measured.atMs >= MEASURE.everyMs)) {
      this.#options.measurement.round += 1;
      this.#joinMeasurement();
    } else if (ratio >= 1) {
      this.#cuts = 0;
      const up = Math.min(ratio, this.#wasCut ? STEP.up : STEP.first);
      this.#set(Math.max(this.#limit * up, this.#limit + (ratio > 1.25 ? 1 : 0)));
    } else if (crowded) {
      this.#cuts += 1;
      this.#wasCut = true;
      this.#set(this.#limit * Math.max(STEP.down, ratio));
    }
  }

  #set(limit: number): void {
    const before = this.limit;
    this.#limit = clamp(1, limit, this.#most);
    if (this.limit === before) return;
    this.#epoch += 1;
    this.#begin(this.#options.monotonic.now());
  }

  #begin(now: number): void {
    this.#samples = [];
    this.#sinceMs = now;
    this.#pressed = this.#inFlight.size >= this.limit;
    this.#peak = this.#inFlight.size;
  }
}
