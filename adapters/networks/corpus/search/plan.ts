import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { Query } from '../../search/query.js';
import { columnTerm, type Handles } from './compile.js';

/**
 * Candidates looked through in the list's own order before the text index is asked, in two stages. A common word fills its page
 * in the first. A middling one, which the index would find ten thousand times over, shows itself by `HOPEFUL` finds and fills
 * it in the second. What is left is rare: the index fetches all of it and sorts. So each search costs some milliseconds over a
 * million tweets, and no wrong estimate of the planner makes it walk the whole table.
 */
const FIRST_STAGE = 2000;
const SECOND_STAGE = 16_000;
const HOPEFUL = 7;

/** One search over one table in one order. Conditions name the table by its alias. */
export interface Search {
  readonly table: 'corpus_tweets t' | 'corpus_users u';
  readonly alias: 't' | 'u';
  /** The column of the order; ties go by id, the greater first. */
  readonly order: 'created_at' | 'engagement' | 'standing';
  /** All that must hold. */
  readonly where: Sql;
  /** Those parts of it that an index in this order can start from: they hold for every candidate. */
  readonly start: readonly Sql[];
  readonly limit: number;
}

/** A statement that gives `id` and `position` (the order's value) of up to `limit` rows. */
export function pick(search: Search): Sql {
  const { where, limit } = search;
  const [alias, table, key] = [raw(search.alias), raw(search.table), raw(`${search.alias}.${search.order}`)];
  const start = search.start.length === 0 ? sql`true` : join(search.start, ' AND ');
  const inOrder = sql`ORDER BY ${key} DESC, ${alias}.id DESC`;
  const among = (candidates: number, when: Sql): Sql => sql`
    SELECT ${alias}.id, ${key} AS position
    FROM (SELECT * FROM ${table} WHERE ${start} ${inOrder} LIMIT ${candidates}::int) ${alias}
    WHERE ${where} AND ${when} ${inOrder} LIMIT ${limit}::int`;
  // An expression, so that no index gives this order and nothing tempts the planner to walk the table in it.
  const unindexed = sql`${key} + ${raw(search.order === 'created_at' ? "interval '0'" : '0')}`;
  const full = sql`${limit}::bigint`;
  return sql`
    WITH first AS MATERIALIZED (${among(FIRST_STAGE, sql`true`)}),
    second AS MATERIALIZED (
      ${among(SECOND_STAGE, sql`(SELECT count(*) FROM first) BETWEEN ${HOPEFUL}::bigint AND ${limit - 1}::bigint`)}),
    third AS MATERIALIZED (
      SELECT ${alias}.id, ${key} AS position FROM ${table}
      WHERE ${start} AND ${where} AND (SELECT count(*) FROM first) < ${full} AND (SELECT count(*) FROM second) < ${full}
      ORDER BY ${unindexed} DESC, ${alias}.id DESC LIMIT ${limit}::int)
    SELECT * FROM first WHERE (SELECT count(*) FROM first) = ${full}
    UNION ALL SELECT * FROM second WHERE (SELECT count(*) FROM second) = ${full}
    UNION ALL SELECT * FROM third`;
}

/** The parts that everything found must meet. */
const musts = (query: Query): readonly Query[] => (query.kind === 'and' ? query.of.flatMap(musts) : [query]);

/** Limits of time and id that an index by time can start from. */
export function boundsOf(query: Query, handles: Handles): Sql[] {
  return musts(query).flatMap((part) =>
    part.kind === 'since' || part.kind === 'until' || part.kind === 'afterId' || part.kind === 'uptoId'
      ? [columnTerm(part, handles)]
      : [],
  );
}

/** One author, conversation and the like: each has an index by time of its own. */
export function scopesOf(query: Query, handles: Handles): Sql[] {
  return musts(query).flatMap((part) => (isScope(part) ? [columnTerm(part, handles)] : []));
}

const isScope = (query: Query): query is Extract<Query, { kind: 'from' | 'to' | 'conversation' | 'quoting' }> =>
  query.kind === 'from' || query.kind === 'to' || query.kind === 'conversation' || query.kind === 'quoting';
