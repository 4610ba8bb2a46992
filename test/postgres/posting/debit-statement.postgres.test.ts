/** The statement for all debits, on its own: what it reports about rows that another transaction has locked. */
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { findPosted, type LockMode, postDebits } from '../../../adapters/postgres/ledger/debit-statement.js';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import { NO_SHARDS, type ShardOf } from '../../../adapters/postgres/ledger/plain-debits.js';
import { debitStatements } from '../../../adapters/postgres/ledger/post.js';
import { connect, type Sql } from '../../../adapters/postgres/sql.js';
import type { Accounts } from '../../../src/ports/accounts.js';
import type { Debit, Ledger } from '../../../src/ports/ledger.js';
import { addPayerKey, debitOf, grantTo, openPayer, type Payer } from '../../engine/ports/suites/ledger.suite.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';
import { untilOneWaits } from '../../kit/postgres/hold-locks.js';
import { hold, LOCKS, type Lock } from '../ledger/locks.js';

const MODES = ['skipLocked', 'waitForLock'] as const;
const CAP = 500;

let database: FreshDatabase;
let sql: Sql;
let accounts: Accounts;
let ledger: Ledger;
beforeAll(async () => {
  database = await freshDatabase();
  sql = database.sql;
  accounts = createAccounts(sql);
  ledger = createLedger(sql);
});
afterAll(() => database.drop());

async function openWith(amount: number, cap: number | null = null): Promise<Payer> {
  const payer = await openPayer(accounts, cap);
  await grantTo(ledger, payer, amount);
  return payer;
}

const outcomesOf = async (debits: readonly Debit[], mode: LockMode): Promise<string[]> =>
  (await postDebits(sql, debits, mode)).map(({ outcome }) => outcome);

/**
 * The outcomes of a statement that waits for a locked row until the other transaction commits, and the result of
 * `meanwhile`. On a busy machine the statement may wait too long; then all of it is tried again.
 */
async function afterWaiting<Found = undefined>(
  lock: Lock,
  payer: Payer,
  debits: readonly Debit[],
  meanwhile?: () => Promise<Found>,
): Promise<{ outcomes: string[]; found: Found | undefined }> {
  for (let tries = 1; ; tries += 1) {
    const release = await hold(sql, lock, payer);
    const posting = outcomesOf(debits, 'waitForLock');
    await Promise.race([untilOneWaits(sql), posting.catch(() => {})]);
    const found = await meanwhile?.();
    await release();
    try {
      return { outcomes: await posting, found };
    } catch (error) {
      if (tries === 20 || (error as { code?: string }).code !== '55P03') throw error;
    }
  }
}

describe.each(['wallet', 'key', 'cap'] as const)('a debit whose %s another transaction has locked', (what) => {
  test('is reported as locked when locked rows are skipped, and the rest of its batch is posted', async () => {
    const [locked, free] = [await openWith(1_000, CAP), await openWith(1_000)];
    const debits = [debitOf(locked, 1), debitOf(free, 1), debitOf(locked, 2)];
    const release = await hold(sql, LOCKS[what], locked);
    expect(await outcomesOf(debits, 'skipLocked')).toEqual(['locked', 'posted', 'locked']);
    await release();
    expect(await outcomesOf([debits[0] as Debit], 'skipLocked')).toEqual(['posted']);
  });

  test('is posted by a statement that waits, once the lock is released', async () => {
    const payer = await openWith(1_000, CAP);
    expect(await afterWaiting(LOCKS[what], payer, [debitOf(payer, 1)])).toMatchObject({ outcomes: ['posted'] });
  });

  test('fails and posts nothing if the statement waits too long', async () => {
    const [locked, free] = [await openWith(1_000, CAP), await openWith(1_000)];
    const debits = [debitOf(locked, 1), debitOf(free, 1)];
    const release = await hold(sql, LOCKS[what], locked);
    await expect(outcomesOf(debits, 'waitForLock')).rejects.toMatchObject({ code: '55P03' });
    await release();
    expect(await findPosted(sql, debits)).toEqual([undefined, undefined]);
  });
});

test('sees the cap that its key gets while the statement waits for it', async () => {
  const payer = await openWith(1_000);
  const { keyId } = payer;
  const givesCap: Lock = async (tx, { accountId }) => {
    const [{ capId }] = await tx<[{ capId: string }]>`
      insert into spend_caps (account_id, cap_thousandths, period, period_start, spent_thousandths)
      values (${accountId}, ${CAP}, 'total', period_began('total', now()), 0) returning cap_id as "capId"`;
    await tx`update keys set cap_id = ${capId} where key_id = ${keyId}`;
  };
  const debit = debitOf(payer, CAP + 1);
  expect(await afterWaiting(givesCap, payer, [debit])).toMatchObject({ outcomes: ['key_cap'] });
  expect(await outcomesOf([debitOf(payer, CAP)], 'waitForLock')).toEqual(['posted']);
});

