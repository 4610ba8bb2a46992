import { toThousandths } from '../domain/credits.js';
import { PLAY_CREDITS } from '../domain/mode.js';
import type { BoundedMap } from '../lib/bounded-map.js';
import { utcDay } from '../lib/durations.js';
import type { Memories } from '../lib/memories.js';
import type { Clock } from '../ports/clock.js';
import type { Ledger } from '../ports/ledger.js';

/** Estimated memory of an account and its day. */
const DAY_BYTES = 64;

export interface PlayCreditsOptions {
  readonly ledger: Pick<Ledger, 'refill'>;
  /** Wall clock time: decides which day it is. */
  readonly clock: Clock;
  /** Ids of ledger rows, in the order of time. */
  readonly newId: () => string;
  readonly memories: Memories;
}

/**
 * Play credits: each test account is topped up to the same amount once per UTC day, at its first call of the day. The
 * ledger decides whether that has been done already; this process only remembers that it asked.
 */
export class PlayCredits {
  readonly #options: PlayCreditsOptions;
  /** The day on which the ledger was last asked, by account. */
  readonly #days: BoundedMap<{ readonly day: string }>;
  /** Refills in progress: concurrent calls share one. */
  readonly #underway = new Map<string, Promise<void>>();

  constructor(options: PlayCreditsOptions) {
    this.#options = options;
    this.#days = options.memories.map('test_mode', { weigh: () => DAY_BYTES });
  }

  /** Resolves once the account has had its play credits of today. */
  async refill(accountId: string): Promise<void> {
    const day = utcDay(this.#options.clock.now());
    if (this.#days.get(accountId)?.day === day) return;
    const key = `${accountId} ${day}`;
    let refill = this.#underway.get(key);
    if (refill === undefined) {
      refill = this.#refill(accountId, day).finally(() => this.#underway.delete(key));
      this.#underway.set(key, refill);
    }
    await refill;
  }

  async #refill(accountId: string, day: string): Promise<void> {
    const { ledger, newId } = this.#options;
    await ledger.refill({ accountId, day, upTo: toThousandths(PLAY_CREDITS), requestId: newId() });
    this.#days.set(accountId, { day });
  }
}
