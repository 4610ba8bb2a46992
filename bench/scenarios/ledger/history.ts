import { join } from 'node:path';
import { v7 } from 'uuid';
import { openEmbeddedPostgres } from '../../../adapters/postgres/embedded/launcher.js';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import { SETTLING_CONNECTIONS } from '../../../adapters/postgres/ledger/post.js';
import { QUERY_CONNECTIONS, QueryLimiter } from '../../../adapters/postgres/ledger/query-limiter.js';
import { migrate } from '../../../adapters/postgres/migrate.js';
import { Replica } from '../../../adapters/postgres/replica.js';
import { connect, type Sql } from '../../../adapters/postgres/sql.js';
import type { Ledger } from '../../../src/ports/ledger.js';
import { alternate, type Line, ratioOf, type Section, spread } from '../../figures.js';
import { type CallersResult, keepCalling } from '../../load/callers.js';
import { SCENARIOS } from '../../options.js';
import { postmasterOf } from '../../processes/perch.js';
import { copyData, keepOnCore, startReplica } from '../../processes/replica.js';
import type { Workbench } from '../../workbench.js';
import { type NewDebit, openWallets } from './charges.js';

const CALLERS = 32;
/** One account for each connection that asks. */
const QUERYING = QUERY_CONNECTIONS;
/** Debits of each account that are not summed up yet. A query over them takes about a second of a core. */
const DEBITS = 200_000;
/** The core of the primary and the charging callers, and that of the replica. */
const [CORE, OTHER_CORE] = [0, 1];

/** P: charges while others query usage, on the replica or on the primary. */
export async function historyBeside(bench: Workbench): Promise<Section[]> {
  if (!bench.options.letters.includes('P')) return [];
  const homes = { primary: join(bench.folder, 'history'), replica: join(bench.folder, 'history-replica') };
  const filled = await openEmbeddedPostgres({ home: homes.primary });
  const debits = await fill(connect(filled.connection, { max: 4 }));
  await filled.stop();
  await copyData(homes.primary, homes.replica);
  const primary = await openEmbeddedPostgres({ home: homes.primary });
  const ends: (() => Promise<unknown>)[] = [() => primary.stop()];
  try {
    const standby = await startReplica(homes.replica, primary.connection);
    ends.push(() => standby.stop());
    await keepOnCore(CORE, await postmasterOf({ folder: homes.primary }));
    await keepOnCore(OTHER_CORE, standby.pid);
    await keepOnCore(CORE, process.pid);
    const [sql, settling, queries] = [4, SETTLING_CONNECTIONS, QUERYING].map((max) =>
      connect(primary.connection, { max }),
    );
    const [pool, looks] = [QUERYING, 1].map((max) => connect(standby.connection, { max }));
    if (!sql || !settling || !queries || !pool || !looks) throw new Error('a pool is missing');
    ends.push(...[sql, settling, queries, pool, looks].map((each) => () => each.end({ timeout: 1 })));
    const replica = new Replica({ pool, looks, primary: sql });
    const ledgers = {
      replica: createLedger(sql, { settling, queries: new QueryLimiter(queries, {}, replica) }),
      primary: createLedger(sql, { settling, queries: new QueryLimiter(queries) }),
    };
    return [await compare(bench, ledgers, debits)];
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/** Creates wallets, the first of which have many debits that are not summed up. */
async function fill(sql: Sql): Promise<NewDebit[]> {
  await migrate(sql);
  const debits = await openWallets(sql);
  const accounts = debits.slice(0, QUERYING).map((debit) => debit().accountId);
  await sql`
    insert into debits (account_id, request_id, seq, amount_thousandths, balance_after, at, key_number, items, cache_hits,
      operation, lines)
    select account_id, overlay(gen_random_uuid()::text placing left(first_id_at(now())::text, 15) from 1)::uuid, n, 500, 500,
      now(), key_number, 1, 1, 'operation' || n % 50, ' profile hit 1 500'
    from wallets join keys using (account_id), generate_series(1, ${DEBITS}) n where account_id = any(${accounts}::text[]::uuid[])`;
  await sql`vacuum (analyze) debits`;
  await sql.end();
  return debits;
}

async function compare(
  bench: Workbench,
  ledgers: { readonly replica: Ledger; readonly primary: Ledger },
  debits: readonly NewDebit[],
): Promise<Section> {
  const answered = { replica: 0, elsewhere: 0 };
  const charging = debits.slice(QUERYING);
  const accounts = debits.slice(0, QUERYING).map((debit) => debit().accountId);
  const seconds = bench.options.seconds;
  const charge = async (turn: number): Promise<void> => {
    const debit = charging[turn % charging.length] as NewDebit;
    if (!(await ledgers.primary.post({ ...debit(), requestId: v7() })).ok) throw new Error('a debit was refused');
  };
  const query = async (ledger: Ledger, accountId: string): Promise<void> => {
    const range = { from: '2026-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' };
    const { asOf } = await ledger.usage(accountId, { ...range, group: ['day', 'endpoint', 'key'], limit: 1_000 });
    answered[asOf === undefined ? 'elsewhere' : 'replica'] += 1;
  };
  const round = (of: Ledger | null) => async (): Promise<CallersResult> => {
    let isOver = false;
    const querying = accounts.map(async (accountId) => {
      // A query that times out is sent again, as a customer would do.
      while (!isOver && of !== null) await query(of, accountId).catch(() => {});
    });
    const result = await keepCalling(CALLERS, seconds, charge);
    isOver = true;
    await Promise.all(querying);
    return result;
  };
  const [alone, beside, same] = ['charges alone', 'beside queries on the replica', 'beside queries on the primary'];
  const contestants = [
    { name: alone ?? '', round: round(null) },
    { name: beside ?? '', round: round(ledgers.replica) },
    { name: same ?? '', round: round(ledgers.primary) },
  ];
  const figures = await alternate(contestants, bench.options.rounds, (text) => bench.say(`P  ${text}`));
  const quiet = figures.get(alone ?? '') ?? [];
  const p99Of = (rounds: readonly CallersResult[]): number[] => rounds.map(({ p99Ms }) => p99Ms);
  const lines = [...figures].flatMap(([name, rounds]): Line[] => [
    { name, unit: 'charges/s', value: spread(rounds.map(({ perSecond }) => perSecond)) },
    {
      ...{ name: `${name}: p99`, unit: 'ms', value: spread(p99Of(rounds)) },
      ...(rounds !== quiet && { ratio: ratioOf(p99Of(rounds), p99Of(quiet), `that of ${alone}`) }),
      ...(name === beside && { goal: '≤ 1.2 times' }),
    },
  ]);
  const notes = [
    `${CALLERS} callers; ${QUERYING} accounts ask for their usage all the time, each of ${DEBITS.toLocaleString('en')} debits that are not summed up`,
    'the primary and those who charge have one core, the replica the other, as if it were another machine',
    `${answered.replica} queries were answered by the replica, ${answered.elsewhere} by the primary`,
  ];
  return { letter: 'P', title: SCENARIOS.P.split(' (')[0] ?? '', lines, notes };
}
