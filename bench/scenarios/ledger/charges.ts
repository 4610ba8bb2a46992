import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { openEmbeddedPostgres } from '../../../adapters/postgres/embedded/launcher.js';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import { connect, type Sql } from '../../../adapters/postgres/sql.js';
import type { Debit, Ledger } from '../../../src/ports/ledger.js';
import { postByStatement } from '../../contestants/one-statement.js';
import {
  type Charge,
  chargeInOneStatement,
  chargeInTransaction,
  openPlainTables,
  PLAIN_CONNECTIONS,
} from '../../contestants/plain-charges.js';
import { alternate, type Contestant, type Line, ratioOf, type Section, spread } from '../../figures.js';
import { keepCalling } from '../../load/callers.js';
import { SCENARIOS } from '../../options.js';
import { postmasterOf } from '../../processes/perch.js';
import { familyCpuSeconds } from '../../processes/usage.js';
import type { Workbench } from '../../workbench.js';
import { costsOf, counted, type Round } from '../rounds.js';

const WALLETS = 100;
const CREDITS = 1_000_000_000_000;
/** Requests that wait for their charge at once: one, the connections of A to D, a busy service, two full flushes. */
const CALLERS = [1, 32, 256, 1_000] as const;

/** E: our ledger compared with the plain way, on the same Postgres with fsync on. */
export async function durableCharges(bench: Workbench): Promise<Section[]> {
  if (!bench.options.letters.includes('E')) return [];
  const server = await openEmbeddedPostgres({ home: (await bench.small()).folder });
  const sql = connect(server.connection);
  const plain = connect(server.connection, { max: PLAIN_CONNECTIONS, name: 'plain charges' });
  try {
    const debits = await openWallets(sql);
    await openPlainTables(
      plain,
      debits.map((debit) => debit()),
    );
    const sections: Section[] = [];
    const postmaster = await postmasterOf(await bench.small());
    for (const callers of CALLERS) sections.push(await compare(bench, { sql, plain, debits, callers, postmaster }));
    sections.push(await compareFunction(bench, { sql, debits, postmaster }));
    return sections;
  } finally {
    await Promise.all([sql.end({ timeout: 1 }), plain.end({ timeout: 1 })]);
    await server.stop();
  }
}

export type NewDebit = () => Debit;

/** Accounts with a wallet, a key and credits each; gives a maker of debits for each. */
export async function openWallets(sql: Sql): Promise<NewDebit[]> {
  const accounts = createAccounts(sql);
  const ledger = createLedger(sql);
  return Promise.all(
    Array.from({ length: WALLETS }, async () => {
      const account = await accounts.create({ name: 'charges', email: null, paidUsd: 0, qpsOverride: null });
      const { accountId } = account;
      const hash = randomBytes(32);
      const { keyId } = await accounts.addKey({
        accountId,
        hash,
        prefix: 'perch_live_bench0',
        name: 'charges',
        cap: null,
      });
      const [found] = await accounts.findKeys([hash]);
      const uncapped = found?.state === 'live' ? found.caller.uncapped : null;
      await ledger.grant({ requestId: v7(), accountId, amount: CREDITS, reason: 'charges' });
      const line = { path: 'data', unit: 'profile', cache: 'hit', items: 1, unitPrice: 500 } as const;
      const rest = { operation: 'user', amount: 500, items: 1, cacheHits: 1, lines: [line] };
      return () => ({ requestId: v7(), ...account, keyId, uncapped, ...rest });
    }),
  );
}

interface Arena {
  readonly sql: Sql;
  readonly plain: Sql;
  readonly debits: readonly NewDebit[];
  readonly callers: number;
  readonly postmaster: number;
}

export const chargeBy =
  (post: Ledger['post']): Charge =>
  async (debit) => {
    if (!(await post(debit)).ok) throw new Error('a debit was refused');
  };

