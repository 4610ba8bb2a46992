/** The profile behind a handle that is not an item of the answer: free, and cached like any other. */
import { type ModelCache, NotFound, nameRead, UpstreamFault } from './cache.js';

/** Null if it exists; otherwise the code. */
export function readUnpaid(cache: ModelCache, id: string): string | null {
  const name = nameRead('user', id);
  if (cache.object(name)) return null;
  if (cache.isAbsent(name)) return 'not_found';
  try {
    cache.readObject('user', id);
    return null;
  } catch (error) {
    if (error instanceof NotFound) return 'not_found';
    if (error instanceof UpstreamFault) return error.message;
    throw error;
  }
}
