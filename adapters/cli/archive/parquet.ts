import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { constants, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { DuckDBConnection } from '@duckdb/node-api';
import { hasDuckDb, parquet, parquetRows, sqlString, withDuckDb } from '../../postgres/ledger/duckdb.js';
import { Failure } from '../failure.js';

/** The columns of a file, as DuckDB reads them. */
const COLUMNS = {
  request_id: 'UUID',
  account_id: 'UUID',
  wallet_id: 'UUID',
  key_id: 'UUID',
  at: 'TIMESTAMPTZ',
  seq: 'BIGINT',
  amount_thousandths: 'BIGINT',
  balance_after: 'BIGINT',
  operation: 'VARCHAR',
  items: 'INTEGER',
  cache_hits: 'INTEGER',
  lines: 'VARCHAR',
  key_number: 'INTEGER',
} as const;

/** A summary of all columns that does not depend on the order of the rows. */
const CONTENT = `
  count(*)::VARCHAR as rows, coalesce(sum(amount_thousandths), 0)::VARCHAR as amount,
  coalesce(bit_xor(hash(${Object.keys(COLUMNS)
    .map((name) => `"${name}"`)
    .join(', ')})), 0)::VARCHAR as hash,
  min(request_id)::VARCHAR as first, max(request_id)::VARCHAR as last`;

export interface FileContent {
  readonly rows: number;
  readonly amount: string;
  readonly hash: string;
  readonly first: string | null;
  readonly last: string | null;
}

/** Beyond this, DuckDB spills to disk, next to the file. */
const SIZE = { memory: '1GB' };

export const NO_DUCKDB =
  'Parquet needs DuckDB: run `npm install @duckdb/node-api`; to archive without it, use --format ndjson';

/**
 * Writes debits (CSV without a header, columns in the order above) to a Parquet file sorted by account and request.
 * Reads the file back, and throws Failure unless its count, sums and hash match the input. Until then the input is kept
 * on disk, compressed.
 */
export async function archiveParquet(path: string, csv: AsyncIterable<Buffer>): Promise<FileContent> {
  const aside = `${path}.work`;
  await rm(aside, { recursive: true, force: true });
  await mkdir(aside, { mode: 0o700 });
  try {
    return await withDuckDb(join(aside, 'rows.duckdb'), SIZE, async (duck) => {
      await takeIn(duck, join(aside, 'rows.csv'), csv);
      await duck.run(`copy (select * from debits order by account_id, request_id) to ${sqlString(path)}
        (format parquet, compression zstd)`);
      const [came, written] = [await contentOf(duck, 'debits'), await contentOf(duck, parquet(path))];
      if (JSON.stringify(came) !== JSON.stringify(written))
        throw new Failure(`${path} does not match the ledger: remove it, and run the command again`);
      await sync(path);
      return written;
    });
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/** Loads the CSV through a named pipe, so that its text is never on disk. */
async function takeIn(duck: DuckDBConnection, pipe: string, csv: AsyncIterable<Buffer>): Promise<void> {
  await promisify(execFile)('mkfifo', ['-m', '600', pipe]);
  const columns = Object.entries(COLUMNS).map(([name, type]) => `'${name}': '${type}'`);
  const reading =
    duck.run(`create table debits as select * from read_csv(${sqlString(pipe)}, columns = {${columns.join(', ')}},
    header = false, delim = ',', quote = '"', escape = '"', nullstr = '', auto_detect = false, parallel = false,
    force_not_null = ['operation', 'lines'])`);
  const stop = new AbortController();
  const writing = pipeline(Readable.from(csv), createWriteStream(pipe, { highWaterMark: PIPE_BYTES }), stop);
  reading.catch((error: Error) => {
    stop.abort(error);
    // Opening a named pipe for writing blocks until it is opened for reading.
    open(pipe, constants.O_RDONLY | constants.O_NONBLOCK).then(
      (handle) => handle.close(),
      () => {},
    );
  });
  const [read, written] = await Promise.allSettled([reading, writing]);
  for (const each of [read, written]) if (each.status === 'rejected') throw each.reason;
}

const PIPE_BYTES = 1_048_576;

/** Passes the rows of a Parquet file to `take` as JSON, in batches. */
export async function readParquet(path: string, take: (lines: string[]) => Promise<void>): Promise<void> {
  if (!(await hasDuckDb())) throw new Failure(NO_DUCKDB);
  await withDuckDb(':memory:', SIZE, async (duck) => {
    const result = await duck.stream(`select * from ${parquetRows(path)}`);
    for await (const rows of result.yieldRowObjectJson()) await take(rows.map((row) => JSON.stringify(row)));
  });
}

async function contentOf(duck: DuckDBConnection, from: string): Promise<FileContent> {
  const [row] = (await duck.runAndReadAll(`select ${CONTENT} from ${from}`)).getRowObjectsJson();
  return { ...(row as unknown as FileContent), rows: Number(row?.rows) };
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.chmod(0o600);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
