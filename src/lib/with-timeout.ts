import { timers as ownTimers } from './monotonic.js';

/** What the work gives, or undefined if it takes longer than `timeoutMs`. Rejects if the work does. */
export function withTimeout<T>(timeoutMs: number, work: Promise<T>, timers = ownTimers): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = timers.after(timeoutMs, () => resolve(undefined));
    void work.then(resolve, reject).finally(cancel);
  });
}
