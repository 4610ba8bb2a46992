import sql, { raw, type Sql } from 'sql-template-tag';

/**
 * The values of an order, in milliseconds, by spans: long ones of 2^35 ms (398 days), and short ones of 2^31 ms (25
 * days), sixteen to a long one. A tweet's spans are marks in its vector, so that the text index finds what matches in
 * one span and nothing else.
 */
const LONG_MS = 2 ** 35;
const SHORT_MS = 2 ** 31;
const SHORT_PER_LONG = LONG_MS / SHORT_MS;
/** All that is below zero is one span, long and short: of time what was before 1970, of rank the retweets. */
const BELOW = -1;
/** A long span that has more rows is read by its short ones. */
export const FEW = 200;

const spanOf = (value: number, ms: number): number => Math.max(BELOW, Math.floor(value / ms));

/** The values of the marks of a time (Unix milliseconds) or a rank. */
export const spanMarks = (value: number): readonly string[] => [
  `long${spanOf(value, LONG_MS)}`,
  `short${spanOf(value, SHORT_MS)}`,
];

/** A list that is read span by span. */
export interface Walk {
  /** The kind of its marks. */
  readonly order: 'time' | 'rank';
  /** The greatest and the least value in milliseconds that a row may have; null where there is none. */
  readonly greatest: Sql;
  readonly least: Sql;
  /** A statement without an end, to which a LIMIT can be added: `id` and `position` of rows that match and have a mark. */
  readonly withMark: (mark: Sql) => Sql;
  readonly limit: number;
}

/**
 * The first rows of a list, as `id` and `position`: the greatest span first, until there are as many as are wanted. Each
 * step is nested in the one before, so that it runs in this order and no further than needed.
 */
export function walk({ order, greatest, least, withMark, limit }: Walk): Sql {
  const first = sql`ORDER BY position DESC, id DESC LIMIT ${constant(limit)}`;
  const spanIn = (value: Sql): Sql =>
    sql`greatest(${constant(BELOW)}, floor((${value})::float8 / ${constant(LONG_MS)}))::int`;
  const shortSpan = (nth: number): Sql =>
    sql`CASE WHEN long.span < 0 THEN ${constant(BELOW)} ELSE long.span * ${constant(SHORT_PER_LONG)} + ${constant(nth)} END`;
  return sql`
    SELECT found.id, found.position
    FROM (SELECT generate_series(${spanIn(greatest)}, ${spanIn(least)}, -1) AS span) long
    CROSS JOIN LATERAL (
      WITH few AS MATERIALIZED (${withMark(spanQuery(order, 'long'))} LIMIT ${constant(FEW + 1)})
      (SELECT id, position FROM few WHERE (SELECT count(*) FROM few) <= ${constant(FEW)} ${first})
      UNION ALL
      SELECT part.id, part.position
      FROM (SELECT generate_series(${shortSpan(SHORT_PER_LONG - 1)}, ${shortSpan(0)}, -1) AS span
        WHERE (SELECT count(*) FROM few) > ${constant(FEW)}) short
      CROSS JOIN LATERAL (SELECT id, position FROM (${withMark(spanQuery(order, 'short'))}) matching ${first}) part
    ) found
    LIMIT ${constant(limit)}`;
}

const constant = (value: number): Sql => raw(String(value));

/** What finds the rows of the present span; its lexeme is as `markLexeme` writes it. */
const spanQuery = (order: Walk['order'], size: 'long' | 'short'): Sql =>
  raw(`(''':${order}=${size}' || ${size}.span || '''')::tsquery`);
