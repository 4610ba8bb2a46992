/** One request that waits for a flush. */
export interface Waiting<Request, Result> {
  readonly request: Request;
  readonly partition: Partition<Request, Result>;
  readonly sinceMs: number;
  readonly resolve: (value: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** What is known of a lock that a partition has met. Times by the monotonic clock. */
interface Lock {
  readonly sinceMs: number;
  /** It was met more than once: it is not another node's flush, and not worth waiting for before others. */
  readonly isStubborn: boolean;
  readonly tries: number;
  /** When to try again. */
  readonly dueAtMs: number;
  /** Whether it may be tried in a flush beside others: not when it may have been the one that held them up. */
  readonly mayProbe: boolean;
}

/** Between two tries of a locked partition: the first, doubled up to the longest. */
const FIRST_DELAY_MS = 5;
const LONGEST_DELAY_MS = 100;

/** Requests that go one flush after the other: those of one wallet. */
export class Partition<Request, Result> {
  readonly id: string;
  /** In order of arrival. */
  waiting: Waiting<Request, Result>[] = [];
  /** Some of its requests are in a flush. */
  isBusy = false;
  lock: Lock | null = null;
  lastFlushMs = 0;

  constructor(id: string) {
    this.id = id;
  }

  lockedMs(now: number): number {
    return this.lock === null ? 0 : now - this.lock.sinceMs;
  }

  /** Its flush is over: some of it has to wait again. `isApart`: null where no lock was met. */
  flushed(
    back: readonly Waiting<Request, Result>[],
    isApart: boolean | null,
    { now, flushMs }: { now: number; flushMs: number },
  ): void {
    this.isBusy = false;
    this.lastFlushMs = flushMs;
    if (back.length > 0) this.waiting = [...back, ...this.waiting];
    this.lock = isApart === null ? null : lockAfter(this.lock, isApart, now, flushMs);
  }
}

function lockAfter(before: Lock | null, isApart: boolean, now: number, flushMs: number): Lock {
  const tries = (before?.tries ?? 0) + 1;
  const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (tries - 1), LONGEST_DELAY_MS);
  return {
    sinceMs: before?.sinceMs ?? now - flushMs,
    isStubborn: tries > 1,
    tries,
    dueAtMs: now + delayMs,
    mayProbe: !isApart && before?.mayProbe !== false,
  };
}

export const isDue = ({ lock }: { readonly lock: Lock | null }, now: number): boolean =>
  lock !== null && now >= lock.dueAtMs;
