import { NAME_LENGTH, OTHER } from '../domain/usage.js';
import type { BoundedMap } from '../lib/bounded-map.js';
import { utcDay } from '../lib/durations.js';
import { Memories } from '../lib/memories.js';
import { backgroundTimers, withTimeout } from '../lib/monotonic.js';
import type { Clock, Timers } from '../ports/clock.js';
import type { Ledger } from '../ports/ledger.js';

/** Estimated memory of one account's entry, without its names. */
const OVERHEAD_BYTES = 512;

/** How long a charge waits at most to learn whether the ledger keeps its operation's name, milliseconds. */
const MAX_CLAIM_MS = 500;

/** Most names of one account that wait until the claim before theirs has ended. */
const MOST_WAITING = 100;

/** Most accounts whose names are being claimed at once. */
const MOST_CLAIMS = 1_000;

interface Known {
  readonly day: string;
  readonly names: ReadonlySet<string>;
  /** True if the ledger rejected a name: the account has as many as it may have. */
  readonly full: boolean;
}

interface Claim {
  /** Names for the next claim, collected while one is in progress. */
  waiting: Set<string>;
  next: Promise<Known | undefined> | undefined;
  current: Promise<Known | undefined>;
}

/**
 * The names of callers' own operations that the ledger keeps (M30): at most 100 per account and UTC day, over all
 * nodes. A name that this process knows to be kept costs nothing. Any other name is claimed once, with one claim at a
 * time for each account.
 */
export class OperationNames {
  readonly #ledger: Pick<Ledger, 'claimNames'>;
  readonly #clock: Clock;
  readonly #claimTimeoutMs: number;
  readonly #timers: Timers;
  readonly #known: BoundedMap<Known>;
  readonly #claims = new Map<string, Claim>();

  constructor(
    ledger: Pick<Ledger, 'claimNames'>,
    clock: Clock,
    memories = new Memories(),
    claimTimeoutMs = MAX_CLAIM_MS,
    timers: Timers = backgroundTimers,
  ) {
    this.#known = memories.map('operation_names', {
      weigh: ({ names }) => OVERHEAD_BYTES + names.size * (2 * NAME_LENGTH + 64),
    });
    this.#ledger = ledger;
    this.#clock = clock;
    this.#claimTimeoutMs = claimTimeoutMs;
    this.#timers = timers;
  }

  /**
   * The name under which the ledger keeps the account's operation: its own, or `other`. Returned at once if it is
   * known; otherwise a promise, which never rejects.
   */
  keep(accountId: string, name: string): string | Promise<string> {
    const short = name.slice(0, NAME_LENGTH);
    const day = utcDay(this.#clock.now());
    const known = this.#known.get(accountId);
    if (known?.day === day) {
      if (known.names.has(short)) return short;
      if (known.full) return OTHER;
    }
    const claiming = this.#claim(accountId, day, short);
    if (claiming === undefined) return OTHER;
    return withTimeout(this.#claimTimeoutMs, claiming, this.#timers).then((now) =>
      now?.names.has(short) ? short : OTHER,
    );
  }

  #claim(accountId: string, day: string, name: string): Promise<Known | undefined> | undefined {
    const claim = this.#claims.get(accountId);
    if (claim === undefined) {
      if (this.#claims.size >= MOST_CLAIMS) return undefined;
      const current = this.#claimNames(accountId, day, [name]);
      this.#claims.set(accountId, { waiting: new Set(), next: undefined, current });
      return current;
    }
    if (claim.waiting.size >= MOST_WAITING && !claim.waiting.has(name)) return undefined;
    claim.waiting.add(name);
    claim.next ??= claim.current.then(() => {
      const names = [...claim.waiting];
      claim.waiting = new Set();
      claim.next = undefined;
      this.#claims.set(accountId, claim);
      claim.current = this.#claimNames(accountId, day, names);
      return claim.current;
    });
    return claim.next;
  }

  /** Undefined if the ledger did not answer. */
  async #claimNames(accountId: string, day: string, names: readonly string[]): Promise<Known | undefined> {
    try {
      const kept = new Set(await this.#ledger.claimNames(accountId, day, names));
      const known = { day, names: kept, full: names.some((name) => !kept.has(name)) };
      this.#known.set(accountId, known);
      return known;
    } catch {
      return undefined;
    } finally {
      const claim = this.#claims.get(accountId);
      if (claim?.waiting.size === 0) this.#claims.delete(accountId);
    }
  }
}
