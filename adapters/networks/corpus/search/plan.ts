import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { Query } from '../../search/query.js';
import { columnTerm, type Handles } from './compile.js';
import { walk } from './spans.js';

/**
 * A search takes the cheapest of three ways. The statement itself chooses, by the rows it has read so far, so that a wrong
 * estimate cannot make the planner scan the whole table:
 *
 * 1. Read the first `SAMPLE` rows in the list's own order. A common word fills its page here.
 * 2. Read more rows in order. The sample tells how many it takes to fill the page. This is done if it costs less than the
 *    text index, which fetches everything it finds, even if only a part of that matches because words must be adjacent. So
 *    it is done for phrases of very common words.
 * 3. Otherwise, or if that was not enough, ask the index: for one span of the order after the other where spans have marks
 *    (spans.ts), so that a word that was common long ago costs no more than a rare one; or for all matches, to sort them.
 *
 * For tweets, the first two ways are one statement and the third is another, each for a single partition where that is
 * enough, because planning for many takes longer than finding most pages. Rare terms are looked for in several at once.
 */
const SAMPLE = 1000;
/** How many times the expected rows are read at most: a sample is small, and reading ends when the page is full. */
const MARGIN = 3;
/** The most rows that are read in order because of a sample, which takes some 30 ms. */
const MOST_IN_ORDER = 30_000;
/**
 * The cost of a row that the index finds, in rows read in order. It can be anywhere in the table; so can rows by rank, while
 * rows by time lie more or less as they were imported. Measured over a million tweets.
 */
const ROW_BY_INDEX = { created_at: 6, rank: 2, standing: 2 } as const;

/**
 * Always true, and allowed in the leading process only, which keeps the planner from using parallel workers. It would start
 * them for the third way even where no row of it is read, and starting them takes longer than finding most pages. Workers
 * would also read several partitions in parallel, and `pickFew` relies on their order.
 */
const ALONE = raw('pg_backend_pid() > 0');

/** One search over one table in one order. Conditions name the table by its alias. */
export interface Search {
  readonly table: 'corpus_tweets' | 'corpus_users';
  readonly alias: 't' | 'u';
  /** The column of the order; ties are broken by id, the greater first. */
  readonly order: 'created_at' | 'rank' | 'standing';
  /** The full condition. */
  readonly where: Sql;
  /** The condition as the text index checks it: words of a phrase may be anywhere. Null if it is the full condition. */
  readonly indexed: Sql | null;
  /** The parts of it that an index in this order can start from; every result satisfies them. */
  readonly start: readonly Sql[];
  /** The conditions of `start` that limit time and position, if the list can be read by spans; otherwise null. */
  readonly spans: readonly Sql[] | null;
  readonly limit: number;
}

/** A statement that returns `id` and `position` (the order's value) of up to `limit` rows. */
export function pick(search: Search): Sql {
  return sql`
    WITH ${inOrder(search)},
    third AS MATERIALIZED (${sorted(search, sql`${isShort('first', search)} AND ${isShort('second', search)}`)})
    SELECT * FROM first WHERE NOT ${isShort('first', search)}
    UNION ALL SELECT * FROM second WHERE NOT ${isShort('second', search)}
    UNION ALL SELECT * FROM third`;
}

/**
 * The same, by the first two ways only: returns the whole page, or what the sample found of it. `among` limits where it
 * looks.
 */
export const pickInOrder = (search: Search, among: readonly Sql[]): Sql => sql`
    WITH ${inOrder({ ...search, start: [...search.start, ...among, ...(among.length === 0 ? [] : [ALONE])] })}
    SELECT * FROM first WHERE NOT ${isShort('first', search)} OR ${isShort('second', search)}
    UNION ALL SELECT * FROM second WHERE NOT ${isShort('second', search)}`;

/** The same, by the third way only. */
export const pickByIndex = (search: Search, among: readonly Sql[]): Sql => {
  const within = { ...search, start: [...search.start, ...among] };
  return search.spans === null ? sorted(within, null) : bySpans(within, [...search.spans, ...among]);
};

/** All matches if there are at most `most`, otherwise one more. If `places` are given, one after the other is read. */
export const pickFew = ({ alias, table, order, start, where }: Search, most: number, places: readonly Sql[]): Sql => {
  const matching = (place: readonly Sql[]): Sql => sql`
      SELECT ${raw(alias)}.id, ${raw(`${alias}.${order}`)} AS position FROM ${raw(table)} ${raw(alias)}
      WHERE ${all([...start, ...place, where, ALONE])}`;
  return sql`
    WITH matches AS MATERIALIZED (${
      places.length === 0
        ? matching([])
        : join(
            places.map((place) => matching([place])),
            ' UNION ALL ',
          )
    })
    SELECT * FROM matches LIMIT ${most + 1}::int`;
};

const isShort = (page: string, { limit }: Search): Sql => sql`(SELECT count(*) FROM ${raw(page)}) < ${limit}::bigint`;

