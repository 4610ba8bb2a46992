import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { Query } from '../../search/query.js';
import { columnTerm, type Handles } from './compile.js';

/**
 * A search takes the cheapest of three ways, decided in the database by what it has seen so far, so that no wrong
 * estimate makes the planner scan the whole table:
 *
 * 1. The first `SAMPLE` rows in the list's own order are looked at. A common word fills its page here.
 * 2. How many of them matched tells how many more would fill the page, and how many the text index would have to fetch,
 *    of which the matches are but a part if words must be adjacent. If reading in order costs less, it is tried: so it
 *    is for what is fairly common, and for phrases of very common words.
 * 3. Otherwise, or if that was not enough, the index fetches all matches and they are sorted: so it is for rare words.
 */
const SAMPLE = 2000;
/** Rows read in order beyond those expected to fill the page: a sample is small, and reading ends when it is full. */
const MARGIN = 3;
/** More rows are not read in order on the strength of a sample: some 30 ms. */
const MOST_IN_ORDER = 30_000;
/**
 * What a row that the index finds costs, in rows read in order: it lies anywhere, and so do rows by rank, while rows by
 * time lie more or less as they were imported. Measured over a million tweets.
 */
const ROW_BY_INDEX = { created_at: 6, rank: 2, standing: 2 } as const;

/** One search over one table in one order. Conditions name the table by its alias. */
export interface Search {
  readonly table: 'corpus_tweets' | 'corpus_users';
  readonly alias: 't' | 'u';
  /** The column of the order; ties are broken by id, the greater first. */
  readonly order: 'created_at' | 'rank' | 'standing';
  /** The full condition. */
  readonly where: Sql;
  /** What the text index finds for it: the words of phrases, wherever they are. Null if that is the full condition. */
  readonly indexed: Sql | null;
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
  const leading = (rows: Sql): Sql =>
    sql`(SELECT * FROM ${table} ${alias} WHERE ${start} ${inOrder} LIMIT ${rows}) ${alias}`;
  // An expression, so that no index provides this order and the planner does not scan the table in it.
  const unindexed = sql`${key} + ${raw(search.order === 'created_at' ? "interval '0'" : '0')}`;
  const size = raw(String(SAMPLE));
  const isShort = (page: string): Sql => sql`(SELECT count(*) FROM ${raw(page)}) < ${limit}::bigint`;
  return sql`
    WITH sample AS MATERIALIZED (
      SELECT ${alias}.id, ${key} AS position, ${search.indexed === null ? sql`true` : where} AS matches
      FROM ${leading(size)} WHERE ${search.indexed ?? where}),
    first AS MATERIALIZED (
      SELECT id, position FROM sample WHERE matches ORDER BY position DESC, id DESC LIMIT ${limit}::int),
    seen AS MATERIALIZED (
      SELECT ${limit}::int * ${size} / nullif(found, 0) AS in_order,
        (SELECT count(*) FROM sample) * (SELECT greatest(reltuples, 0) / ${size} FROM pg_class WHERE oid = ${raw(`'${search.table}'`)}::regclass) AS by_index
      FROM (SELECT count(*) AS found FROM first) counted WHERE found < ${limit}::bigint),
    second AS MATERIALIZED (
      SELECT ${alias}.id, ${key} AS position
      FROM ${leading(sql`coalesce((SELECT least(in_order * ${raw(String(MARGIN))}, ${raw(String(MOST_IN_ORDER))}) FROM seen
        WHERE in_order < by_index * ${raw(String(ROW_BY_INDEX[search.order]))}), 0)`)}
      WHERE ${where} ${inOrder} LIMIT ${limit}::int),
    third AS MATERIALIZED (
      SELECT ${alias}.id, ${key} AS position FROM ${table} ${alias}
      WHERE ${start} AND ${where} AND ${isShort('first')} AND ${isShort('second')}
      ORDER BY ${unindexed} DESC, ${alias}.id DESC LIMIT ${limit}::int)
    SELECT * FROM first WHERE NOT ${isShort('first')}
    UNION ALL SELECT * FROM second WHERE NOT ${isShort('second')}
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
