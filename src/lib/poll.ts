/** Something like `Timers`. */
interface After {
  after(ms: number, then: () => void): () => void;
}

/** Runs `task` every `everyMs` milliseconds from now on. Returns a function that ends it. */
export function repeat(timers: After, everyMs: number, task: () => void): () => void {
  const next = (): (() => void) =>
    timers.after(everyMs, () => {
      // Set up before the task runs, so that the task can end the repetition.
      cancel = next();
      task();
    });
  let cancel = next();
  return () => cancel();
}

/** A repeated background task. */
export interface Poller {
  close(): Promise<void>;
}

export type StartPoll = (run: () => Promise<void>, everyMs: number, firstMs?: number) => Poller;

/**
 * Runs a task repeatedly, `everyMs` after the last run has ended, first after `firstMs`; `close` waits for a run in
 * progress. A failed run is reported, and the next one runs as usual.
 */
export const polling =
  (onFailure: (error: unknown) => void): StartPoll =>
  (run, everyMs, firstMs = everyMs) => {
    let closed = false;
    let running = Promise.resolve();
    let timer: NodeJS.Timeout | undefined;
    const attempt = async (): Promise<void> => {
      try {
        await run();
      } catch (error) {
        onFailure(error);
      }
      plan(everyMs);
    };
    const plan = (afterMs: number): void => {
      if (closed) return;
      timer = setTimeout(() => {
        running = attempt();
      }, afterMs);
      timer.unref();
    };
    plan(firstMs);
    return {
      async close() {
        closed = true;
        clearTimeout(timer);
        await running;
      },
    };
  };
