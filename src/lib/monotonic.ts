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

/** The same, for bounds on work that keeps the process alive itself: these do not. */
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

/** What the work gives, or undefined if it takes longer than `timeoutMs`. Rejects if the work does. */
export function withTimeout<T>(timeoutMs: number, work: Promise<T>, by = timers): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = by.after(timeoutMs, () => resolve(undefined));
    void work.then(resolve, reject).finally(cancel);
  });
}
