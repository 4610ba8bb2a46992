/** Milliseconds from any start, not set back when the machine's clock is. */
export const monotonic = { now: (): number => performance.now() };
