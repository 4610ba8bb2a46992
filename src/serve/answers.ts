import { LRUCache } from 'lru-cache';
import type { Charge, Dependency } from '../metering/receipt.js';
import type { Cache } from '../ports/shared.js';
import type { Gone } from '../read/gone.js';
import type { Answer } from './call.js';

/** An answer all of which was held: as long as every part of it still is, the same call gets the same answer at the same price. */
interface Known {
  readonly answer: Answer;
  readonly dependencies: readonly Dependency[];
  /** What had gone by then: anything more, and the answer may show what it must not (M25). */
  readonly goneVersion: number;
}

/** Bytes of rendered answers kept. */
const DEFAULT_BYTES = 64 * 1024 * 1024;
/** What an entry weighs beside its bytes. */
const OVERHEAD_BYTES = 512;

/**
 * Answers rendered from held things only, kept to be sent again without running the operation: what remains of a hit is its
 * charge and a copy of bytes. Never asked where something was read, refused, trimmed or absent.
 */
export class Answers {
  readonly #known: LRUCache<string, Known>;
  readonly #cache: Cache;
  readonly #gone: Gone;

  constructor(cache: Cache, gone: Gone, maxBytes = DEFAULT_BYTES) {
    this.#cache = cache;
    this.#gone = gone;
    this.#known = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ answer }) => weightOf(answer) });
  }

  /** The answer, if everything it was made of is held unchanged. */
  async find(key: string): Promise<Answer | undefined> {
    const known = this.#known.get(key);
    if (!known) return undefined;
    if (known.goneVersion === this.#gone.version && (await this.#holds(known.dependencies))) return known.answer;
    this.#known.delete(key);
    return undefined;
  }

  keep(key: string, answer: Answer, dependencies: readonly Dependency[]): void {
    this.#known.set(key, { answer, dependencies, goneVersion: this.#gone.version });
  }

  async #holds(dependencies: readonly Dependency[]): Promise<boolean> {
    for (const { key, value } of dependencies) {
      const held = await this.#cache.get(key);
      if (held?.value !== value) return false;
    }
    return true;
  }
}

const weightOf = ({ rendered, data }: Answer): number =>
  OVERHEAD_BYTES + (rendered ? rendered.length : 4 * JSON.stringify(data).length);

/** True when nothing was read, not even to look ahead, so that the next call of the same kind costs and says the same. */
export const isAllHeld = (charge: Charge): boolean => charge.amount > 0 && charge.cache === 'hit';
