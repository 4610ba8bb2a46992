import { monotonic as processMonotonic } from '../../../src/lib/monotonic.js';
import type { Clock } from '../../../src/ports/clock.js';

/** How long a key is taken to have a cap, milliseconds: it may have lost it since. */
const REMEMBERED_MS = 60_000;

/** The most keys that are remembered; of others, each charge finds out again. */
const MOST_KEYS = 10_000;

/** Keys that were seen to have a cap lately: a plain statement would not post their debits. */
export class CappedKeys {
  readonly #monotonic: Clock;
  readonly #seenAtMs = new Map<string, number>();

  constructor(monotonic: Clock = processMonotonic) {
    this.#monotonic = monotonic;
  }

  add(keyId: string): void {
    const [oldest] = this.#seenAtMs.keys();
    if (this.#seenAtMs.size >= MOST_KEYS && oldest !== undefined) this.#seenAtMs.delete(oldest);
    this.#seenAtMs.delete(keyId);
    this.#seenAtMs.set(keyId, this.#monotonic.now());
  }

  has(keyId: string): boolean {
    const seenAtMs = this.#seenAtMs.get(keyId);
    if (seenAtMs === undefined) return false;
    if (this.#monotonic.now() - seenAtMs < REMEMBERED_MS) return true;
    this.#seenAtMs.delete(keyId);
    return false;
  }
}
