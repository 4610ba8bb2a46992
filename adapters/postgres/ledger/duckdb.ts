import type { DuckDBConnection } from '@duckdb/node-api';

/** Whether DuckDB is installed, which Perch does not bring along: it has 70 MB. */
export const hasDuckDb = (): Promise<boolean> =>
  import('@duckdb/node-api').then(
    () => true,
    () => false,
  );

/** What one use of DuckDB may take; what is more goes to the disk, beside its database. */
interface Size {
  readonly memory: string;
  readonly threads?: number;
}

/** Closed when the work is done. Throws where DuckDB is not installed. */
export async function withDuckDb<T>(
  database: string,
  { memory, threads }: Size,
  work: (duck: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(database, {
    memory_limit: memory,
    ...(threads !== undefined && { threads: String(threads) }),
  });
  try {
    const duck = await instance.connect();
    try {
      await duck.run("set timezone = 'UTC'");
      return await work(duck);
    } finally {
      duck.closeSync();
    }
  } finally {
    instance.closeSync();
  }
}

/** The rows of a Parquet file, with times as JSON has them. */
export const parquetRows = (path: string): string =>
  `(select * replace (strftime("at", '%Y-%m-%dT%H:%M:%S.%fZ') as "at") from ${parquet(path)})`;

export const parquet = (path: string): string => `read_parquet(${sqlString(path)})`;

export const sqlString = (path: string): string => `'${path.replaceAll("'", "''")}'`;
