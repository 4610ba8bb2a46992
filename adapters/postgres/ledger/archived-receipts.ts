import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Receipt } from '../../../src/ports/ledger.js';
import type { Sql } from '../sql.js';
import { parquetRows, withDuckDb } from './duckdb.js';
import type { QueryLimiter } from './query-limiter.js';

/** One receipt reads a file's directory and one group of its rows. */
const SIZE = { memory: '128MB', threads: 1 };

/** Receipts of archived months, from the Parquet files in a folder. */
export class ArchivedReceipts {
  readonly #queries: QueryLimiter;
  readonly #folder: string;

  constructor(queries: QueryLimiter, folder: string) {
    this.#queries = queries;
    this.#folder = folder;
  }

  /**
   * Undefined where no archive covers the request, the archive has no Parquet file here, or the file lacks the request.
   */
  async find(accountId: string, requestId: string, signal?: AbortSignal): Promise<Dated<Receipt> | undefined> {
    const [archive] = await this.#queries.find(accountId, (on) => archiveRow(on, requestId), signal);
    if (!archive?.file.endsWith('.parquet')) return undefined;
    const path = join(this.#folder, archive.file);
    if (!(await isThere(path))) return undefined;
    const [debit] = await this.#queries.run(accountId, () => debitIn(path, accountId, requestId), signal);
    if (debit === undefined) return undefined;
    const [receipt] = await this.#queries.find(accountId, (on) => receiptRow(on, accountId, debit), signal);
    return receipt;
  }
}

/** A row as it comes from the database, whose times are dates. */
type Dated<Row> = Omit<Row, 'at'> & { readonly at: Date };

const archiveRow = (sql: Sql, requestId: string) => sql<{ file: string }[]>`
  select file from ledger_archives
  where ${requestId}::uuid >= first_id_at(span_began(month)) and ${requestId}::uuid < first_id_at(span_ended(month))`;

/** A debit as JSON. The search is fast, because the file is in the order of accounts and ids. */
function debitIn(path: string, accountId: string, requestId: string) {
  let interrupt = (): void => {};
  const rows = withDuckDb(':memory:', SIZE, async (duck) => {
    interrupt = () => duck.interrupt();
    const found = await duck.runAndReadAll(
      `select * from ${parquetRows(path)} where account_id = $account::UUID and request_id = $id::UUID`,
      { account: accountId, id: requestId },
    );
    return found.getRowObjectsJson().map((row) => JSON.stringify(row));
  });
  return Object.assign(rows, { cancel: () => interrupt() });
}

const receiptRow = (sql: Sql, accountId: string, debit: string) => sql<Dated<Receipt>[]>`
  select d.request_id as "requestId", d.at, d.operation, k.prefix as "keyPrefix", d.amount_thousandths as amount,
    d.balance_after as "balanceAfter", d.items, d.cache_hits as "cacheHits", receipt_lines(d.lines, d.operation) as lines
  from json_to_record(${debit}::text::json) as d(request_id uuid, account_id uuid, key_id uuid, at timestamptz, operation text,
      amount_thousandths bigint, balance_after bigint, items int, cache_hits int, lines text)
    join keys k using (account_id, key_id)
  where k.account_id = ${accountId}`;

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
