import type postgres from 'postgres';
import type { Sql } from 'sql-template-tag';
import { cancelOnAbort } from '../../../src/lib/abort.js';
import { retryRead } from '../../postgres/retry.js';

/** The pool as the process opens it: `bigint` is read as a number, so ids are selected as text. */
export type CorpusPool = postgres.Sql<{ bigint: number | string }>;

/**
 * Runs one statement. A list is planned `anew` with its values known: an author of two tweets and one of fifty thousand
 * need different plans. A read by primary key is planned `once`.
 */
export type Run = <Row extends object>(
  statement: Sql,
  signal: AbortSignal,
  options?: { planned: 'once' | 'anew' },
) => Promise<Row[]>;

/** Whose tables are read: the imported data's, or those of the invented network that test keys read. */
export type Tables = 'corpus' | 'invented';

/** Rewrites a statement over the corpus for tables of the same form. Callers' values are never part of the text. */
const inTables = (tables: Tables, text: string): string =>
  tables === 'corpus' ? text : text.replaceAll(/\bcorpus_(?=(?:users|tweets|follows)\b)/g, `${tables}_`);

/**
 * Rows of a statement, cancelled in the database when the signal fires; then it rejects with the signal's reason. A
 * cancel that arrives late can hit the next statement of the same connection, so use a pool that only reads the corpus.
 */
export function runOn(pool: CorpusPool, tables: Tables = 'corpus'): Run {
  return async <Row extends object>(statement: Sql, signal: AbortSignal, options = { planned: 'anew' }) => {
    const values = statement.values as postgres.ParameterOrJSON<number | string>[];
    const text = inTables(tables, statement.text);
    const prepare = options.planned === 'once';
    return retryRead(async () => {
      signal.throwIfAborted();
      return [...(await cancelOnAbort(pool.unsafe<Row[]>(text, values, { prepare }), signal))];
    }, signal);
  };
}
