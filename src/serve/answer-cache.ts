import type { BoundedMap } from '../lib/bounded-map.js';
import { bytesOf } from '../lib/bytes-of.js';
import { Memories } from '../lib/memories.js';
import { andThen, type Soon } from '../lib/soon.js';
import type { Charge, Dependency } from '../metering/receipt.js';
import type { Cache } from '../ports/cache.js';
import type { Tombstones } from '../read/tombstones.js';
import type { Answer } from './call.js';

/**
 * An answer made entirely of cached values: until one changes, the same call gets the same answer at the same price.
 */
interface Entry {
  readonly answer: Answer;
  /** Keys of the cached values that the answer was made of. The cache keeps the values alive; `values` does not. */
  readonly keys: readonly string[];
  readonly values: readonly WeakRef<object>[];
  readonly tombstonesVersion: number;
}

/** What an answer was made of. */
export interface Basis {
  readonly dependencies: readonly Dependency[];
  /**
   * The tombstones' version before the answer was made: if it has changed, the answer may show a deleted object.
   */
  readonly tombstonesVersion: number;
}

/** Memory taken by the objects around an answer, and around each part of it. Measured, rounded up. */
const ANSWER_BYTES = 800;
const PART_BYTES = 80;

/**
 * Answers made of cached values only, which can be sent again without running the operation: a hit costs a charge and a
 * copy of bytes. An answer is not stored if anything in it was read, refused, trimmed or missing.
 */
export class AnswerCache {
  readonly #entries: BoundedMap<Entry>;
  readonly #cache: Cache;
  readonly #tombstones: Tombstones;

  constructor(cache: Cache, tombstones: Tombstones, memories = new Memories()) {
    this.#cache = cache;
    this.#tombstones = tombstones;
    this.#entries = memories.map('answers', { weigh: weightOf });
  }

  /** The answer to the call that the key identifies, if every cached value it was made of is unchanged. */
  find(key: string): Soon<Answer | undefined> {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    const isValid = entry.tombstonesVersion === this.#tombstones.version && this.#isCurrent(entry);
    return andThen(isValid, (current) => {
      if (current) return entry.answer;
      this.#entries.delete(key);
      return undefined;
    });
  }

  /** Stores nothing if an object was found deleted while the answer was being made and settled. */
  store(key: string, answer: Answer, { dependencies, tombstonesVersion }: Basis): void {
    if (tombstonesVersion !== this.#tombstones.version) return;
    const keys = dependencies.map((part) => part.key);
    const values = dependencies.map(({ value }) => new WeakRef(value));
    const entry = { answer, keys, values, tombstonesVersion };
    this.#entries.set(key, entry);
    answer.rendered?.whenGrown(() => {
      if (this.#entries.peek(key) === entry) this.#entries.set(key, entry);
    });
  }

  #isCurrent({ keys, values }: Entry): Soon<boolean> {
    return andThen(this.#cache.getMany(keys), (cached) =>
      values.every((value, n) => cached[n] !== undefined && cached[n].value === value.deref()),
    );
  }
}

/** The cache counts the values themselves; only the references count here. */
const weightOf = ({ answer, keys }: Entry): number => {
  const { rendered, data, charge } = answer;
  const references = keys.reduce((sum, key) => sum + PART_BYTES + bytesOf(key), 0);
  return ANSWER_BYTES + (rendered?.size ?? bytesOf(data)) + bytesOf(charge.lines) + references;
};

/** True if nothing was read, not even to look ahead, so that the same call would cost and return the same. */
export const isAllCached = (charge: Charge): boolean => charge.amount > 0 && charge.cache === 'hit';
