import type { LoggedRequest, RequestFilter, RequestLog } from '../../../src/ports/figures.js';
import type { QueryLimiter } from '../ledger/query-limiter.js';
import type { Sql } from '../sql.js';

/** How many requests of an account are kept: older ones are deleted when newer ones are written. */
export const KEPT_REQUESTS = 1_000;

/** The most characters of a row's texts. */
const LONGEST = { operation: 64, message: 300, asked: 500 } as const;

interface Row {
  readonly request_id: string;
  readonly account_id: string;
  readonly at: Date;
  readonly key_id: string | null;
  readonly interface: LoggedRequest['interface'];
  readonly operation: string | null;
  readonly status: number;
  readonly code: string | null;
  readonly message: string | null;
  readonly asked: string;
  readonly ms: number;
  readonly charged_thousandths: number;
}

/** The request log in Postgres, written in batches. */
export const createRequestLog = (sql: Sql, queries: QueryLimiter): RequestLog => ({
  write: (rows) => write(sql, rows),
  async list(accountId, filter, signal) {
    const rows = await queries.run(accountId, (pool) => select(pool, accountId, filter), signal);
    return rows.map(toRequest);
  },
  async operations(accountId, signal) {
    const rows = await queries.run(
      accountId,
      (pool) => pool<{ operation: string }[]>`
        select distinct operation from request_log where account_id = ${accountId} and operation is not null order by 1`,
      signal,
    );
    return rows.map(({ operation }) => operation);
  },
  async forget(before) {
    await sql`delete from request_log where at < ${before}`;
  },
});

async function write(sql: Sql, requests: readonly LoggedRequest[]): Promise<void> {
  const rows = requests.map((request) => ({
    account_id: request.accountId,
    request_id: request.requestId,
    at: new Date(request.at).toISOString(),
    key_id: request.keyId,
    interface: request.interface,
    operation: request.operation?.slice(0, LONGEST.operation) ?? null,
    status: request.status,
    code: request.code,
    message: request.message?.slice(0, LONGEST.message) ?? null,
    asked: request.requestLine.slice(0, LONGEST.asked),
    ms: Math.round(request.ms),
    charged_thousandths: request.charged,
  }));
  const accounts = [...new Set(rows.map((row) => row.account_id))].sort();
  await sql.begin(async (tx) => {
    // In the order of the key, so that processes that write at the same time cannot deadlock. An account may have been
    // deleted since.
    await tx`
      insert into request_log
      select r.* from jsonb_populate_recordset(null::request_log, ${tx.json(rows)}) r
        join accounts a on a.account_id = r.account_id and a.deleted_at is null
      order by r.account_id, r.request_id
      on conflict do nothing`;
    await tx`
      delete from request_log l using (
        select account_id, (
          select request_id from request_log o where o.account_id = a.account_id
          order by request_id desc offset ${KEPT_REQUESTS} limit 1
        ) as last from unnest(${accounts}::uuid[]) as a(account_id)
      ) kept
      where l.account_id = kept.account_id and l.request_id <= kept.last`;
  });
}

const select = (sql: Sql, accountId: string, { keyId, status, operation, before, limit }: RequestFilter) => sql<Row[]>`
  select * from request_log where account_id = ${accountId}
    ${keyId === undefined ? sql`` : sql`and key_id = ${keyId}`}
    ${status === undefined ? sql`` : status === 'failed' ? sql`and (status >= 400 or status = 0 or code is not null)` : sql`and status = ${status}`}
    ${operation === undefined ? sql`` : sql`and operation = ${operation}`}
    ${before === undefined ? sql`` : sql`and request_id < ${before}`}
  order by request_id desc limit ${limit}`;

const toRequest = (row: Row): LoggedRequest => ({
  accountId: row.account_id,
  requestId: row.request_id,
  at: row.at.getTime(),
  keyId: row.key_id,
  interface: row.interface,
  operation: row.operation,
  status: row.status,
  code: row.code,
  message: row.message,
  requestLine: row.asked,
  ms: row.ms,
  charged: row.charged_thousandths,
});
