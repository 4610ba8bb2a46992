import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { Query } from '../../search/query.js';
import { columnTerm, type Handles } from './compile.js';

/**
 * Candidates checked in the list's own order before the text index is used, in two stages. A common word fills its page
 * in the first. A fairly common one, which the index would find ten thousand times, is recognised by `HOPEFUL` matches
 * and fills its page in the second. Any other word is rare: the index fetches all its matches and sorts them. So each
 * search takes a few milliseconds over a million tweets, and no wrong estimate makes the planner scan the whole table.
 */
const FIRST_STAGE = 2000;
const SECOND_STAGE = 16_000;
const HOPEFUL = 7;

/** One search over one table in one order. Conditions name the table by its alias. */
export interface Search {
  readonly table: 'corpus_tweets t' | 'corpus_users u';
  readonly alias: 't' | 'u';
  /** The column of the order; ties are broken by id, the greater first. */
  readonly order: 'created_at' | 'rank' | 'standing';
  /** The full condition. */
  readonly where: Sql;
  /** The parts of it that an index in this order can start from: true for every candidate. */
  readonly start: readonly Sql[];
  readonly limit: number;
}

/** A statement that returns `id` and `position` (the order's value) of up to `limit` rows. */
export function pick(search: Search): Sql {
  const { where, limit } = search;
  const [alias, table, key] = [raw(search.alias), raw(search.table), raw(`${search.alias}.${search.order}`)];
  const start = search.start.length === 0 ? sql`true` : join(search.start, ' AND ');
  const inOrder = sql`ORDER BY ${key} DESC, ${alias}.id DESC`;
  const among = (candidates: number, when: Sql): Sql => sql`
    SELECT ${alias}.id, ${key} AS position
    FROM (SELECT * FROM ${table} WHERE ${start} ${inOrder} LIMIT ${candidates}::int) ${alias}
    WHERE ${where} AND ${when} ${inOrder} LIMIT ${limit}::int`;
  // An expression, so that no index provides this order and the planner does not scan the table in it.
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

/** The parts that every result must match. */
const musts = (query: Query): readonly Query[] => (query.kind === 'and' ? query.of.flatMap(musts) : [query]);

/** Limits of time and id that an index by time can start from. */
export function boundsOf(query: Query, handles: Handles): Sql[] {
  return musts(query).flatMap((part) =>
    part.kind === 'since' || part.kind === 'until' || part.kind === 'afterId' || part.kind === 'uptoId'
      ? [columnTerm(part, handles)]
      : [],
  );
}

/** One author, conversation and the like: each has its own index by time. */
export function scopesOf(query: Query, handles: Handles): Sql[] {
  return musts(query).flatMap((part) => (isScope(part) ? [columnTerm(part, handles)] : []));
}

const isScope = (query: Query): query is Extract<Query, { kind: 'from' | 'to' | 'conversation' | 'quoting' }> =>
  query.kind === 'from' || query.kind === 'to' || query.kind === 'conversation' || query.kind === 'quoting';
