import { channel } from 'node:diagnostics_channel';
import { LEDGER_COMMITS, type LedgerCommit } from '../../src/core/commits.js';
import { isDue, Part, type Waiting } from './part.js';

const commits = channel(LEDGER_COMMITS);

/**
 * What a flush says about one of its requests: its result, its failure, or that it is to be tried again: in the next flush,
 * or apart from others. `locked`: somebody else holds a row that it needs. `apart`: something in its flush took too long, and
 * nobody knows what.
 */
export type Verdict<Result> = { readonly value: Result } | { readonly error: unknown } | 'again' | 'locked' | 'apart';

/** How a flush meets a locked row: it skips it (`locked`), or waits for it within a bound of its own. */
export type Mode = 'skip' | 'wait';

export interface GroupCommitOptions<Request, Result> {
  /** One verdict per request; if it throws, its requests fail with that. In the mode `wait` all are of one part. */
  readonly flush: (batch: readonly Request[], mode: Mode) => Promise<readonly Verdict<Result>[]>;
  /** Of one part there is never more than one flush at a time. */
  readonly partOf: (request: Request) => string;
  /** What a request that waits is to fail with now, if so: asked ten times a second. */
  readonly dismissal?: (request: Request, waitedMs: number) => unknown;
  /** What a request fails with that finds no room; seconds until there may be some. */
  readonly refusal?: (retryAfterSeconds: number) => Error;
  readonly bounds?: Partial<Bounds>;
}

export interface Bounds {
  /** Requests of one flush. */
  readonly most: number;
  /** Flushes at a time that skip locked rows, and flushes at a time that wait for one. Each needs a connection. */
  readonly flights: number;
  readonly waits: number;
  /** Requests that wait, of all parts, of one, and of one that has been locked for longer than a second. */
  readonly mostWaiting: number;
  readonly mostOfPart: number;
  readonly mostOfLocked: number;
}

const BOUNDS: Bounds = { most: 500, flights: 2, waits: 2, mostWaiting: 10_000, mostOfPart: 2_000, mostOfLocked: 100 };

/** Locked parts that are tried again in one flush beside others. */
const MOST_PROBES = 100;
const SWEEP_MS = 100;
const LONG_LOCKED_MS = 1_000;
const LONGEST_RETRY_S = 30;

/**
 * What waits together travels together: what arrives while flushes are in flight goes into the next one, in order of arrival
 * and each part with its even share. An idle queue flushes at once. A part with a locked row leaves the common flushes: it
 * waits for the lock in one of a few flushes of its own, by turns with others, and is tried again in between. What arrives
 * for it meanwhile waits behind.
 */
export class GroupCommit<Request, Result> {
  readonly #options: GroupCommitOptions<Request, Result>;
  readonly #bounds: Bounds;
  readonly #parts = new Map<string, Part<Request, Result>>();
  /** Of those that wait for a flush: whoever can go into the next one, and whoever has a locked row. Next ones first. */
  readonly #ready = new Set<Part<Request, Result>>();
  readonly #parked = new Set<Part<Request, Result>>();
  #waiting = 0;
  readonly #running = { skip: 0, wait: 0, stubborn: 0 };
  #scheduled = false;
  #sweptAtMs = 0;
  #alarm: { readonly atMs: number; readonly timer: NodeJS.Timeout } | null = null;

  constructor(options: GroupCommitOptions<Request, Result>) {
    this.#options = options;
    this.#bounds = { ...BOUNDS, ...options.bounds };
  }

  submit(request: Request): Promise<Result> {
    const part = this.#partOf(request);
    const now = performance.now();
    if (this.#isFull(part, now)) {
      const error =
        this.#options.refusal?.(this.#secondsUntilRoom(part, now)) ?? new Error('too many wait for a flush');
      this.#place(part);
      return Promise.reject(error);
    }
    return new Promise((resolve, reject) => {
      part.waiting.push({ request, part, sinceMs: now, resolve, reject });
      this.#waiting += 1;
      this.#place(part);
      if (this.#scheduled) return;
      this.#scheduled = true;
      // After this tick, so that what was submitted in one go goes in one flush.
      queueMicrotask(() => {
        this.#scheduled = false;
        this.#pump();
      });
    });
  }

  #partOf(request: Request): Part<Request, Result> {
    const id = this.#options.partOf(request);
    let part = this.#parts.get(id);
    if (part === undefined) {
      part = new Part(id);
      this.#parts.set(id, part);
    }
    return part;
  }