function inOrder(search: Search): Sql {
  const { where, limit } = search;
  const [alias, table, key] = [raw(search.alias), raw(search.table), raw(`${search.alias}.${search.order}`)];
  const start = all(search.start);
  const order = sql`ORDER BY ${key} DESC, ${alias}.id DESC`;
  const leading = (rows: Sql): Sql =>
    sql`(SELECT * FROM ${table} ${alias} WHERE ${start} ${order} LIMIT ${rows}) ${alias}`;
  const size = raw(String(SAMPLE));
  return sql`
    sample AS MATERIALIZED (
      SELECT ${alias}.id, ${key} AS position, ${search.indexed === null ? sql`true` : where} AS matches
      FROM ${leading(size)} WHERE ${search.indexed ?? where}),
    first AS MATERIALIZED (
      SELECT id, position FROM sample WHERE matches ORDER BY position DESC, id DESC LIMIT ${limit}::int),
    seen AS MATERIALIZED (
      SELECT ${limit}::int * ${size} / nullif(found, 0) AS in_order,
        (SELECT count(*) FROM sample) * ${search.spans === null ? samplesIn(search.table) : sql`${limit}::int / nullif(found, 0)::float8`} AS by_index
      FROM (SELECT count(*) AS found FROM first) counted WHERE found < ${limit}::bigint),
    second AS MATERIALIZED (
      SELECT ${alias}.id, ${key} AS position
      FROM ${leading(sql`coalesce((SELECT least(in_order * ${raw(String(MARGIN))}, ${raw(String(MOST_IN_ORDER))}) FROM seen
        WHERE in_order < by_index * ${raw(String(ROW_BY_INDEX[search.order]))}), 0)`)}
      WHERE ${where} ${order} LIMIT ${limit}::int)`;
}

/** The size of a table with its partitions, in samples. */
const samplesIn = (table: Search['table']): Sql => sql`(
  SELECT sum(greatest(reltuples, 0)) / ${raw(String(SAMPLE))} FROM pg_class
  WHERE relkind = 'r' AND (oid = ${raw(`'${table}'`)}::regclass
    OR oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = ${raw(`'${table}'`)}::regclass)))`;

/** All matches by the index, sorted. */
function sorted({ alias, table, order, start, where, limit }: Search, when: Sql | null): Sql {
  const key = raw(`${alias}.${order}`);
  // An expression, so that no index has this order and the planner cannot scan the table in it.
  const unindexed = sql`${key} + ${raw(order === 'created_at' ? "interval '0'" : '0')}`;
  return sql`
    SELECT ${raw(alias)}.id, ${key} AS position FROM ${raw(table)} ${raw(alias)}
    WHERE ${all([...start, where, ALONE, ...(when === null ? [] : [when])])}
    ORDER BY ${unindexed} DESC, ${raw(alias)}.id DESC LIMIT ${limit}::int`;
}

/** Reads a list of tweets span by span. */
function bySpans({ alias, table, order, start, where, limit }: Search, limits: readonly Sql[]): Sql {
  const key = raw(`${alias}.${order}`);
  const ms = order === 'created_at' ? raw('extract(epoch FROM value) * 1000') : raw('value');
  const end = (direction: 'ASC' | 'DESC'): Sql =>
    sql`SELECT ${ms} FROM (SELECT ${key} AS value FROM ${raw(table)} ${raw(alias)}
      WHERE ${all([...limits, sql`${key} IS NOT NULL`])} ORDER BY ${key} ${raw(direction)}, ${raw(alias)}.id ${raw(direction)} LIMIT 1) furthest`;
  return walk({
    order: order === 'created_at' ? 'time' : 'rank',
    greatest: end('DESC'),
    least: end('ASC'),
    withMark: (mark) => sql`
      SELECT ${raw(alias)}.id, ${key} AS position FROM ${raw(table)} ${raw(alias)}
      WHERE ${all([...start, where, sql`${raw(alias)}.search @@ ${mark}`])}`,
    limit,
  });
}

const all = (conditions: readonly Sql[]): Sql => (conditions.length === 0 ? sql`true` : join(conditions, ' AND '));

/** The parts that every result must match. */
const musts = (query: Query): readonly Query[] => (query.kind === 'and' ? query.of.flatMap(musts) : [query]);

/** Limits of time and id that an index by time can start from. */
export function boundConditions(query: Query, handles: Handles): Sql[] {
  return columnConditions(query, handles, isBound);
}

/** The limits of time alone. */
export function timeConditions(query: Query, handles: Handles): Sql[] {
  return columnConditions(query, handles, isTime);
}

/** Conditions on an author, a conversation and the like, each of which has its own index by time. */
export function scopeConditions(query: Query, handles: Handles): Sql[] {
  return columnConditions(query, handles, isScope);
}

type ColumnTerm = Parameters<typeof columnTerm>[0];

const columnConditions = (query: Query, handles: Handles, is: (part: Query) => part is ColumnTerm): Sql[] =>
  musts(query)
    .filter(is)
    .map((part) => columnTerm(part, handles));

const isTime = (query: Query): query is Extract<ColumnTerm, { kind: 'since' | 'until' }> =>
  query.kind === 'since' || query.kind === 'until';

const isBound = (query: Query): query is ColumnTerm => boundOf(query) !== null;

/** The times (Unix milliseconds) and ids that all results are between, both ends included. */
export interface QueryBounds {
  readonly since: number;
  readonly until: number;
  readonly first: bigint;
  readonly last: bigint;
}

const boundOf = (query: Query): Partial<QueryBounds> | null => {
  switch (query.kind) {
    case 'since':
      return { since: Date.parse(query.time) };
    case 'until':
      return { until: Date.parse(query.time) };
    case 'afterId':
      return { first: BigInt(query.id) };
    case 'uptoId':
      return { last: BigInt(query.id) };
    default:
      return null;
  }
};

/** The bounds that a query sets. */
export const queryBounds = (query: Query): readonly Partial<QueryBounds>[] =>
  musts(query).flatMap((part) => boundOf(part) ?? []);

const isScope = (query: Query): query is ColumnTerm =>
  query.kind === 'from' || query.kind === 'to' || query.kind === 'conversation' || query.kind === 'quoting';
