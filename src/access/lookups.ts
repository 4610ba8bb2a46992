import { Memories } from '../core/memories.js';
import type { Accounts, KeyLookup } from '../ports/accounts.js';
import type { Clock } from '../ports/clock.js';

export interface Lookups {
  /**
   * The lookup of the key: at most `ttlMs` old, or read now. Undefined if there is no such key; that is never cached.
   */
  find(hashHex: string): Promise<KeyLookup | undefined>;
  /** The last lookup of the key, and whether it is recent enough to use: then `find` does not wait. */
  last(hashHex: string): { readonly lookup: KeyLookup | undefined; readonly isFresh: boolean };
  /** Whether the store knew the key when it was last asked, however long ago that was. */
  knows(hashHex: string): boolean;
  close(): Promise<void>;
}

/**
 * Lookups of keys, cached for up to `ttlMs` (A9), by a clock that is never set back: otherwise a revoked key would live
 * on. Concurrent lookups of one key share a read.
 */
export async function createLookups(options: {
  accounts: Accounts;
  monotonic: Clock;
  ttlMs: number;
  memories?: Memories | undefined;
}): Promise<Lookups> {
  const { accounts, monotonic, ttlMs, memories = new Memories() } = options;
  const known = memories.map<{ lookup: KeyLookup; untilMs: number }>('api_keys');
  const underway = new Map<string, Promise<KeyLookup | undefined>>();

  const unsubscribe = await accounts.onKeyChange((hashHex) => {
    known.delete(hashHex);
    // A read in progress may return the old state: it must not be cached, and no new lookup may join it.
    underway.delete(hashHex);
  });

  function read(hashHex: string): Promise<KeyLookup | undefined> {
    // The age counts from before the read, so a slow store does not lengthen it.
    const untilMs = monotonic.now() + ttlMs;
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
      if (entry !== undefined && monotonic.now() < entry.untilMs) return entry.lookup;
      return underway.get(hashHex) ?? read(hashHex);
    },
    last(hashHex) {
      const entry = known.peek(hashHex);
      return { lookup: entry?.lookup, isFresh: entry !== undefined && monotonic.now() < entry.untilMs };
    },
    knows: (hashHex) => known.has(hashHex),
    close: unsubscribe,
  };
}
