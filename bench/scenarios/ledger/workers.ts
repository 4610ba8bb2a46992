import { randomBytes } from 'node:crypto';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import { SETTLING_CONNECTIONS } from '../../../adapters/postgres/ledger/post.js';
import { migrate } from '../../../adapters/postgres/migrate.js';
import { readShards } from '../../../adapters/postgres/shards/shards.js';
import { connect, type Target } from '../../../adapters/postgres/sql.js';
import { CITUS_URL, freshCitus, serversOf, withAdmin } from '../../../test/kit/postgres/citus-database.js';
import { alternate, type Contestant, type Line, ratioOf, type Section, spread } from '../../figures.js';
import type { CallersResult } from '../../load/callers.js';
import { SCENARIOS } from '../../options.js';
import type { Workbench } from '../../workbench.js';
import { chargeBy, chargeInTurn, openWallets } from './charges.js';

const CALLERS = [256, 2_000] as const;

/** Q: charges over the workers of Citus, compared with a plain database on one of these servers, same settings. */
export async function overWorkers(bench: Workbench): Promise<Section[]> {
  if (!bench.options.letters.includes('Q')) return [];
  if (CITUS_URL === undefined) throw new Error('Q needs TEST_CITUS_URL, the address of a coordinator with workers');
  const spreadOut = await freshCitus();
  const alone = await databaseOn(spreadOut.workers[0] ?? '');
  try {
    return await compare(bench, { alone: alone.target, spreadOut: spreadOut.target });
  } finally {
    await alone.drop();
    await spreadOut.drop();
  }
}

/** A database of the same server without the extension. */
async function databaseOn(worker: string): Promise<{ readonly target: Target; readonly drop: () => Promise<void> }> {
  const name = `perch_bench_${randomBytes(5).toString('hex')}`;
  const url = new URL(worker);
  await withAdmin(worker, (admin) => admin`create database ${admin(name)}`);
  url.pathname = name;
  const target = { url: url.href };
  await withAdmin(target.url, migrate);
  const drop = () => withAdmin(worker, async (admin) => void (await admin`drop database ${admin(name)} with (force)`));
  return { target, drop };
}

async function compare(bench: Workbench, at: Readonly<Record<'alone' | 'spreadOut', Target>>): Promise<Section[]> {
  const { rounds, seconds } = bench.options;
  const open = async (target: Target, name: string) => {
    const sql = connect(target, { max: 4 });
    const shards = await readShards(sql);
    const max = SETTLING_CONNECTIONS * (shards?.count ?? 1);
    const settling = connect(target, { max });
    const servers = shards && serversOf(target, settling, max);
    await servers?.look();
    const charge = chargeBy(createLedger(sql, { settling, shards, servers }).post);
    const debits = await openWallets(sql);
    return {
      contestant: (callers: number): Contestant<CallersResult> => ({
        name,
        round: () => chargeInTurn(charge, debits, callers, seconds),
      }),
      end: () => Promise.all([sql, settling, servers].map((pool) => pool?.end({ timeout: 1 }))),
    };
  };
  const one = await open(at.alone, 'one server');
  const workers = await open(at.spreadOut, 'over the workers');
  try {
    const sections: Section[] = [];
    for (const callers of CALLERS) {
      const contestants = [one, workers].map(({ contestant }) => contestant(callers));
      const figures = await alternate(contestants, rounds, (text) => bench.say(`Q  ${callers} callers, ${text}`));
      const rates = [...figures.values()].map((all) => all.map(({ perSecond }) => perSecond));
      const lines = [...figures.keys()].map(
        (name, nth): Line => ({
          ...{ name, unit: 'charges/s', value: spread(rates[nth] ?? []) },
          ...(nth > 0 && { ratio: ratioOf(rates[nth] ?? [], rates[0] ?? [], 'one server') }),
          ...(nth > 0 && callers === 2_000 && { goal: '≥ 1.1' }),
        }),
      );
      sections.push({ letter: 'Q', title: `${SCENARIOS.Q.split(' (')[0]}, ${callers} callers`, lines, notes: [] });
    }
    return sections;
  } finally {
    await Promise.all([one.end(), workers.end()]);
  }
}
