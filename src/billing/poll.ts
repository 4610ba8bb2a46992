/** Runs it again and again, `everyMs` after it has ended, first after `firstMs`; `close` waits for the run that is on its way. */
export function startPoll(run: () => Promise<void>, everyMs: number, firstMs = everyMs): { close(): Promise<void> } {
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
}
