import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';
import type { Ids } from '../src/ports/clock.js';

/** Random bytes of one id. */
const BYTES = 16;

/** Ids whose random bytes are drawn at once: a system call for each id would cost more than the rest of its work. */
const AT_ONCE = 256;

/** UUIDs of version 7. */
export function createRequestIds(): Ids {
  const pool = new Uint8Array(AT_ONCE * BYTES);
  let used = pool.length;
  return {
    requestId() {
      if (used === pool.length) {
        randomFillSync(pool);
        used = 0;
      }
      const random = pool.subarray(used, used + BYTES);
      used += BYTES;
      return v7({ random });
    },
  };
}
