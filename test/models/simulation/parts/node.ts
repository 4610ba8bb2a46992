import { createMemoryCache } from '../../../../adapters/memory/cache.js';
import { createMemoryPace, createMemorySingleFlight } from '../../../../adapters/memory/pace.js';
import { createMemoryRateLimiter } from '../../../../adapters/memory/rate-limiter.js';
import { openRedisStores } from '../../../../adapters/redis/stores.js';
import { type Engine, openEngine } from '../../../../app/engine.js';
import { Lifecycle } from '../../../../app/lifecycle.js';
import { ProcessorTime } from '../../../../src/access/processor-time.js';
import { WorkSlots } from '../../../../src/access/work-slots.js';
import { type Config, readConfig } from '../../../../src/config/config.js';
import { Memories } from '../../../../src/lib/memories.js';
import { UNTRACED } from '../../../../src/lib/untraced.js';
import type { Clock, Time } from '../../../../src/ports/clock.js';
import type { Watching } from '../../../../src/watches/watching.js';
import { connectDatabase } from './database-client.js';
import { connectNetwork } from './network.js';
import { connectRedis } from './redis-client.js';
import { connectWatches } from './watches.js';
import type { Host } from './wire.js';
import { SECRETS, START_MS, type World } from './world.js';

/** Short, so that every entry can expire within a run; the proportions are those of the real lifetimes. */
const LIFETIMES: Config['lifetimes'] = {
  profileMs: 6_000,
  tweetMs: 6_000,
  firstPageMs: 3_000,
  deeperPageMs: 12_000,
  followersMs: 24_000,
  absentMs: 1_500,
};

const DEADLINE_MS = 8_000;

const CONFIG: Config = {
  ...readConfig({ env: {}, cwd: '/', terminal: false }),
  lifetimes: LIFETIMES,
  deadlineMs: DEADLINE_MS,
};

const QUIET = { info: () => undefined, warn: () => undefined };

export interface SimulatedNode {
  readonly host: Host;
  readonly engine: Engine;
  /** Null in a run without watches. */
  readonly watching: Watching | null;
}

/** Starts one process. The engine, the adapters of Redis and the posting of debits are the real ones. */
export async function openNode(world: World, host: Host, skewMs: number): Promise<SimulatedNode> {
  const { scheduler, redis, databaseLink } = world;
  const startedAtMs = scheduler.now();
  const monotonic: Clock = { now: () => scheduler.now() - startedAtMs };
  const clock: Clock = { now: () => START_MS + Math.floor(scheduler.now()) + skewMs };
  const time: Time = {
    monotonic,
    // A dead process does nothing more.
    timers: { after: (ms, then) => scheduler.after(ms, () => host.isAlive && then()) },
  };
  const memories = new Memories();
  const local = {
    cache: createMemoryCache({ clock, memories }),
    unpaid: createMemoryCache({ clock, memories, memory: 'unpaid' }),
    limiter: createMemoryRateLimiter({ clock, memories }),
    pace: createMemoryPace({ clock: monotonic, memories }),
    flights: createMemorySingleFlight(),
  };
  const longestMs = Math.max(...Object.values(LIFETIMES));
  const connect = () => connectRedis(redis, host, time.timers);
  const stores = await openRedisStores({
    ...{ urls: [], source: 'simulated', clock, log: QUIET, local, longestMs, memories, connect, time },
  });
  const { ledger, accounts } = connectDatabase(databaseLink, host, time);
  const engine = await openEngine(new Lifecycle(), {
    config: CONFIG,
    stores: { ledger, accounts, secrets: SECRETS },
    shared: { ...stores, memories, testMode: { cache: local.cache, flights: local.flights, memories } },
    network: connectNetwork(world, host),
    openInvented: never,
    clock,
    time,
    tracing: UNTRACED,
    customers: { billing: NOT_SOLD, spent: () => {} },
    shares: {
      slots: new WorkSlots({ total: CONFIG.overload.maxInFlight, deadlineMs: DEADLINE_MS, monotonic }),
      // On this clock nothing takes processor time.
      processor: new ProcessorTime({ monotonic, memories }),
    },
  });
  const { watches } = world;
  const watching = watches && connectWatches(world, watches, host, engine.live, { ...time, ...clock });
  return { host, engine, watching };
}

/** A run has no test keys, */
const never = () => Promise.reject(new Error('not simulated'));

/** and nothing is sold. */
const NOT_SOLD = { forCaller: () => null as never };
