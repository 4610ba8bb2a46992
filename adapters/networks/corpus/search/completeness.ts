import sql, { raw } from 'sql-template-tag';
import { ServiceError } from '../../../../src/domain/errors.js';
import type { Product } from '../../../../src/domain/model.js';
import type { Run } from '../run.js';

const RETRY_S = 60;

/**
 * Refuses searches of a table until all rows that an upgrade found in it are indexed, and the index that a first import left
 * out is built (T32). Before that, a search would silently miss rows, or take long. Once a table with rows is complete, it
 * stays so and is not checked again.
 */
export function createCompleteness(run: Run): (product: Product, signal: AbortSignal) => Promise<void> {
  const complete = new Set<string>();
  return async (product, signal) => {
    const table = product === 'People' ? 'corpus_users' : 'corpus_tweets';
    if (complete.has(table)) return;
    const [found] = await run<{ complete: boolean; filled: boolean }>(
      sql`SELECT complete, EXISTS (SELECT FROM ${raw(table)}) AS filled
        FROM search_index WHERE table_name = ${raw(`'${table}'`)}`,
      signal,
      { planned: 'once' },
    );
    if (found?.complete === false) throw incomplete();
    if (found?.filled) complete.add(table);
  };
}

const incomplete = (): ServiceError =>
  new ServiceError(
    'upstream_rate_limited',
    'The corpus is being indexed for searches, after an upgrade or during its first import, and this one would leave out what is not indexed yet. All other reads are served; nothing was charged.',
    { reason: 'indexing', retryAfter: RETRY_S, isBeside: true },
  );
