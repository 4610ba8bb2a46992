/** What may go wrong in a run, and when. */
import type { Chance } from '../../../../demo/random.js';
import { ServiceError } from '../../../../src/domain/errors.js';
import type { Station } from './wire.js';
import type { FaultKind, World } from './world.js';

/** Faults begin within this time and last this long, in milliseconds. */
const BEGIN_MS = 12_000;
const LAST_MS = [50, 6_000] as const;

/** Per cent of runs without any fault. */
const CALM = 12;

interface Fault {
  readonly kind: FaultKind;
  /** Returns the function that ends the fault. */
  readonly begin: (world: World, chance: Chance) => () => void;
}

const down =
  (stationOf: (world: World) => Station) =>
  (world: World): (() => void) => {
    const station = stationOf(world);
    station.isDown = true;
    return () => {
      station.isDown = false;
    };
  };

const lossy =
  (stationOf: (world: World) => Station) =>
  (world: World, chance: Chance): (() => void) => {
    const station = stationOf(world);
    station.lost = { there: chance.int(200), back: chance.int(400) };
    return () => {
      station.lost = { there: 0, back: 0 };
    };
  };

const slow =
  (stationOf: (world: World) => Station, ms: readonly [number, number]) =>
  (world: World, chance: Chance): (() => void) => {
    const station = stationOf(world);
    station.slow = { perMille: 100 + chance.int(900), ms };
    return () => {
      station.slow = { perMille: 0, ms };
    };
  };

/** One of the servers that hold accounts. */
const shard =
  (fault: (stationOf: (world: World) => Station) => Fault['begin']): Fault['begin'] =>
  (world, chance) => {
    const { stations, troubled } = world.databaseLink.shards;
    const station = chance.pick(stations);
    troubled.add(station);
    return fault(() => station)(world, chance);
  };

const redis = ({ redis: { station } }: World): Station => station;
const database = ({ databaseLink: { station } }: World): Station => station;
const network = ({ network: { station } }: World): Station => station;

/** The network refuses: for a stated time, or for no known reason. */
function refusing(world: World, chance: Chance): () => void {
  const failure = chance.pick([
    () => new ServiceError('upstream_rate_limited', 'Too many calls.', { retryAfter: 1 + chance.int(3) }),
    () => new ServiceError('upstream_error', 'It failed.'),
    () => new ServiceError('request_rejected', 'It was rejected.'),
  ]);
  world.network.script.fail(failure());
  return () => world.network.script.heal();
}

/** Something else, such as a migration or an operator, holds the lock of a wallet. */
function locked(world: World, chance: Chance): () => void {
  const wallet = chance.pick([...world.database.wallets.values()]);
  wallet.lockedUntilMs = world.databaseClock.now() + chance.between(20, 4_000);
  return () => {};
}

/** The process dies as one of its next messages leaves or arrives. */
function death(world: World, chance: Chance): () => void {
  const host = world.nodes.get(chance.pick([...world.names]))?.host;
  if (host !== undefined) world.killAfter(host, chance.int(60));
  return () => {};
}

const FAULTS: readonly Fault[] = [
  { kind: 'redis', begin: down(redis) },
  { kind: 'redis', begin: lossy(redis) },
  { kind: 'redis', begin: slow(redis, [50, 900]) },
  {
    kind: 'redis',
    begin: (world) => {
      world.redis.server.empty();
      return () => {};
    },
  },
  { kind: 'database', begin: down(database) },
  { kind: 'database', begin: lossy(database) },
  { kind: 'database', begin: slow(database, [50, 3_000]) },
  { kind: 'database', begin: slow(database, [3_000, 20_000]) },
  { kind: 'network', begin: down(network) },
  { kind: 'network', begin: lossy(network) },
  { kind: 'network', begin: slow(network, [200, 12_000]) },
  { kind: 'network', begin: refusing },
  { kind: 'lock', begin: locked },
  { kind: 'death', begin: death },
  { kind: 'death', begin: death },
  { kind: 'death', begin: death },
];

/** Faults of a distributed database. */
const SHARD_FAULTS: readonly Fault[] = [
  { kind: 'shard', begin: shard(down) },
  { kind: 'shard', begin: shard(lossy) },
  { kind: 'shard', begin: shard((stationOf) => slow(stationOf, [50, 3_000])) },
  { kind: 'shard', begin: shard((stationOf) => slow(stationOf, [3_000, 20_000])) },
];

/** In half of the runs with shards, only shards fail. */
function faultsOf(world: World, chance: Chance): readonly Fault[] {
  if (world.databaseLink.shards.stations.length === 0) return FAULTS;
  return chance.fork('of shards').int(2) === 0 ? SHARD_FAULTS : [...FAULTS, ...SHARD_FAULTS, ...SHARD_FAULTS];
}

/** Plans the faults of a run; returns the function that ends all of them. */
export function planFaults(world: World, chance: Chance): () => void {
  const { scheduler, trace, faults } = world;
  const ends: (() => void)[] = [];
  const possible = faultsOf(world, chance);
  if (chance.int(100) < CALM) return () => {};
  world.leaving.perCent = chance.pick([0, 0, 12, 60]);
  if (world.leaving.perCent > 0) faults.add('leaving');
  for (let count = chance.int(4); count >= 0; count -= 1) {
    const { kind, begin } = chance.pick(possible);
    faults.add(kind);
    scheduler.after(chance.between(0, BEGIN_MS), () => {
      if (world.isEnding()) return;
      trace.add(`fault: ${kind}`);
      const end = begin(world, chance);
      ends.push(end);
      scheduler.after(chance.between(...LAST_MS), () => {
        trace.add(`fault ends: ${kind}`);
        end();
      });
    });
  }
  return () => {
    for (const end of ends) end();
  };
}
