import sql, { raw, type Sql } from 'sql-template-tag';
import type { Run } from '../run.js';
import type { QueryBounds } from './plan.js';

/** The ids of a partition, and the times of its oldest and newest tweet in Unix milliseconds. */
export interface IdRange {
  readonly first: string;
  readonly last: string;
  readonly least: number;
  readonly greatest: number;
}

/** How long ranges are trusted once read: imports change them, but reading them costs as much as a search. */
const LONGEST_TRUST_MS = 10_000;

export type ReadRanges = (signal: AbortSignal) => Promise<readonly IdRange[]>;

/** Reads the partitions that have rows; a table may have none. Asks their indexes, so a new row of any writer counts. */
export function createIdRanges(run: Run): ReadRanges {
  let known: { readonly ranges: readonly IdRange[]; readonly untilMs: number } = { ranges: [], untilMs: 0 };
  return async (signal) => {
    const now = performance.now();
    if (now >= known.untilMs) known = { ranges: await readRanges(run, signal), untilMs: now + LONGEST_TRUST_MS };
    return known.ranges;
  };
}

function readRanges(run: Run, signal: AbortSignal): Promise<IdRange[]> {
  const end = (direction: 'ASC' | 'DESC'): Sql => sql`
    SELECT (extract(epoch FROM t.created_at) * 1000)::float8 AS ms FROM corpus_tweets t
    WHERE t.id BETWEEN ids.first AND ids.last ORDER BY t.created_at ${raw(direction)}, t.id ${raw(direction)} LIMIT 1`;
  return run<IdRange>(
    sql`SELECT ids.first::text AS first, ids.last::text AS last, least.ms AS least, greatest.ms AS greatest
      FROM (
        SELECT coalesce(substring(bound from $$ FROM [(]'?(-?[0-9]+)$$)::bigint, -9223372036854775808) AS first,
          coalesce(substring(bound from $$ TO [(]'?(-?[0-9]+)$$)::bigint - 1, 9223372036854775807) AS last
        FROM (
          SELECT pg_get_expr(relpartbound, oid) AS bound FROM pg_class
          WHERE oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'corpus_tweets'::regclass)
        ) partitions
      ) ids
      CROSS JOIN LATERAL (${end('ASC')}) least CROSS JOIN LATERAL (${end('DESC')}) greatest`,
    signal,
    { planned: 'once' },
  );
}

/** Limits a statement to one partition. The ids are constants, so even a plan that is kept reads only that partition. */
export const inIds = ({ first, last }: Pick<IdRange, 'first' | 'last'>): Sql =>
  raw(`t.id BETWEEN '${BigInt(first)}'::bigint AND '${BigInt(last)}'::bigint`);

/** The partitions that a list by time can have results in, each narrowed to the times that these can have. */
export function narrowed(
  ranges: readonly IdRange[],
  bounds: readonly Partial<QueryBounds>[],
  after: { readonly value: number } | null,
): IdRange[] {
  const until = Math.min(...bounds.flatMap((bound) => bound.until ?? []), after?.value ?? Number.POSITIVE_INFINITY);
  const since = Math.max(...bounds.flatMap((bound) => bound.since ?? []), Number.NEGATIVE_INFINITY);
  return ranges
    .filter((range) => range.least <= until && range.greatest >= since && hasIds(range, bounds))
    .map((range) => ({ ...range, greatest: Math.min(range.greatest, until), least: Math.max(range.least, since) }));
}

const hasIds = ({ first, last }: IdRange, bounds: readonly Partial<QueryBounds>[]): boolean =>
  bounds.every(
    (bound) => BigInt(last) >= (bound.first ?? BigInt(last)) && BigInt(first) <= (bound.last ?? BigInt(first)),
  );

export const isIn = ({ first, last }: IdRange, { id }: { readonly id: string }): boolean =>
  BigInt(first) <= BigInt(id) && BigInt(id) <= BigInt(last);

/** Sorts partitions, the newest first. Null if their times overlap, as they may where ids do not follow time. */
export function inSequence(ranges: readonly IdRange[]): IdRange[] | null {
  const sorted = [...ranges].sort((a, b) => (BigInt(a.first) < BigInt(b.first) ? 1 : -1));
  const isOlder = (range: IdRange, index: number): boolean =>
    range.greatest <= (sorted[index - 1]?.least ?? range.greatest);
  return sorted.every(isOlder) ? sorted : null;
}
