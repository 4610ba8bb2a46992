import type { DuckDBConnection } from '@duckdb/node-api';

/** Whether DuckDB is installed. It is not a dependency of Perch, because it takes 70 MB. */
export const hasDuckDb = (): Promise<boolean> =>
  import('@duckdb/node-api').then(
    () => true,
    () => false,
  );

/** The resources that one use of DuckDB may take. What does not fit in memory goes to disk, beside its database. */
interface Size {
  readonly memory: string;
  readonly threads?: number;
}

/** Runs work with an instance of DuckDB, and closes it afterwards. Throws where DuckDB is not installed. */
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
