import { BriefMap, type Link, LinkedSet } from '../../../src/lib/brief-collections.js';
import { processTime } from '../../../src/lib/monotonic.js';
import type { Time } from '../../../src/ports/clock.js';
import type { BatchBounds, FlushMode, GroupCommitOptions, Verdict } from './group-commit-options.js';
import { isDue, Partition, type Waiting } from './partition.js';

const BOUNDS: BatchBounds = {
  most: 500,
  flights: 2,
  waits: 2,
  maxWaiting: 10_000,
  maxOfPartition: 2_000,
  maxOfLocked: 100,
};

/** A second plain flush at the same time is worth it only with this many requests; otherwise both would be small. */
const LARGE = 200;

/** The most locked partitions that are retried in one flush together with others. */
const MOST_PROBES = 100;
const SWEEP_MS = 100;
const LONG_LOCKED_MS = 1_000;
const LONGEST_RETRY_S = 30;

/**
 * Requests that arrive while flushes are in progress share the next one, in order of arrival and each partition with an
 * even share. An idle queue flushes at the end of the event loop's turn. A partition with a locked row leaves the shared
 * flushes: it waits for the lock in one of a few flushes of its own, in turn with others, and is retried in between.
 * Requests that arrive for it meanwhile wait behind it.
 */
export class GroupCommit<Request, Result> {
  readonly #options: GroupCommitOptions<Request, Result>;
  readonly #bounds: BatchBounds;
  readonly #time: Time;
  readonly #partitions = new BriefMap<Partition<Request, Result>>();
  /**
   * Partitions that wait for a flush: those that can go into the next one, and those that have a locked row. The next
   * in turn comes first.
   */
  readonly #ready = new LinkedSet<Partition<Request, Result>>();
  readonly #parked = new LinkedSet<Partition<Request, Result>>();
  #waiting = 0;
  readonly #running = { plain: 0, skipLocked: 0, waitForLock: 0, stubborn: 0 };
  #scheduled = false;
  #sweptAtMs = 0;
  #wakeUp: { readonly atMs: number; readonly cancel: () => void } | null = null;

  constructor(options: GroupCommitOptions<Request, Result>) {
    this.#options = options;
    this.#bounds = { ...BOUNDS, ...options.bounds };
    this.#time = options.time ?? processTime;
  }

  submit(request: Request): Promise<Result> {
    const partition = this.#partitionOf(request);
    const now = this.#time.monotonic.now();
    if (this.#isFull(partition, now)) {
      const error =
        this.#options.refusal?.(this.#secondsUntilRoom(partition, now)) ?? new Error('too many wait for a flush');
      this.#place(partition);
      this.#options.settled?.(request);
      return Promise.reject(error);
    }
    return new Promise((resolve, reject) => {
      partition.waiting.push({ request, partition, sinceMs: now, resolve, reject });
      this.#waiting += 1;
      this.#place(partition);
      this.#schedule();
    });
  }

