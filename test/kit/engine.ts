import { createMemoryCache } from '../../adapters/memory/cache.js';
import { createMemoryPace, createMemorySingleFlight } from '../../adapters/memory/pace.js';
import { createMemoryTombstoneLog } from '../../adapters/memory/tombstones.js';
import { createReading } from '../../app/sides.js';
import { readConfig } from '../../src/config/config.js';
import type { Thousandths } from '../../src/domain/credits.js';
import { Memories } from '../../src/lib/memories.js';
import { monotonic } from '../../src/lib/monotonic.js';
import { UNTRACED } from '../../src/lib/untraced.js';
import { Meter } from '../../src/metering/meter.js';
import type { Charge, Receipt } from '../../src/metering/receipt.js';
import { SpendingLimit } from '../../src/metering/spending-limit.js';
import { Wallet } from '../../src/metering/wallet.js';
import type { Cache } from '../../src/ports/cache.js';
import type { Network } from '../../src/ports/network.js';
import { CallContext } from '../../src/read/call-context.js';
import type { Pages } from '../../src/read/pages.js';
import { type Page, type PageParams, Reads } from '../../src/read/reads.js';
import type { Tombstones } from '../../src/read/tombstones.js';

/** The longest that a read may take; nothing here is that slow. */
const DEADLINE_MS = 60_000;

export interface Engine {
  /** Stands still until the test moves it. */
  readonly clock: { nowMs: number; now(): number };
  /** The reads of one operation, and what its meter has counted. */
  open(
    credits?: Thousandths,
    callContext?: CallContext,
  ): { reads: Reads; receipt: Receipt; charge: () => Charge; left: () => Thousandths };
  /** Reads one page as an operation of its own. */
  page(
    params: Omit<PageParams, 'path' | 'fresh'> & { fresh?: boolean },
    credits?: Thousandths,
  ): Promise<{ page: Page; charge: Charge }>;
  /** Drops cached entries: one of every `every` keys, or all of them for 1. */
  drop(every?: number, offset?: number): void;
  /** The number of upstream calls so far. */
  calls(): number;
  /** The keys of each look-up of objects in the cache so far. */
  readonly lookUps: readonly (readonly string[])[];
  /** The objects known to be deleted. */
  readonly tombstones: Tombstones;
  /** Whole pages, from which lists are filled. */
  readonly pages: Pages;
  /** A new call context. */
  callContext(): CallContext;
}

/**
 * The reading half of the service over a network, without accounts and HTTP, for thousands of calls a second. `caching`
 * may change how the cache behaves.
 */
export function createEngine(network: Network, caching = (cache: Cache): Cache => cache): Engine {
  const clock = {
    nowMs: Date.UTC(2026, 0, 1),
    now: () => clock.nowMs,
  };
  const keys = new Set<string>();
  const lookUps: (readonly string[])[] = [];
  const cache = noting(caching(createMemoryCache({ clock })), keys, lookUps);
  const counted = counting(network);
  const { sources } = createReading({
    config: readConfig({ env: {}, cwd: '/', terminal: false }),
    stores: { secrets: { cursor: Buffer.alloc(32, 7) } },
    shared: {
      cache,
      unpaid: createMemoryCache({ clock }),
      pace: createMemoryPace({ clock: monotonic }),
      flights: createMemorySingleFlight(),
      tombstoneLog: createMemoryTombstoneLog({ clock }),
      memories: new Memories(),
    },
    network: { ...counted.network, pace: { fast: null, slow: null } },
    clock,
    tracing: UNTRACED,
  });

  const callContext = (): CallContext =>
    new CallContext({
      accountId: 'test',
      signal: AbortSignal.timeout(DEADLINE_MS),
      deadlineAtMs: monotonic.now() + DEADLINE_MS,
    });
  const open: Engine['open'] = (credits = 1e9, context = callContext()) => {
    const wallet = new Wallet(credits);
    const limit = new SpendingLimit(wallet, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
    const meter = new Meter(limit, 0, new Map());
    return {
      reads: new Reads(sources, meter, context),
      receipt: meter.receipt,
      charge: () => meter.receipt.fold(),
      left: () => limit.left,
    };
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
    lookUps,
    tombstones: sources.tombstones,
    pages: sources.pages,
    callContext,
  };
}

function noting(inner: Cache, keys: Set<string>, lookUps: (readonly string[])[]): Cache {
  return {
    ...inner,
    getMany(names) {
      lookUps.push(names);
      return inner.getMany(names);
    },
    set(key, ...rest) {
      keys.add(key);
      return inner.set(key, ...rest);
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
