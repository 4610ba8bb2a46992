import type postgres from 'postgres';

/** The pool as the process opens it; ids exceed a number's precision, so they are sent only as text. */
export type Sql = postgres.Sql<{ bigint: number | string }>;
export type TransactionSql = postgres.TransactionSql<{ bigint: number | string }>;
