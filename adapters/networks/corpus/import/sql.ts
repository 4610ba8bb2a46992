import type postgres from 'postgres';

/** The pool as the process opens it; ids exceed a number's precision, so they are sent only as text. */
export type Sql = postgres.Sql<{ bigint: number | string }>;
export type TransactionSql = postgres.TransactionSql<{ bigint: number | string }>;

/** The advisory lock under which one process at a time writes to the corpus. */
export const IMPORT_LOCK = 0x696d706f;
/** The same for the invented network, because an import may take hours, and test keys must work meanwhile. */
export const INVENTED_LOCK = 0x696e76;
