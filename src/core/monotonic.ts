/** Milliseconds from any start, not set back when the machine's clock is. */
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

/** Milliseconds of processor that this process has used, all threads of it together. */
export const processorClock = {
  now: (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
};
