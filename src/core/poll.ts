/** What runs again and again beside requests. */
export interface Poll {
  close(): Promise<void>;
}

export type StartPoll = (run: () => Promise<void>, everyMs: number, firstMs?: number) => Poll;

/** Runs it again and again, `everyMs` after it has ended, first after `firstMs`; `close` waits for the run that is on its way. */
export const startPoll: StartPoll = (run, everyMs, firstMs = everyMs) => {
  let closed = false;
  let running = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const plan = (afterMs: number): void => {
    if (closed) return;
    timer = setTimeout(() => {
      running = run().finally(() => plan(everyMs));
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
