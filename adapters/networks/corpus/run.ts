import type postgres from 'postgres';
import type { Sql } from 'sql-template-tag';
import { cancelOnAbort } from '../../../src/core/cancel-on-abort.js';

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

/**
 * Rows of a statement, cancelled in the database when the signal fires; then it rejects with the signal's reason. A
 * cancel that arrives late can hit the next statement of the same connection, so use a pool that only reads the corpus.
 */
export function runOn(pool: CorpusPool): Run {
  return async <Row extends object>(statement: Sql, signal: AbortSignal, options = { planned: 'anew' }) => {
    signal.throwIfAborted();
    const values = statement.values as postgres.ParameterOrJSON<number | string>[];
    const pending = pool.unsafe<Row[]>(statement.text, values, { prepare: options.planned === 'once' });
    return [...(await cancelOnAbort(pending, signal))];
  };
}
