import type { SingleFlight } from '../../src/ports/single-flight.js';

/** Reads under way in one process. A key is known only from the start of its read until it settles. */
export function createMemorySingleFlight(): SingleFlight {
  const underway = new Map<string, Promise<unknown>>();

  return {
    async join<T>(key: string, read: () => Promise<T>) {
      const joined = underway.get(key);
      if (joined !== undefined) return { value: (await joined) as T, led: false };
      // `async` turns a synchronous throw into a rejected promise.
      const flight = (async () => read())().finally(() => underway.delete(key));
      underway.set(key, flight);
      return { value: await flight, led: true };
    },
  };
}
