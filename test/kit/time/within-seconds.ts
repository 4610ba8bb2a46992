import { setTimeout as sleep } from 'node:timers/promises';

/** The result of `work`. If that takes longer, throws an error with what `why` finds out then. */
export async function withinSeconds<T>(seconds: number, work: Promise<T>, why: () => Promise<string>): Promise<T> {
  const settled = new AbortController();
  const late = async (): Promise<never> => {
    await sleep(seconds * 1000, undefined, { signal: settled.signal });
    throw new Error(`not done after ${seconds} s. Meanwhile:\n${await why()}`);
  };
  try {
    return await Promise.race([work, late()]);
  } finally {
    settled.abort();
  }
}
