import type postgres from 'postgres';

/** The pool as the process opens it; ids are wider than a number, so they travel as text only. */
export type Sql = postgres.Sql<{ bigint: number | string }>;
export type TransactionSql = postgres.TransactionSql<{ bigint: number | string }>;
