import { Chance } from '../../../../demo/random.js';
import { hashKey, keyPrefix, mintKey } from '../../../../src/access/key.js';
import type { Customer } from './call.js';
import { runClient, rush, watchDeletion } from './client.js';
import { Database } from './database.js';
import { openDatabase } from './database-client.js';
import { planFaults } from './faults.js';
import { INVARIANTS } from './invariants.js';
import { openNetwork } from './network.js';
import { openNode, type SimulatedNode } from './node.js';
import { openRedis } from './redis-client.js';
import { RedisServer } from './redis-server.js';
import { Scheduler } from './scheduler.js';
import { Trace } from './trace.js';
import { addWatches, openWatches, settleWatches } from './watches.js';
import { type Host, type Station, Wire } from './wire.js';
import { type FaultKind, SECRETS, START_MS, type World } from './world.js';

const MOST_EVENTS = 100_000;
/** Time after the last client, for charges that are still being posted. */
const SETTLE_MS = 1_500;
const LOOK_MS = 250;

export interface RunResult {
  readonly seed: number;
  /** Hashes everything that happened, with times and results. */
  readonly hash: string;
  /** Hashes the order of events, which identifies the interleaving. */
  readonly order: string;
  readonly events: number;
  readonly violations: readonly string[];
  readonly lines: readonly string[];
  readonly calls: number;
  readonly answered: number;
  readonly faults: readonly FaultKind[];
}

/** Runs one simulation, which depends on nothing but its seed. */
export async function simulate(seed: number, { isTraced = false } = {}): Promise<RunResult> {
  const scheduler = new Scheduler();
  const trace = new Trace({ now: scheduler.now, isKept: isTraced });
  const { world, customers, chance } = openWorld(seed, scheduler, trace);
  let isDone = false;
  let failure: unknown;
  act(world, customers, chance)
    .catch((error: unknown) => {
      failure = error;
    })
    .finally(() => {
      isDone = true;
    });
  await scheduler.run(() => isDone, MOST_EVENTS);
  for (const { host } of world.nodes.values()) host.isAlive = false;
  if (failure !== undefined) throw failure;
  if (!isDone) throw new Error(`nothing more happens at ${scheduler.now()} ms, but clients are waiting`);
  const violations = INVARIANTS.flatMap(({ name, check }) => check(world).map((what) => `${name}: ${what}`));
  const { calls, faults } = world;
  const answered = calls.filter(({ result }) => result?.kind === 'answer').length;
  const { hash, order, events, lines } = trace;
  return { seed, hash, order, events, violations, lines, calls: calls.length, answered, faults: [...faults] };
}

/** Opens the nodes, starts clients and faults, and waits until all is quiet. */
async function act(world: World, customers: readonly Customer[], chance: Chance): Promise<void> {
  const { scheduler, names, calls } = world;
  const watched = chance.fork('watches');
  if (watched.int(3) === 0) world.watches = openWatches(world, watched);
  await Promise.all(names.map((name) => world.start(name)));
  if (world.watches !== null) await addWatches(world, world.watches, watched);
  const endFaults = planFaults(world, chance.fork('faults'));
  const deleting = chance.fork('deletions');
  if (deleting.int(2) === 0) planDeletions(world, deleting);
  const revoking = chance.fork('revocation');
  if (revoking.int(2) === 0) planRevocation(world, customers, revoking);
  const clients = customers.map((customer, nth) => {
    const own = chance.fork(`client ${nth}`);
    return runClient(world, { name: `client${nth}`, customer, chance: own, tasks: 1 + own.int(3) });
  });
  const rushing = chance.fork('rush');
  // Debits of several shards at the same time are what the queues must keep apart.
  const isDistributed = world.databaseLink.shards.stations.length > 0;
  if (rushing.int(5) === 0 || isDistributed) clients.push(rush(world, customers, rushing));
  const watching = chance.fork('watching');
  if (watching.int(5) === 0) clients.push(watchDeletion(world, customers, watching));
  await Promise.all(clients);
  world.end();
  endFaults();
  const isOpen = () => calls.some(({ host, result }) => host.isAlive && result === undefined);
  while (isOpen()) await scheduler.wait(LOOK_MS);
  await scheduler.wait(SETTLE_MS);
  if (world.watches !== null) await settleWatches(world, world.watches);
}

function planDeletions({ scheduler, network, remove }: World, chance: Chance): void {
  for (let count = 1 + chance.int(3); count > 0; count -= 1) {
    const id = chance.pick(network.tweets);
    scheduler.after(chance.between(0, 8_000), () => remove(id));
  }
}

function planRevocation({ scheduler, database, trace }: World, customers: readonly Customer[], chance: Chance): void {
  const { keyId } = chance.pick(customers);
  scheduler.after(chance.between(0, 6_000), () => {
    trace.add('a key is revoked');
    database.revoke(keyId);
  });
}

const broken = (code: string, message: string) => (): Error => Object.assign(new Error(message), { code });

const stationOf = (
  name: string,
  delayMs: readonly [number, number],
  isOrdered: boolean,
  refused: () => Error,
): Station => ({
  ...{ name, delayMs, isOrdered, refused },
  lost: { there: 0, back: 0 },
  slow: { perMille: 0, ms: [0, 0] },
  isDown: false,
  broken: name.startsWith('shard') ? refused : broken('CONNECTION_CLOSED', 'the connection was lost'),
});

