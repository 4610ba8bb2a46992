import { type Link, LinkedSet } from './brief-collections.js';

/** Milliseconds from an arbitrary start, not set back with the machine's clock. */
export const monotonic = { now: (): number => performance.now() };

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The process's own timers. */
export const timers = {
  after(ms: number, then: () => void): () => void {
    if (ms <= 0) {
      const immediate = setImmediate(then);
      return () => clearImmediate(immediate);
    }
    const timer = setTimeout(then, Math.min(ms, LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/** The same, but they do not keep the process alive: for timeouts of work that keeps it alive anyway. */
export const backgroundTimers = {
  after(ms: number, then: () => void): () => void {
    if (ms <= 0) return timers.after(0, then);
    const timer = setTimeout(then, Math.min(ms, LONGEST_TIMER_MS)).unref();
    return () => clearTimeout(timer);
  },
};

/** Time as this process sees it. */
export const processTime = { monotonic, timers };

/** Milliseconds of processor time that this process has used, in all its threads together. */
export const processorClock = {
  now: (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
};

/** The result of the work, or undefined if it takes longer than `timeoutMs`. Rejects if the work does. */
export function withTimeout<T>(timeoutMs: number, work: Promise<T>, by = timers): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = by.after(timeoutMs, () => resolve(undefined));
    void work.then(resolve, reject).finally(cancel);
  });
}

/** A person who waits this long should be told for what. */
const NOTICED_MS = 1_000;

/** The result of the work. Reports what is waited for if it takes longer than a second. */
export async function reportWait<T>(work: PromiseLike<T>, report: () => void): Promise<T> {
  const cancel = backgroundTimers.after(NOTICED_MS, report);
  try {
    return await work;
  } finally {
    cancel();
  }
}

/** Resolves after this time, or as soon as the signal fires. */
export function pause(ms: number, signal: AbortSignal, by: Time['timers'] = timers): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = by.after(ms, end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}

interface Time {
  readonly monotonic: { now(): number };
  readonly timers: { after(ms: number, then: () => void): () => void };
}

interface Timeout {
  readonly atMs: number;
  readonly then: () => void;
}

/** A timeout that was set, by which it can be cancelled. */
export type SetTimeout = Link<Timeout>;

/**
 * One timer for many timeouts, nearly all of which are cancelled before they are due. Setting and cancelling one only
 * changes a linked list; when the timer fires, it looks at the timeouts that are still set.
 */
export class SharedTimer {
  readonly #time: Time;
  readonly #set = new LinkedSet<Timeout>();
  #next: { readonly atMs: number; readonly cancel: () => void } | null = null;

  constructor(time: Time) {
    this.#time = time;
  }

  /** `atMs`: monotonic milliseconds. `then` is never called in this turn of the event loop. */
  set(atMs: number, then: () => void): SetTimeout {
    if (this.#next === null || atMs < this.#next.atMs) this.#wake(atMs);
    return this.#set.add({ atMs, then });
  }

  /** When no timeout is left, the process's timer is cancelled, too. */
  cancel(timeout: SetTimeout): void {
    this.#set.remove(timeout);
    if (this.#set.size > 0) return;
    this.#next?.cancel();
    this.#next = null;
  }

  #wake(atMs: number): void {
    this.#next?.cancel();
    const { monotonic, timers } = this.#time;
    this.#next = { atMs, cancel: timers.after(Math.max(1, atMs - monotonic.now()), () => this.#pass()) };
  }

  #pass(): void {
    this.#next = null;
    const now = this.#time.monotonic.now();
    let soonestMs = Number.POSITIVE_INFINITY;
    const due: Timeout[] = [];
    for (const link of this.#set.links()) {
      if (link.value.atMs > now) soonestMs = Math.min(soonestMs, link.value.atMs);
      else if (this.#set.remove(link)) due.push(link.value);
    }
    if (soonestMs < Number.POSITIVE_INFINITY) this.#wake(soonestMs);
    for (const { then } of due) then();
  }
}
