import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TransactionSql } from 'postgres';
import { type Attack, flood, graphql, mcpTool, type Stage } from '../support/attack.js';
import type { Answer, Sent } from '../support/client.js';
import { type Account, type Service, spendMany } from '../support/service.js';

/** Another database connection holds a row for this long. */
const LOCKED_MS = 4000;
const CHARGES = 150_000;
const CACHED = 'person_1';
/** Letters and digits, as a name must be; no compression shortens it. */
const name = (length: number): string => `a${randomBytes(length).toString('hex')}`.slice(0, length);

/** Reads of an account whose row is locked. They may wait and be refused; the reads of others may not. */
const locked = (what: string, lock: (sql: TransactionSql, account: Account) => Promise<unknown>): Attack => {
  let account: Account;
  return {
    name: `paid reads while the ${what} is locked in the database for ${LOCKED_MS / 1000} s`,
    over: 'all',
    keyed: true,
    prepare: async ({ service, send }) => {
      account = await service.account({ cap: 900 });
      await send({ path: `/v1/users/${CACHED}`, key: account.key });
    },
    strike: async (stage) => {
      const holding = stage.service.sql.begin(async (sql) => {
        await lock(sql, account);
        await sleep(LOCKED_MS);
      });
      await sleep(200);
      const ways: Sent[] = [
        { path: `/v1/users/${CACHED}` },
        graphql(`{ user(handle: "${CACHED}") { id } }`),
        mcpTool('get_user', { handle: CACHED }),
      ];
      const answers = await flood(stage, { total: 30, width: 30 }, (n) => ({
        ...ways[n % 3],
        path: ways[n % 3]?.path ?? '/',
        key: account.key,
      }));
      await holding;
      return answers;
    },
    expected: { statuses: [200, 503], free: true },
    memoryMb: 10,
    faults: async ({ service }) => ledgerFaults(service.sql, account),
  };
};

/** Compares what a wallet's rows say with its ledger. */
async function ledgerFaults(sql: Stage['service']['sql'], { accountId }: Account): Promise<string[]> {
  const [row] = await sql<{ noted: number; summed: number }[]>`
    select balance_thousandths as noted, (
      select sum(case when kind in ('debit', 'reversal') then -amount_thousandths else amount_thousandths end)
      from ledger_entries e where e.account_id = w.account_id
    ) as summed from wallets w where account_id = ${accountId}`;
  return Number(row?.noted) === Number(row?.summed)
    ? []
    : [`the wallet holds ${row?.noted}, its ledger ${row?.summed}`];
}

const USAGE: readonly Sent[] = [
  { path: '/v1/usage?group=day,endpoint,key' },
  graphql('{ usage(group: "day,endpoint,key") { day endpoint requests } }'),
  graphql('{ me { usage(group: "endpoint") { endpoint requests } } }'),
];

const usage = (times: number): Attack => {
  const spenders = new WeakMap<Service, Account>();
  return {
    name: `${times} questions for the usage of an account with ${CHARGES} charges`,
    over: 'all',
    keyed: true,
    prepare: async ({ service }) => {
      if (spenders.has(service)) return;
      const account = await service.account();
      await spendMany(service.sql, account, CHARGES);
      spenders.set(service, account);
    },
    strike: (stage) =>
      flood(stage, { total: times, width: times }, (n) => ({
        ...(USAGE[n % USAGE.length] ?? { path: '/v1/usage' }),
        key: spenders.get(stage.service)?.key ?? '',
      })),
    expected: { statuses: [200, 503], halfWithinMs: 1000, free: true },
    memoryMb: 10,
  };
};

/** Rows that a caller's own text can make long. */
const MOST_ROW_BYTES = 1000;
const MOST_USAGE_BYTES = 64 * 1024;

const longNames = (what: string, text: () => string): Attack => ({
  name: `200 cached reads with ${what} of 31 KB`,
  over: 'GraphQL',
  keyed: true,
  strike: (stage) => flood(stage, { total: 200, width: 8 }, () => ({ ...graphql(text()), key: stage.attacker.key })),
  expected: { statuses: [200, 400], message: /\d/, free: false },
  memoryMb: 32,
  faults: async ({ service, attacker, send }) => {
    const [row] = await service.sql<{ bytes: number | null }[]>`
      select max(pg_column_size(e.*)) as bytes from ledger_entries e where account_id = ${attacker.accountId}`;
    const bytes = Number(row?.bytes ?? 0);
    const answer = await send({ path: '/v1/usage?group=endpoint', key: attacker.key });
    return [
      ...(bytes > MOST_ROW_BYTES ? [`a charge takes ${bytes} bytes of ledger, over ${MOST_ROW_BYTES}`] : []),
      ...(answer.bytes > MOST_USAGE_BYTES
        ? [`usage is answered with ${answer.bytes} bytes, over ${MOST_USAGE_BYTES}`]
        : []),
    ];
  },
});

const WALLETS = 30;
const READS = 60;

/** Each wallet holds exactly what its reads cost, so a 402 would mean that credits went missing. */
const exactWallets: Attack = {
  name: `${WALLETS} wallets that hold just what ${READS} reads at once cost`,
  over: 'REST',
  keyed: true,
  strike: async (stage) => {
    const answers: Answer[] = [];
    for (let n = 0; n < WALLETS && !stage.signal.aborted; n += 1) {
      const { key } = await stage.service.account({ credits: READS / 2 });
      answers.push(...(await flood(stage, { total: READS, width: 4 }, () => ({ path: `/v1/users/${CACHED}`, key }))));
    }
    return answers;
  },
  expected: { statuses: [200], free: true },
  memoryMb: 10,
};

/** Everything that makes others wait for money, or stores more about a charge than it is worth. */
export const MONEY: readonly Attack[] = [
  locked('wallet', (sql, { accountId }) => sql`select 1 from wallets where account_id = ${accountId} for update`),
  locked('key', (sql, { keyId }) => sql`select 1 from keys where key_id = ${keyId} for update`),
  locked('spend cap', (sql, { accountId }) => sql`select 1 from spend_caps where account_id = ${accountId} for update`),
  usage(40),
  longNames('an alias', () => `{ ${name(31_000)}: user(handle: "${CACHED}") { id } }`),
  longNames('an operation name', () => `query ${name(31_000)} { user(handle: "${CACHED}") { id } }`),
  exactWallets,
];
