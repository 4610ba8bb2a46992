import type { BoundedMap } from '../../../src/lib/bounded-map.js';
import { isDuring, spanFrom, type TimeSpan } from '../../../src/lib/durations.js';
import type { Memories } from '../../../src/lib/memories.js';
import type { Clock } from '../../../src/ports/clock.js';
import type { Account } from './schemas.js';

const TRUST_MS = 60_000;

/**
 * Whether accounts hide whom they follow and who follows them, as read within the last minute. A list by handle has
 * just read the account to learn its id, and so need not read it again.
 */
export class ListOwners {
  readonly #clock: Clock;
  readonly #read: BoundedMap<TimeSpan & { readonly hides: boolean }>;

  constructor(clock: Clock, memories: Memories) {
    this.#clock = clock;
    this.#read = memories.map('list_owners');
  }

  note({ id, hide_collections: hides }: Pick<Account, 'id' | 'hide_collections'>): void {
    this.#read.set(id, { hides: hides === true, ...spanFrom(this.#clock.now(), TRUST_MS) });
  }

  /** Undefined if the account was not read within the last minute. */
  hides(id: string): boolean | undefined {
    const read = this.#read.get(id);
    return read && isDuring(read, this.#clock.now()) ? read.hides : undefined;
  }
}
