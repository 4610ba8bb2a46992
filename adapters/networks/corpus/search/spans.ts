import sql, { raw, type Sql } from 'sql-template-tag';

/**
 * Divides the values of an order, in milliseconds, into spans: long ones of 2^35 ms (398 days), and short ones of 2^31 ms
 * (25 days), sixteen to a long one. A tweet's spans are marks in its vector, so that the text index finds only the matches
 * of one span.
 */
const LONG_MS = 2 ** 35;
const SHORT_MS = 2 ** 31;
const SHORT_PER_LONG = LONG_MS / SHORT_MS;
/** All values below zero are one span, long and short: times before 1970, and the ranks of retweets. */
const BELOW = -1;
/** A long span with more matches than this is read by its short spans. */
export const FEW = 200;

const spanOf = (value: number, ms: number): number => Math.max(BELOW, Math.floor(value / ms));

/** The values of the marks that a time (Unix milliseconds) or a rank has. */
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
  /** A statement that returns `id` and `position` of the matches with a mark, to which a LIMIT can be added. */
  readonly withMark: (mark: Sql) => Sql;
  readonly limit: number;
}

/**
 * The first rows of a list, as `id` and `position`. Reads the greatest span first, and stops once it has `limit` rows. Each
 * step is nested in the one before, so the database runs them in this order and no more of them than needed.
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

/** The condition that finds the rows of the current span; its lexeme is written as `markLexeme` writes it. */
const spanQuery = (order: Walk['order'], size: 'long' | 'short'): Sql =>
  raw(`(''':${order}=${size}' || ${size}.span || '''')::tsquery`);
