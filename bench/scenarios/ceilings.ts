import { join } from 'node:path';
import type { EmbeddedServer } from '../../adapters/postgres/embedded/launcher.js';
import { createLedger } from '../../adapters/postgres/ledger/ledger.js';
import { SETTLING_CONNECTIONS } from '../../adapters/postgres/ledger/post.js';
import { connect, type Sql } from '../../adapters/postgres/sql.js';
import { openRedis } from '../../adapters/redis/link.js';
import { createRedisRateLimiter } from '../../adapters/redis/rate-limiter.js';
import type { Ledger } from '../../src/ports/ledger.js';
import type { Charge } from '../contestants/plain-charges.js';
import { alternate, type Line, median, type Section, spread } from '../figures.js';
import { startRedis } from '../processes/redis.js';
import type { Furnished, Workbench } from '../workbench.js';
import { type Costs, openCostMeter } from './costs.js';
import { chargeInTurn, openWallets } from './ledger/charges.js';

/** Debits waiting at a time on all nodes together: very many, or as many as the connections of A to D. */
const MANY = 512;
const FEW = 32;

interface Crowd {
  readonly name: string;
  readonly callers: number;
  readonly nodes: number;
  readonly wallets: number;
  /** Whether all calls of an account go to the same node. */
  readonly sticky?: boolean;
}

const CROWDS: readonly Crowd[] = [
  { name: 'one node, 100 wallets', callers: MANY, nodes: 1, wallets: 100 },
  { name: 'four nodes, all of the same 100', callers: MANY, nodes: 4, wallets: 100 },
  { name: 'four nodes, 25 each', callers: MANY, nodes: 4, wallets: 100, sticky: true },
  { name: 'one node, one wallet', callers: MANY, nodes: 1, wallets: 1 },
  { name: 'four nodes, one wallet', callers: MANY, nodes: 4, wallets: 1 },
  { name: 'one node, 100 wallets, 32 callers', callers: FEW, nodes: 1, wallets: 100 },
  { name: 'two nodes, all of the same 100, 32 callers', callers: FEW, nodes: 2, wallets: 100 },
  { name: 'one node, one wallet, 32 callers', callers: FEW, nodes: 1, wallets: 1 },
  { name: 'two nodes, one wallet, 32 callers', callers: FEW, nodes: 2, wallets: 1 },
];

interface Round extends Costs {
  readonly perSecond: number;
}

/** The cost of a commit of debits, alone and while other nodes commit: a ledger per node, all in this process. */
export async function ledgerCeiling(bench: Workbench, home: Furnished, server: EmbeddedServer): Promise<Section> {
  const { rounds, seconds } = bench.options;
  const pools = Array.from({ length: 4 }, () =>
    connect(server.connection, { max: SETTLING_CONNECTIONS, name: 'bench node' }),
  );
  const meter = await openCostMeter(home, server, 'all');
  try {
    const debits = await openWallets(pools[0] as Sql);
    const ledgers = pools.map((sql) => createLedger(sql));
    const roundOf = async ({ callers, nodes, wallets, sticky = false }: Crowd): Promise<Round> => {
      const some = debits.slice(0, wallets);
      const charge = chargeBy(ledgers.slice(0, nodes), sticky ? some.map((debit) => debit().walletId) : null);
      const { result, costs } = await meter.of({ pid: process.pid, redis: null }, () =>
        chargeInTurn(charge, some, callers, seconds),
      );
      return { ...costs, perSecond: result.perSecond };
    };
    const figures = await alternate(
      CROWDS.map((crowd) => ({ name: crowd.name, round: () => roundOf(crowd) })),
      rounds,
      (text) => bench.say(`I  ledger, ${text}`),
    );
    return {
      letter: 'I',
      title: `the ledger by itself, ${MANY} callers at a time`,
      lines: [...figures].map(([name, all]) => ({
        name,
        unit: 'charges/s',
        value: spread(all.map(({ perSecond }) => perSecond)),
      })),
      notes: ledgerNotes(figures),
    };
  } finally {
    await Promise.all([meter.close(), ...pools.map((sql) => sql.end({ timeout: 1 }))]);
  }
}

/** Calls go to the nodes in turn, or by their wallet. */
function chargeBy(ledgers: readonly Ledger[], sticky: readonly string[] | null): Charge {
  let turn = 0;
  return async (debit) => {
    turn += 1;
    const node = sticky ? sticky.indexOf(debit.walletId) : turn;
    const posted = await (ledgers[node % ledgers.length] as Ledger).post(debit);
    if (!posted.ok) throw new Error('a debit was refused');
  };
}

function ledgerNotes(figures: ReadonlyMap<string, readonly Round[]>): string[] {
  const each = (what: string, digits: number, of: (round: Round) => number): string =>
    `${what}: ${[...figures].map(([name, rounds]) => `${name} ${median(rounds.map(of)).toFixed(digits)}`).join('; ')}`;
  return [
    each('debits per commit', 0, ({ entries, commits }) => entries / commits),
    each('commits per second', 0, ({ commits, entries, perSecond }) => (commits * perSecond) / entries),
    each('bytes of WAL per debit', 0, ({ walBytes, entries }) => walBytes / entries),
    each('bytes of table and indexes per debit', 0, ({ ledgerBytes, entries }) => ledgerBytes / entries),
    each('processor time of Postgres per debit, µs', 1, ({ postgresCpu, entries }) => (postgresCpu * 1e6) / entries),
    each('of the callers, µs', 1, ({ perchCpu, entries }) => (perchCpu * 1e6) / entries),
  ];
}

/** Numbers of rate decisions that share one write to Redis. */
const TOGETHER = [1, 16, 128] as const;
const ACCOUNTS = 1000;
const DECISIONS = 25_600;

/** What the script that every request runs costs Redis, by how many are sent together. */
export async function limiterCeiling(bench: Workbench): Promise<Section> {
  const redis = await startRedis(join(bench.folder, 'redis-limiter'));
  const quiet = { info: () => {}, warn: () => {} };
  const link = await openRedis([redis.url], { log: quiet, clock: { now: Date.now }, deadlineMs: 10_000 });
  const unused = { take: () => Promise.reject(new Error('Redis went away')) };
  const limiter = createRedisRateLimiter({ link, nodes: { count: () => 1 }, local: unused });
  const roundOf = async (together: number): Promise<number> => {
    const before = await redis.counts();
    for (let taken = 0; taken < DECISIONS; taken += together) {
      const takes = Array.from({ length: together }, (_, n) => limiter.take(`account:${(taken + n) % ACCOUNTS}`, 1000));
      await Promise.all(takes);
    }
    const after = await redis.counts();
    return ((after.cpuSeconds - before.cpuSeconds) * 1e6) / DECISIONS;
  };
  try {
    const figures = await alternate(
      TOGETHER.map((together) => ({ name: `${together} in a write`, round: () => roundOf(together) })),
      bench.options.rounds,
      (text) => bench.say(`I  rate decisions, ${text}`),
    );
    const lines = [...figures].map(
      ([name, micros]): Line => ({ name, unit: 'µs of Redis each', value: spread(micros) }),
    );
    return { letter: 'I', title: `rate decisions by themselves, ${ACCOUNTS} accounts`, lines, notes: [] };
  } finally {
    await link.close();
    await redis.stop();
  }
}
