import type { Link } from '../../../src/lib/brief-collections.js';

/** One request that waits for a flush. */
export interface Waiting<Request, Result> {
  readonly request: Request;
  readonly partition: Partition<Request, Result>;
  readonly sinceMs: number;
  readonly resolve: (value: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** What is known about a lock that a partition has met. Times by the monotonic clock. */
interface Lock {
  readonly sinceMs: number;
  /** Met more than once, so it is not another node's flush, and waiting for it must not delay others. */
  readonly isStubborn: boolean;
  readonly tries: number;
  /** When to retry. */
  readonly dueAtMs: number;
  /** Whether it may be retried in a flush together with others; not if it may have been the cause of their delay. */
  readonly mayProbe: boolean;
}

/** The delay between two retries of a locked partition: the first one, doubled up to the longest. */
const FIRST_DELAY_MS = 5;
const LONGEST_DELAY_MS = 100;

/** Requests that must not be in two flushes at the same time: those of one wallet. */
export class Partition<Request, Result> {
  readonly id: string;
  /** In order of arrival. */
  waiting: Waiting<Request, Result>[] = [];
  /** Whether a flush contains some of its requests. */
  isBusy = false;
  /** Results of its flush: requests that must wait again, and whether a lock it met is isolated (null: it met none). */
  unmet: Waiting<Request, Result>[] = [];
  #isIsolated: boolean | null = null;
  lock: Lock | null = null;
  lastFlushMs = 0;
  /** Its place among the partitions that wait for a flush; null where it is not one of them. */
  ready: Link<Partition<Request, Result>> | null = null;
  parked: Link<Partition<Request, Result>> | null = null;

  constructor(id: string) {
    this.id = id;
  }

  lockedMs(now: number): number {
    return this.lock === null ? 0 : now - this.lock.sinceMs;
  }

  /** A request in its flush met a lock. */
  metLock(isIsolated: boolean): void {
    this.#isIsolated = this.#isIsolated === true || isIsolated;
  }

  /** Its flush is over. */
  flushed(now: number, flushMs: number): void {
    this.isBusy = false;
    this.lastFlushMs = flushMs;
    if (this.unmet.length > 0) {
      this.waiting = [...this.unmet, ...this.waiting];
      this.unmet = [];
    }
    this.lock = this.#isIsolated === null ? null : lockAfter(this.lock, this.#isIsolated, now, flushMs);
    this.#isIsolated = null;
  }
}

function lockAfter(before: Lock | null, isIsolated: boolean, now: number, flushMs: number): Lock {
  const tries = (before?.tries ?? 0) + 1;
  const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (tries - 1), LONGEST_DELAY_MS);
  return {
    sinceMs: before?.sinceMs ?? now - flushMs,
    isStubborn: tries > 1,
    tries,
    dueAtMs: now + delayMs,
    mayProbe: !isIsolated && before?.mayProbe !== false,
  };
}

export const isDue = ({ lock }: { readonly lock: Lock | null }, now: number): boolean =>
  lock !== null && now >= lock.dueAtMs;
