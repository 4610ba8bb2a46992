import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
/** Collects all garbage of this process now. */
export const collectGarbage = runInNewContext('gc') as () => void;

/**
 * Runs the work while garbage is collected constantly, so what nothing refers to is lost at once rather than at some
 * time.
 */
export async function collectingGarbage<T>(work: () => Promise<T>): Promise<T> {
  const timer = setInterval(collectGarbage, 50);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** What a signal keeps of what depends on it: listeners and, on Node 20, an entry for each `AbortSignal.any`. */
export function dependantsOf(signal: AbortSignal): number {
  const name = Object.getOwnPropertySymbols(signal).find(({ description }) => description === 'kDependantSignals');
  const entries =
    name === undefined ? undefined : (signal as unknown as Record<symbol, Set<unknown> | undefined>)[name];
  return getEventListeners(signal, 'abort').length + (entries?.size ?? 0);
}
