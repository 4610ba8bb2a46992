/** Runs it again and again, `everyMs` after it has ended; `close` waits for the run that is on its way. */
export function startPoll(run: () => Promise<void>, everyMs: number): { close(): Promise<void> } {
  let closed = false;
  let running = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const plan = (): void => {
    if (closed) return;
    timer = setTimeout(() => {
      running = run().finally(plan);
    }, everyMs);
    timer.unref();
  };
  plan();
  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await running;
    },
  };
}