  #isFull(part: Part<Request, Result>, now: number): boolean {
    const { mostWaiting, mostOfPart, mostOfLocked } = this.#bounds;
    const own = part.waiting.length;
    if (own >= mostOfPart) return true;
    if (own >= mostOfLocked && part.lockedMs(now) > LONG_LOCKED_MS) return true;
    // Who has less than an even share waiting is let in all the same.
    return this.#waiting >= mostWaiting && own >= mostWaiting / this.#parts.size;
  }

  /** A lock is expected to last once more as long as it has; a queue as long as its flushes take. */
  #secondsUntilRoom(part: Part<Request, Result>, now: number): number {
    const ms = part.lock === null ? (part.waiting.length / this.#bounds.most) * part.lastFlushMs : part.lockedMs(now);
    return Math.min(Math.max(Math.ceil(ms / 1000), 1), LONGEST_RETRY_S);
  }

  /** Into the set it belongs to; at the end of it, if it was not in there. */
  #place(part: Part<Request, Result>): void {
    const rests = part.isBusy || part.waiting.length === 0;
    if (rests || part.lock !== null) this.#ready.delete(part);
    else this.#ready.add(part);
    if (rests || part.lock === null) this.#parked.delete(part);
    else this.#parked.add(part);
    if (rests && !part.isBusy) this.#parts.delete(part.id);
  }

  /** Begins whatever can begin now. */
  #pump(): void {
    const now = performance.now();
    while (this.#running.wait < this.#bounds.waits) {
      const part = this.#nextToWait(now);
      if (part === undefined) break;
      void this.#run('wait', this.#take(part, this.#bounds.most), part.lock?.isStubborn === true);
    }
    while (this.#running.skip < this.#bounds.flights) {
      const batch = this.#gather(now);
      if (batch.length === 0) break;
      void this.#run('skip', batch, false);
    }
    this.#setAlarm(now);
  }

  /** The one that has not waited for the longest time. One place is kept for those whose lock may be a short one. */
  #nextToWait(now: number): Part<Request, Result> | undefined {
    const hasRoom = this.#running.stubborn < Math.max(1, this.#bounds.waits - 1);
    for (const part of this.#parked) {
      if (part.lock?.isStubborn !== true || (hasRoom && isDue(part, now))) return part;
    }
    return undefined;
  }

  #gather(now: number): Waiting<Request, Result>[] {
    const { most } = this.#bounds;
    const batch: Waiting<Request, Result>[] = [];
    for (const part of this.#parked) {
      if (batch.length >= Math.min(MOST_PROBES, most)) break;
      // One that is still locked must not fill the flush again and again.
      if (part.lock?.mayProbe && isDue(part, now)) batch.push(...this.#take(part, 1));
    }
    const share = Math.max(1, Math.floor((most - batch.length) / this.#ready.size));
    const taken: Part<Request, Result>[] = [];
    for (const part of this.#ready) {
      if (batch.length >= most) break;
      taken.push(part);
      batch.push(...this.#take(part, Math.min(share, most - batch.length)));
    }
    for (const part of taken) {
      if (batch.length >= most) break;
      batch.push(...this.#take(part, most - batch.length));
    }
    return batch;
  }

  #take(part: Part<Request, Result>, count: number): Waiting<Request, Result>[] {
    part.isBusy = true;
    this.#place(part);
    return part.waiting.splice(0, count);
  }

  async #run(mode: Mode, batch: readonly Waiting<Request, Result>[], isStubborn: boolean): Promise<void> {
    const startedAt = performance.now();
    this.#running[mode] += 1;
    if (isStubborn) this.#running.stubborn += 1;
    let failed = false;
    let verdicts: readonly Verdict<Result>[];
    try {
      verdicts = await this.#options.flush(
        batch.map(({ request }) => request),
        mode,
      );
    } catch (error) {
      failed = true;
      verdicts = batch.map(() => ({ error }));
    }
    const ms = performance.now() - startedAt;
    this.#running[mode] -= 1;
    if (isStubborn) this.#running.stubborn -= 1;
    const debits = batch.length - this.#conclude(batch, verdicts, ms);
    if (debits > 0 && commits.hasSubscribers) commits.publish({ debits, ms, failed } satisfies LedgerCommit);
    this.#pump();
  }

  /** Answers whoever has an answer; the others wait again, before those that came after them. Gives how many met a lock. */
  #conclude(batch: readonly Waiting<Request, Result>[], verdicts: readonly Verdict<Result>[], flushMs: number): number {
    const now = performance.now();
    const unmet = new Map<Part<Request, Result>, { waiting: Waiting<Request, Result>[]; isApart: boolean | null }>();
    let locked = 0;
    for (const [index, waiting] of batch.entries()) {
      const verdict = verdicts[index] ?? { error: new Error('a flush left a request without a verdict') };
      let back = unmet.get(waiting.part);
      if (back === undefined) {
        back = { waiting: [], isApart: null };
        unmet.set(waiting.part, back);
      }
      if (typeof verdict === 'string') {
        back.waiting.push(waiting);
        if (verdict === 'again') continue;
        back.isApart = back.isApart === true || verdict === 'apart';
        locked += 1;
        continue;
      }
      this.#waiting -= 1;
      if ('value' in verdict) waiting.resolve(verdict.value);
      else waiting.reject(verdict.error);
    }
    for (const [part, { waiting, isApart }] of unmet) {
      part.flushed(waiting, isApart, { now, flushMs });
      this.#place(part);
    }
    return locked;
  }

  /** Whoever must not wait any longer is told so. */
  #sweep(now: number): void {
    const { dismissal } = this.#options;
    this.#sweptAtMs = now;
    if (dismissal === undefined) return;
    for (const part of [...this.#parts.values()]) {
      part.waiting = part.waiting.filter(({ request, sinceMs, reject }) => {
        const error = dismissal(request, now - sinceMs);
        if (error === undefined) return true;
        this.#waiting -= 1;
        reject(error);
        return false;
      });
      this.#place(part);
    }
  }

  /** For the next sweep, or the next try of a locked part; none while nothing waits. */
  #setAlarm(now: number): void {
    if (this.#waiting === 0) return;
    let atMs = this.#sweptAtMs + SWEEP_MS;
    // What is due already waits for the end of a flush.
    for (const { lock } of this.#parked) if (lock !== null && lock.dueAtMs > now) atMs = Math.min(atMs, lock.dueAtMs);
    atMs = Math.max(atMs, now + 1);
    if (this.#alarm !== null && this.#alarm.atMs <= atMs) return;
    clearTimeout(this.#alarm?.timer);
    const ring = (): void => {
      this.#alarm = null;
      const at = performance.now();
      if (at >= this.#sweptAtMs + SWEEP_MS) this.#sweep(at);
      this.#pump();
    };
    this.#alarm = { atMs, timer: setTimeout(ring, atMs - now) };
  }
}