test('locks wallets in the order of their accounts, as other nodes do', async () => {
  const payers = [await openWith(1_000), await openWith(1_000)];
  const [first, second] = payers.toSorted((one, other) => (one.accountId < other.accountId ? -1 : 1)) as [Payer, Payer];
  const secondIsFree = async () =>
    (await sql`select from wallets where wallet_id = ${second.walletId} for update skip locked`).length === 1;
  const debits = [debitOf(second, 1), debitOf(first, 1)];
  expect(await afterWaiting(LOCKS.wallet, first, debits, secondIsFree)).toEqual({
    outcomes: ['posted', 'posted'],
    found: true,
  });
});

describe('a debit whose names do not belong together', () => {
  const strangers = async (): Promise<Record<string, Debit>> => {
    const [payer, other] = [await openWith(1_000), await openWith(1_000)];
    const { keyId } = await addPayerKey(accounts, other.accountId, null);
    return {
      account: debitOf({ ...payer, accountId: v7() }, 1),
      wallet: debitOf({ ...payer, walletId: other.walletId }, 1),
      key: debitOf({ ...payer, keyId: v7() }, 1),
      keyOfAnother: debitOf({ ...payer, keyId }, 1),
    };
  };

  test('is missing if the statement waits, and may look locked if the statement skips locked rows', async () => {
    const { account, wallet, key, keyOfAnother } = await strangers();
    const debits = [account, wallet, key, keyOfAnother] as Debit[];
    expect(await outcomesOf(debits, 'waitForLock')).toEqual(['missing', 'missing', 'missing', 'missing']);
    expect(await outcomesOf(debits, 'skipLocked')).toEqual(['locked', 'missing', 'locked', 'locked']);
    expect(await findPosted(sql, debits)).toEqual(debits.map(() => undefined));
  });
});

const SHARDS = { 'one Postgres': NO_SHARDS, shards: (debits) => debits[0]?.accountId ?? null } satisfies Record<
  string,
  ShardOf
>;

describe.each(['one Postgres', 'shards'] as const)('in %s', (where) => {
  test.each(MODES)('stores each debit of a batch with its own receipt (%s)', async (mode) => {
    const [capped, other] = [await openWith(1_000, CAP), await openWith(5_000)];
    const debits = [
      debitOf(capped, 100, { operation: 'first' }),
      debitOf(other, 2_000, { operation: 'second "quoted" {x,y}', items: 7, cacheHits: 3 }),
      debitOf(capped, 200, { operation: 'third' }),
    ];
    const rows = await postDebits(sql, debits, mode, SHARDS[where]);
    expect(rows).toMatchObject([
      { outcome: 'posted', seq: 2, balance_after: 900 },
      { outcome: 'posted', seq: 2, balance_after: 3_000 },
      { outcome: 'posted', seq: 3, balance_after: 700 },
    ]);
    const stranger = debitOf(other, 1);
    expect(await findPosted(sql, [...debits, stranger], SHARDS[where])).toEqual([
      ...rows.map(({ seq, balance_after }, nth) => ({ seq, balance: balance_after, amount: debits[nth]?.amount })),
      undefined,
    ]);
    for (const { accountId, requestId, operation, amount, items, cacheHits, lines } of debits) {
      const receipt = await ledger.receipt(accountId, requestId);
      expect(receipt).toMatchObject({ operation, amount, items, cacheHits, lines });
    }
  });

  test('passes the shard in the form that Citus needs, never as null', async () => {
    const payer = await openWith(1_000);
    const session = connect(database.target, { max: 1 });
    const { postPlain, postAny, find } = debitStatements(session, SHARDS[where]);
    const debits = [debitOf(payer, 1)];
    await postPlain(debits);
    await postAny([debitOf(payer, 1)], 'skipLocked');
    await find(debits);
    const rows = await session<{ statement: string }[]>`select statement from pg_prepared_statements`;
    const shards = rows.flatMap(
      ({ statement }) => /(?:post_plain_debits|post_any_debits|find_posted)\(\s*([^,]+)/.exec(statement)?.[1] ?? [],
    );
    expect(shards.sort()).toEqual(
      where === 'shards'
        ? ['$1::uuid', '$1::uuid', '$1::uuid']
        : ['(select $1::uuid)', '(select null::uuid)', '(select null::uuid)'],
    );
    await session.end();
  });

  test('posts the plain ones of a batch', async () => {
    const [payer, other] = [await openWith(1_000), await openWith(1_000)];
    const debits = [debitOf(payer, 100), debitOf(other, 1_001), debitOf(payer, 200)];
    const { postPlain } = debitStatements(sql, SHARDS[where]);
    expect(await postPlain(debits)).toEqual([{ seq: 2, balance: 900 }, undefined, { seq: 3, balance: 700 }]);
  });
});
