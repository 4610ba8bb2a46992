import { type Actor, OPERATOR } from '../../../src/domain/audit.js';
import type { Thousandths } from '../../../src/domain/credits.js';
import { processTime } from '../../../src/lib/monotonic.js';
import { isUuid } from '../../../src/lib/uuid.js';
import type { Debit, Ledger, Payer, Receipt, StatementEntry } from '../../../src/ports/ledger.js';
import { refillWallet } from '../accounts/test-accounts.js';
import { hastenWatches } from '../customers/watch-leases.js';
import { retryRead, retryTransient } from '../retry.js';
import type { ShardServers } from '../shards/shard-servers.js';
import type { Shards } from '../shards/shards.js';
import type { Sql } from '../sql.js';
import { ArchivedReceipts } from './archived-receipts.js';
import { archivedMonth } from './archives.js';
import { checkLedger } from './ledger-check.js';
import { maintainLedger } from './maintenance.js';
import { createPost, debitStatements, statementsOn } from './post.js';
import { QueryLimiter } from './query-limiter.js';
import { lastUseRows, usageRows } from './usage.js';

/**
 * Pools besides the common one (for debits, for balances, and for free queries of past usage), and where archives and
 * shards are.
 */
export interface LedgerOptions {
  readonly settling?: Sql;
  readonly lookups?: Sql;
  readonly queries?: QueryLimiter;
  /** Where receipts of archived months are looked up; null: nowhere. */
  readonly archiveFolder?: string | null;
  /** For a distributed database: its shards, and the servers to which their debits are posted instead of `settling`. */
  readonly shards?: Shards | null;
  readonly servers?: ShardServers | null;
}

/** The ledger in Postgres. Every amount is in thousandths of a credit. */
export function createLedger(sql: Sql, options: LedgerOptions = {}): Ledger {
  const { settling = sql, lookups = sql, queries = new QueryLimiter(sql) } = options;
  const { archiveFolder = null, shards = null, servers = null } = options;
  const archives = archiveFolder === null ? null : new ArchivedReceipts(queries, archiveFolder);
  return {
    post: shards === null ? createPost(debitStatements(settling)) : postByShard(shards, servers, settling),
    grant: (grant, by = OPERATOR) => retryTransient(() => postGrant(sql, grant, by)),
    refill: (refill) => retryTransient(() => refillWallet(sql, refill)),
    balance: (payer) => retryRead(() => readBalance(lookups, payer)),
    usage: (accountId, query, signal) => queries.run(accountId, (on) => usageRows(on, accountId, query), signal),
    async receipt(accountId, requestId, signal) {
      // A request id comes from a caller's path: an invalid one names no receipt.
      if (!isUuid(requestId)) return undefined;
      const [kept] = await queries.find(accountId, (on) => receiptRow(on, accountId, requestId), signal);
      const row = kept ?? (await archives?.find(accountId, requestId, signal));
      return row && dated(row);
    },
    async archivedMonth(accountId, requestId, signal) {
      const [row] = await queries.find(accountId, (on) => archivedMonth(on, requestId), signal);
      return row?.month;
    },
    async lastUses(accountId, from, signal) {
      return [...(await queries.run(accountId, (on) => lastUseRows(on, accountId, from), signal))];
    },
    async recent(accountId, limit, signal, keyId) {
      return (await queries.run(accountId, (on) => recentRows(on, accountId, limit, keyId), signal)).map(dated);
    },
    async statement(accountId, limit, signal) {
      return (await queries.run(accountId, (on) => statementRows(on, accountId, limit), signal)).map(dated);
    },
    claimNames: (accountId, day, names) => claimNames(sql, accountId, day, names),
    runMaintenance: (signal) => maintainLedger(sql, signal, shards),
    check: (options) => checkLedger(sql, options),
  };
}

function postByShard(shards: Shards, servers: ShardServers | null, settling: Sql): Ledger['post'] {
  // A batch has debits of one shard only.
  const anyAccount = (debits: readonly Debit[]): string => (debits[0] as Debit).accountId;
  const statements =
    servers === null
      ? debitStatements(settling, anyAccount)
      : statementsOn((debits, statement) => servers.run(shards.of(anyAccount(debits)), statement), anyAccount);
  return createPost(statements, processTime, shards.of);
}