async function compare(bench: Workbench, { sql, plain, debits, callers, postmaster }: Arena): Promise<Section> {
  const { rounds, seconds } = bench.options;
  const ledger = createLedger(sql);
  const ours = chargeBy(ledger.post);
  const hot = debits.slice(0, 1);
  const contestant = (name: string, wallets: readonly NewDebit[], charge: Charge): Contestant<Round> => ({
    name,
    round: () =>
      counted({ server: process.pid, postmaster }, async () => ({
        ...(await chargeInTurn(charge, wallets, callers, seconds)),
        generatorBusy: 0,
      })),
  });
  const contestants = [
    contestant('ledger.post, 100 wallets', debits, ours),
    contestant('UPDATE … RETURNING + INSERT as one statement, 100 wallets', debits, chargeInOneStatement(plain)),
    contestant('the same as BEGIN … COMMIT, 100 wallets', debits, chargeInTransaction(plain)),
    contestant('ledger.post, one hot wallet', hot, ours),
    contestant('one statement, one hot wallet', hot, chargeInOneStatement(plain)),
  ];
  const figures = await alternate(contestants, rounds, (text) => bench.say(`E  ${callers} callers, ${text}`));
  const { entries, faults } = await ledger.check();
  return {
    letter: 'E',
    title: `${SCENARIOS.E}, ${callers === 1 ? 'one caller' : `${callers} callers`} at a time`,
    lines: linesOf(contestants, figures, callers === 1),
    notes: [
      'the callers are in the same process, which is what CPU µs counts',
      `ledger check: ${entries.toLocaleString('en')} entries, ${faults.length === 0 ? 'nothing wrong' : `${faults.length} FAULTS`}`,
    ],
  };
}

/** The cost of a database function, compared with the statement that it consists of. */
async function compareFunction(
  bench: Workbench,
  { sql, debits, postmaster }: Pick<Arena, 'sql' | 'debits' | 'postmaster'>,
): Promise<Section> {
  const { rounds, seconds } = bench.options;
  const ways = { function: chargeBy(createLedger(sql).post), statement: chargeBy(postByStatement(sql)) };
  const lines: Line[] = [];
  for (const callers of CALLERS) {
    const contestants = Object.entries(ways).map(
      ([name, charge]): Contestant<number> => ({
        name,
        round: async () => {
          const before = await familyCpuSeconds(postmaster);
          const { answers } = await chargeInTurn(charge, debits, callers, seconds);
          return ((await familyCpuSeconds(postmaster)) - before) * (1e6 / answers);
        },
      }),
    );
    const figures = await alternate(contestants, rounds, (text) => bench.say(`E  ${callers} callers, ${text}`));
    const [ours = [], theirs = []] = figures.values();
    lines.push({
      name: `ledger.post, ${callers === 1 ? 'one caller' : `${callers} callers`}`,
      unit: 'µs of Postgres a charge',
      value: spread(ours),
      ratio: ratioOf(ours, theirs, 'the function to the statement'),
      goal: '≤ 1.2',
    });
  }
  return { letter: 'E', title: `${SCENARIOS.E}, posted by a function of the database`, lines, notes: [] };
}

function linesOf(
  contestants: readonly Contestant<Round>[],
  figures: ReadonlyMap<string, readonly Round[]>,
  isAlone: boolean,
): Line[] {
  const rounds = contestants.map(({ name }) => figures.get(name) ?? []);
  const rates = rounds.map((all) => all.map(({ perSecond }) => perSecond));
  const [spreadOut = [], one = [], many = [], hot = [], hotOne = []] = rates;
  const ratios = [
    undefined,
    ratioOf(spreadOut, one, 'ours to it'),
    ratioOf(spreadOut, many, 'ours to it'),
    ratioOf(hot, spreadOut, 'ours over 100'),
    ratioOf(hot, hotOne, 'ours to it'),
  ];
  // A single charge at a time does not share its commit.
  const goals = isAlone ? [] : [undefined, '≥ 8', '≥ 8', '≥ 1', undefined];
  return contestants.map(({ name }, index): Line => {
    const ratio = ratios[index];
    const goal = goals[index];
    const [value, costs] = [spread(rates[index] ?? []), costsOf(rounds[index] ?? [])];
    return { name, unit: 'charges/s', value, costs, ...(ratio && { ratio }), ...(goal && { goal }) };
  });
}

/** Runs callers that each charge the next wallet as soon as their previous charge is durable. */
export const chargeInTurn = (charge: Charge, wallets: readonly NewDebit[], callers: number, seconds: number) =>
  keepCalling(callers, seconds, (turn) => charge((wallets[turn % wallets.length] as NewDebit)()));