function openWorld(seed: number, scheduler: Scheduler, trace: Trace) {
  const chance = new Chance(seed);
  const wire = new Wire({ scheduler, trace, chance: chance.fork('wire') });
  const serverClock = { now: () => START_MS + scheduler.now() };
  const redisStation = stationOf('redis', [0.1, 3], true, broken('ECONNREFUSED', 'Redis is down'));
  const databaseStation = stationOf('database', [0.2, 8], false, broken('ECONNREFUSED', 'the database is down'));
  const networkStation = stationOf('network', [5, 250], false, broken('ECONNREFUSED', 'the network is down'));
  const database = new Database(serverClock);
  const sharding = chance.fork('shards');
  const shards = Array.from({ length: sharding.int(3) === 0 ? 2 + sharding.int(2) : 0 }, (_, nth) =>
    // The error of Citus for a server that is away or whose answer was lost.
    stationOf(`shard ${nth}`, [0.1, 2], false, broken('08006', 'the connection to the remote node was lost')),
  );
  const shaping = chance.fork('shape');
  const pace = { fast: shaping.pick([null, 4, 20, 100]), slow: shaping.pick([null, 1, 4, 30]) };
  const lists = { followers: 6 + shaping.int(30), tweets: 5 + shaping.int(25), pageSize: 3 + shaping.int(8) };
  const names = ['a', 'b', 'c'].slice(0, 2 + shaping.int(2));
  const deaths = new Map<Host, (() => void)[]>();
  let [ids, isEnding] = [0, false];
  const world: World = {
    ...{ scheduler, trace, wire, chance, database, names, databaseClock: serverClock },
    databaseLink: openDatabase(database, databaseStation, wire, shards),
    redis: openRedis(new RedisServer(serverClock), redisStation, wire),
    network: openNetwork({ ...lists, pace }, networkStation),
    nodes: new Map(),
    watches: null,
    ...{
      faults: new Set(),
      leaving: { perCent: 0 },
      calls: [],
      reads: [],
      deletions: [],
      chains: [],
      removed: new Map(),
    },
    remove(id) {
      trace.add(`tweet ${id} is deleted`);
      world.network.script.remove(id);
      if (!world.removed.has(id)) world.removed.set(id, scheduler.now());
    },
    nextId: () => idOf(START_MS + Math.floor(scheduler.now()), ids++),
    onDeath: (host, then) => deaths.get(host)?.push(then),
    start: (name) => start(name),
    killAfter: (host, moves) => left.set(host, moves),
    isEnding: () => isEnding,
    end: () => {
      isEnding = true;
      left.clear();
    },
  };
  const starting = chance.fork('starts');
  let born = 0;
  async function start(name: string): Promise<void> {
    const host: Host = { name: `${name}${born++}`, isAlive: true };
    deaths.set(host, []);
    const skewMs = shaping.int(4) === 0 ? starting.int(1_000) - 500 : 0;
    const node: SimulatedNode = await openNode(world, host, skewMs);
    trace.add(`${host.name} has started`);
    world.nodes.set(name, node);
  }
  const left = new Map<Host, number>();
  wire.onMove = (host) => {
    const moves = left.get(host);
    if (moves === undefined || !host.isAlive) return;
    left.set(host, moves - 1);
    if (moves > 0) return;
    trace.add(`${host.name} dies`);
    host.isAlive = false;
    const name = host.name.charAt(0);
    world.nodes.delete(name);
    for (const notify of deaths.get(host) ?? []) notify();
    scheduler.after(starting.between(200, 3_000), () => void start(name));
  };
  const fewest = shards.length > 0 ? 2 : 1;
  return { world, customers: openCustomers(database, chance.fork('customers'), fewest), chance };
}

/** A UUID of version 7, ordered by time. */
function idOf(atMs: number, nth: number): string {
  const time = atMs.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${nth.toString(16).padStart(12, '0')}`;
}

/** One to three accounts with one or two keys each; some have few credits, or a cap. */
function openCustomers(database: Database, chance: Chance, fewest: number): Customer[] {
  const customers: Customer[] = [];
  const wallets = fewest + chance.int(2);
  for (let nth = 0; nth < wallets; nth += 1) {
    const [accountId, walletId] = [`0000000${nth}-0000-4000-8000-00000000000a`, `wallet ${nth}`];
    database.addWallet(accountId, walletId, chance.pick([3_000, 12_000, 60_000, 1_000_000]));
    for (let keys = 1 + chance.int(2); keys > 0; keys -= 1) {
      const key = mintKey((length) => Uint8Array.from({ length }, () => chance.int(248)));
      const keyId = `key ${customers.length}`;
      const hashHex = hashKey(key, SECRETS.pepper).toString('hex');
      const cap = chance.int(4) === 0 ? chance.int(10_000) : null;
      database.addKey({ keyId, walletId, prefix: keyPrefix(key), hashHex, cap, qps: 50 });
      customers.push({ accountId, walletId, keyId, key });
    }
  }
  return customers;
}
