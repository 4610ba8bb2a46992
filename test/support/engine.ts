import { createMemoryCache } from '../../adapters/memory/cache.js';
import { createMemoryFlights } from '../../adapters/memory/flights.js';
import { createMemoryPace } from '../../adapters/memory/pace.js';
import { createMemoryTombstones } from '../../adapters/memory/tombstones.js';
import type { Thousandths } from '../../src/core/credits.js';
import { monotonic } from '../../src/core/monotonic.js';
import { Meter } from '../../src/metering/meter.js';
import { Purse } from '../../src/metering/purses.js';
import type { Charge } from '../../src/metering/receipt.js';
import { Wallet } from '../../src/metering/wallet.js';
import type { Network } from '../../src/ports/network.js';
import type { Cache } from '../../src/ports/shared.js';
import { createCursors } from '../../src/read/cursor.js';
import { createTweets, createUsers } from '../../src/read/entities.js';
import { Errand } from '../../src/read/errand.js';
import { createGone, type Gone } from '../../src/read/gone.js';
import { DEFAULT_LIFETIMES } from '../../src/read/lifetimes.js';
import { createPages } from '../../src/read/pages.js';
import { createPool } from '../../src/read/pool/pool.js';
import { type Page, type PageParams, Reads } from '../../src/read/reads.js';
import { SharedReads } from '../../src/read/shared-reads.js';

/** Longest that a read may take: nothing here is that slow. */
const DEADLINE_MS = 60_000;

export interface Engine {
  /** Moves on only when told. */
  readonly clock: { nowMs: number; now(): number };
  /** The reads of one operation, and what came to its meter. */
  open(credits?: Thousandths): { reads: Reads; charge: () => Charge; left: () => Thousandths };
  /** One page as an operation of its own. */
  page(
    params: Omit<PageParams, 'path' | 'fresh'> & { fresh?: boolean },
    credits?: Thousandths,
  ): Promise<{ page: Page; charge: Charge }>;
  /** Forgets held things: of every `every` keys one, all for 1. */
  drop(every?: number, offset?: number): void;
  /** Upstream calls so far. */
  calls(): number;
  /** What is remembered as gone. */
  readonly gone: Gone;
}

/** The reading half of the service over a network, without accounts and HTTP: thousands of calls a second. */
export function createEngine(network: Network): Engine {
  const clock = {
    nowMs: Date.UTC(2026, 0, 1),
    now: () => clock.nowMs,
  };
  const keys = new Set<string>();
  const cache = noting(createMemoryCache({ clock }), keys);
  const counted = counting(network);
  const pace = createMemoryPace({ clock: monotonic });
  const pool = createPool({ network: counted.network, pace, clock, monotonic, perSecond: { fast: null, slow: null } });
  const lifetimes = DEFAULT_LIFETIMES;
  const gone = createGone({ clock, lifetimes, cache, tombstones: createMemoryTombstones({ clock }) });
  const unpaid = createMemoryCache({ clock });
  const common = { cache, unpaid, shared: new SharedReads(createMemoryFlights()), pool, gone, clock, lifetimes };
  const users = createUsers(common);
  const tweets = createTweets(common);
  const pages = createPages({ ...common, users, tweets });
  const cursors = createCursors(Buffer.alloc(32, 7));
  const sources = { users, tweets, pages, cursors, gone, clock, served: network.lists };

  const open: Engine['open'] = (credits = 1e9) => {
    const wallet = new Wallet(credits);
    const purse = new Purse(wallet, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
    const meter = new Meter(purse, 0, new Map());
    const errand = new Errand({
      accountId: 'test',
      signal: AbortSignal.timeout(DEADLINE_MS),
      deadlineAtMs: monotonic.now() + DEADLINE_MS,
    });
    return { reads: new Reads(sources, meter, errand), charge: () => meter.receipt.fold(), left: () => purse.left };
  };

  return {
    clock,
    open,
    async page({ fresh = false, ...params }, credits) {
      const { reads, charge } = open(credits);
      const page = await reads.page({ ...params, fresh, path: 'list' });
      return { page, charge: charge() };
    },
    drop(every = 1, offset = 0) {
      const doomed = [...keys].filter((_, index) => (index + offset) % every === 0);
      for (const key of doomed) keys.delete(key);
      void cache.delete(doomed);
    },
    calls: counted.calls,
    gone,
  };
}

function noting(inner: Cache, keys: Set<string>): Cache {
  return {
    ...inner,
    set(key, held, ttlMs, shows) {
      keys.add(key);
      return inner.set(key, held, ttlMs, shows);
    },
  };
}

function counting(inner: Network): { network: Network; calls: () => number } {
  let calls = 0;
  const counted = <A extends unknown[], R>(read: (...args: A) => R) => {
    return (...args: A): R => {
      calls += 1;
      return read(...args);
    };
  };
  const { users, tweets, page } = inner;
  return {
    network: { ...inner, users: counted(users), tweets: counted(tweets), page: counted(page) },
    calls: () => calls,
  };
}
