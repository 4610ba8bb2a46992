/** Something like `Timers`. */
interface After {
  after(ms: number, then: () => void): () => void;
}

/** Runs `task` every `everyMs` milliseconds from now on. Returns a function that ends it. */
export function repeat(timers: After, everyMs: number, task: () => void): () => void {
  const next = (): (() => void) =>
    timers.after(everyMs, () => {
      // First, so that the task may end it.
      cancel = next();
      task();
    });
  let cancel = next();
  return () => cancel();
}
