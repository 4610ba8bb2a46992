import { LRUCache } from 'lru-cache';
import type { Clock } from '../ports/clock.js';
import type { Accounts, KeyLookup } from '../ports/truth.js';

/** Some 5 MB when full. */
const HELD_KEYS = 10_000;

export interface Lookups {
  /** What is known of the key: at most `ttlMs` old, or read now. Undefined when there is no such key, which is never held. */
  find(hashHex: string): Promise<KeyLookup | undefined>;
  /** Whether the store knew the key when it was last asked, however long ago that was. */
  knows(hashHex: string): boolean;
  close(): Promise<void>;
}

/** Keys as the store knew them up to `ttlMs` ago (A9). Who asks for what is being read waits for that read. */
export async function createLookups(options: { accounts: Accounts; clock: Clock; ttlMs: number }): Promise<Lookups> {
  const { accounts, clock, ttlMs } = options;
  const known = new LRUCache<string, { lookup: KeyLookup; untilMs: number }>({ max: HELD_KEYS });
  const underway = new Map<string, Promise<KeyLookup | undefined>>();

  const unsubscribe = await accounts.onKeyChange((hashHex) => {
    known.delete(hashHex);
    // What is being read may be the state from before: it must not be held, and nobody new may join it.
    underway.delete(hashHex);
  });

  function read(hashHex: string): Promise<KeyLookup | undefined> {
    // The age counts from before the read, so a slow store does not lengthen it.
    const untilMs = clock.now() + ttlMs;
    const reading: Promise<KeyLookup | undefined> = accounts
      .findKey(Buffer.from(hashHex, 'hex'))
      .then((lookup) => {
        if (underway.get(hashHex) === reading) {
          if (lookup === undefined) known.delete(hashHex);
          else known.set(hashHex, { lookup, untilMs });
        }
        return lookup;
      })
      .finally(() => {
        if (underway.get(hashHex) === reading) underway.delete(hashHex);
      });
    underway.set(hashHex, reading);
    return reading;
  }

  return {
    async find(hashHex) {
      const entry = known.get(hashHex);
      if (entry !== undefined && clock.now() < entry.untilMs) return entry.lookup;
      return underway.get(hashHex) ?? read(hashHex);
    },
    knows: (hashHex) => known.has(hashHex),
    close: unsubscribe,
  };
}