  /**
   * Flushes at the end of this turn of the event loop, so that all requests that have arrived by then share a flush: a
   * flush costs more than the requests in it.
   */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#time.timers.after(0, () => {
      this.#scheduled = false;
      this.#pump();
    });
  }

  #partitionOf(request: Request): Partition<Request, Result> {
    const id = this.#options.partitionOf(request);
    let partition = this.#partitions.get(id);
    if (partition === undefined) {
      partition = new Partition(id);
      this.#partitions.set(id, partition);
    }
    return partition;
  }

  #isFull(partition: Partition<Request, Result>, now: number): boolean {
    const { maxWaiting, maxOfPartition, maxOfLocked } = this.#bounds;
    const own = partition.waiting.length;
    if (own >= maxOfPartition) return true;
    if (own >= maxOfLocked && partition.lockedMs(now) > LONG_LOCKED_MS) return true;
    // A partition with less than an even share waiting is still admitted.
    return this.#waiting >= maxWaiting && own >= maxWaiting / this.#partitions.size;
  }

  /** Expects a lock to last as long again as it has lasted, and a queue to last as long as its flushes take. */
  #secondsUntilRoom(partition: Partition<Request, Result>, now: number): number {
    const ms =
      partition.lock === null
        ? (partition.waiting.length / this.#bounds.most) * partition.lastFlushMs
        : partition.lockedMs(now);
    return Math.min(Math.max(Math.ceil(ms / 1000), 1), LONGEST_RETRY_S);
  }

  /** Puts the partition into the set it belongs to; at the end, if it was not in that set. */
  #place(partition: Partition<Request, Result>): void {
    const rests = partition.isBusy || partition.waiting.length === 0;
    const { lock, ready, parked } = partition;
    partition.ready = linked(this.#ready, ready, rests || lock !== null ? null : partition);
    partition.parked = linked(this.#parked, parked, rests || lock === null ? null : partition);
    if (rests && !partition.isBusy) this.#partitions.delete(partition.id);
  }

  /** Starts every flush that can start now. */
  #pump(): void {
    const now = this.#time.monotonic.now();
    while (this.#running.waitForLock < this.#bounds.waits) {
      const partition = this.#nextToWait(now);
      if (partition === undefined) break;
      void this.#run('waitForLock', this.#take(partition, this.#bounds.most), partition.lock?.isStubborn === true);
    }
    // One plain flush, then the others; a second plain one only if many wait and nothing else does.
    if (this.#running.plain === 0) this.#start('plain', now);
    while (this.#start('skipLocked', now));
    if (this.#readyCount() >= LARGE) this.#start('plain', now);
    this.#setTimer(now);
  }

  /** Starts a flush if there is room for one and something to flush; returns whether it did. */
  #start(mode: 'plain' | 'skipLocked', now: number): boolean {
    if (this.#running.plain + this.#running.skipLocked >= this.#bounds.flights) return false;
    const batch = this.#gather(mode === 'skipLocked' ? this.#probes(now) : [], mode);
    if (batch.length > 0) void this.#run(mode, batch, false);
    return batch.length > 0;
  }

  #readyCount(): number {
    let count = 0;
    for (const partition of this.#ready) count += partition.waiting.length;
    return count;
  }

  /** The partition whose last wait was longest ago. One slot is reserved for those whose lock may be brief. */
  #nextToWait(now: number): Partition<Request, Result> | undefined {
    const hasRoom = this.#running.stubborn < Math.max(1, this.#bounds.waits - 1);
    for (const partition of this.#parked) {
      if (partition.lock?.isStubborn !== true || (hasRoom && isDue(partition, now))) return partition;
    }
    return undefined;
  }

  /** The first request of each locked partition that is due. */
  #probes(now: number): Waiting<Request, Result>[] {
    const batch: Waiting<Request, Result>[] = [];
    for (const partition of this.#parked) {
      if (batch.length >= Math.min(MOST_PROBES, this.#bounds.most)) break;
      // A partition that stays locked must not fill the flush again and again.
      if (partition.lock?.mayProbe && isDue(partition, now)) batch.push(...this.#take(partition, 1));
    }
    return batch;
  }

  #gather(batch: Waiting<Request, Result>[], mode: 'plain' | 'skipLocked'): Waiting<Request, Result>[] {
    const { most } = this.#bounds;
    const { isPlain = () => false } = this.#options;
    const ready: Partition<Request, Result>[] = [];
    for (const partition of this.#ready) {
      if (ready.length >= most) break;
      if (partition.waiting.every(({ request }) => isPlain(request)) === (mode === 'plain')) ready.push(partition);
    }
    const share = Math.max(1, Math.floor((most - batch.length) / Math.max(1, ready.length)));
    const taken: Partition<Request, Result>[] = [];
    for (const partition of ready) {
      if (batch.length >= most) break;
      taken.push(partition);
      batch.push(...this.#take(partition, Math.min(share, most - batch.length)));
    }
    for (const partition of taken) {
      if (batch.length >= most) break;
      batch.push(...this.#take(partition, most - batch.length));
    }
    return batch;
  }

  #take(partition: Partition<Request, Result>, count: number): Waiting<Request, Result>[] {
    partition.isBusy = true;
    this.#place(partition);
    return partition.waiting.splice(0, count);
  }

  async #run(mode: FlushMode, batch: readonly Waiting<Request, Result>[], isStubborn: boolean): Promise<void> {
    const startedAt = this.#time.monotonic.now();
    this.#running[mode] += 1;
    if (isStubborn) this.#running.stubborn += 1;
    let verdicts: readonly Verdict<Result>[];
    try {
      verdicts = await this.#options.flush(
        batch.map(({ request }) => request),
        mode,
      );
    } catch (error) {
      verdicts = batch.map(() => ({ error }));
    }
    const ms = this.#time.monotonic.now() - startedAt;
    this.#running[mode] -= 1;
    if (isStubborn) this.#running.stubborn -= 1;
    this.#conclude(batch, verdicts, ms);
    this.#schedule();
  }

  /** Answers the requests that have a verdict; the others wait again, before those that came after them. */
  #conclude(batch: readonly Waiting<Request, Result>[], verdicts: readonly Verdict<Result>[], flushMs: number): void {
    const now = this.#time.monotonic.now();
    for (const [index, waiting] of batch.entries()) {
      const verdict = verdicts[index] ?? { error: new Error('a flush left a request without a verdict') };
      if (typeof verdict === 'string') {
        waiting.partition.unmet.push(waiting);
        if (verdict !== 'retry') waiting.partition.metLock(verdict === 'isolate');
        continue;
      }
      this.#settle(waiting);
      if ('value' in verdict) waiting.resolve(verdict.value);
      else waiting.reject(verdict.error);
    }
    for (const { partition } of batch) {
      if (!partition.isBusy) continue;
      partition.flushed(now, flushMs);
      this.#place(partition);
    }
  }

  #settle({ request }: Waiting<Request, Result>): void {
    this.#waiting -= 1;
    this.#options.settled?.(request);
  }

  /** Rejects the requests that must not wait any longer. */
  #sweep(now: number): void {
    const { dismissal } = this.#options;
    this.#sweptAtMs = now;
    if (dismissal === undefined) return;
    for (const partition of this.#partitions.values()) {
      partition.waiting = partition.waiting.filter((waiting) => {
        const error = dismissal(waiting.request, now - waiting.sinceMs);
        if (error === undefined) return true;
        this.#settle(waiting);
        waiting.reject(error);
        return false;
      });
      this.#place(partition);
    }
  }

  /** Sets the timer for the next sweep, or the next retry of a locked partition. No timer runs while nothing waits. */
  #setTimer(now: number): void {
    if (this.#waiting === 0) return;
    let atMs = this.#sweptAtMs + SWEEP_MS;
    // Partitions already due are waiting for the end of a flush.
    for (const { lock } of this.#parked) if (lock !== null && lock.dueAtMs > now) atMs = Math.min(atMs, lock.dueAtMs);
    atMs = Math.max(atMs, now + 1);
    if (this.#wakeUp !== null && this.#wakeUp.atMs <= atMs) return;
    this.#wakeUp?.cancel();
    const ring = (): void => {
      this.#wakeUp = null;
      const at = this.#time.monotonic.now();
      if (at >= this.#sweptAtMs + SWEEP_MS) this.#sweep(at);
      this.#pump();
    };
    this.#wakeUp = { atMs, cancel: this.#time.timers.after(atMs - now, ring) };
  }
}

/** Keeps a value in a set at its place, adds a new one at the end, or removes it (`value` is null). */
function linked<Value>(set: LinkedSet<Value>, link: Link<Value> | null, value: Value | null): Link<Value> | null {
  if (value !== null) return link ?? set.add(value);
  if (link !== null) set.remove(link);
  return null;
}