async function postGrant(sql: Sql, grant: Parameters<Ledger['grant']>[0], by: Actor): Promise<Thousandths> {
  if (!Number.isSafeInteger(grant.amount) || grant.amount <= 0) {
    throw new RangeError(`a grant of ${grant.amount} thousandths: whole and above zero expected`);
  }
  const { accountId, requestId, amount, reason } = grant;
  // A separate part of the statement, because watches stay on the coordinator, and Citus runs the function on the
  // account's server.
  const [row] = await sql<[{ balance: number | null }]>`
    with granted as materialized (
      select grant_credits(${accountId}, ${requestId}, ${amount}, ${reason}, ${by.who}, ${by.address}::text,
        ${by.personId ?? null}::uuid) as balance
    ),
    hastened as (${hastenWatches(sql, accountId, 'credits')} and exists (select from granted where balance is not null))
    select balance from granted`;
  if (row.balance === null) throw new Error(`no account ${accountId} to grant credits to`);
  return row.balance;
}

async function readBalance(sql: Sql, { accountId, walletId, keyId }: Payer): ReturnType<Ledger['balance']> {
  const [row] = await sql<{ balance: number; keySpent: number; seq: number }[]>`
    select w.balance_thousandths as balance, w.last_seq as seq,
      case when c.period_start >= period_began(c.period, now()) then c.spent_thousandths else 0 end as "keySpent"
    from wallets w join keys k using (account_id, wallet_id) left join spend_caps c using (account_id, cap_id)
    where account_id = ${accountId} and wallet_id = ${walletId} and k.key_id = ${keyId}`;
  if (row === undefined) throw new Error(`no wallet ${walletId} with key ${keyId}`);
  return { ...row };
}

/** The most names that an account may use on one UTC day. */
const MOST_NAMES = 100;

async function claimNames(sql: Sql, accountId: string, day: string, names: readonly string[]): Promise<string[]> {
  const [row] = await sql<[{ names: string[] }]>`
    select claim_names(${accountId}, ${day}::date, ${[...new Set(names)]}::text[], ${MOST_NAMES}) as names`;
  return row.names;
}

/** A row as it comes from the database, whose times are dates. */
type Dated<Row> = Omit<Row, 'at'> & { readonly at: Date };

const dated = <Row extends { readonly at: Date }>(row: Row): Omit<Row, 'at'> & { at: string } => ({
  ...row,
  at: row.at.toISOString(),
});

const receiptRow = (sql: Sql, accountId: string, requestId: string) => sql<Dated<Receipt>[]>`
  select ${receiptColumns(sql)} from ledger_entries e join keys k using (account_id, key_id)
  where e.account_id = ${accountId} and e.request_id = ${requestId} and e.kind = 'debit'`;

const receiptColumns = (sql: Sql) => sql`
  e.request_id as "requestId", e.at, e.operation, k.prefix as "keyPrefix", e.amount_thousandths as amount,
  e.balance_after as "balanceAfter", e.items, e.cache_hits as "cacheHits", e.lines`;

/** There is no index by key, so a key's newest debits are looked for among this many of the account's newest. */
const MOST_SEARCHED = 1_000;

/**
 * Reads the index from its end: request ids are in the order of time. Those of streams and watches have the time of the
 * item before, so a charge after a quiet time may be missing. Finding it would take an index by `seq`, written with
 * every charge.
 */
const recentRows = (sql: Sql, accountId: string, limit: number, keyId?: string) => sql<Dated<Receipt>[]>`
  with newest as materialized (
    select request_id, seq, at, operation, key_id, amount_thousandths, balance_after, items, cache_hits,
      receipt_lines(lines, operation) as lines
    from debits join keys using (account_id, key_number) where account_id = ${accountId}
    order by request_id desc limit ${keyId === undefined ? limit : MOST_SEARCHED}
  )
  select ${receiptColumns(sql)} from newest e join keys k on k.account_id = ${accountId} and k.key_id = e.key_id
  ${keyId === undefined ? sql`` : sql`where e.key_id = ${keyId}`}
  order by e.seq desc limit ${limit}`;

const statementRows = (sql: Sql, accountId: string, limit: number) => sql<Dated<StatementEntry>[]>`
  select request_id as "requestId", at, kind, amount_thousandths as amount, balance_after as "balanceAfter", reason
  from statement_entries where account_id = ${accountId} order by seq desc limit ${limit}`;
