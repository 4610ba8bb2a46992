import sql, { raw, type Sql } from 'sql-template-tag';
import type { Product } from '../../../../src/domain/model.js';
import type { NetworkPage } from '../../../../src/ports/network.js';
import { parseQuery } from '../../search/parse.js';
import type { Query } from '../../search/query.js';
import { type TweetRow, USER_COLUMNS, withAuthors } from '../columns.js';
import { rowsToTweets } from '../map.js';
import { type ListedUserRow, userPage } from '../reads/page.js';
import { VISIBLE } from '../reads/subject.js';
import type { Run } from '../run.js';
import { type CorpusPosition, positionTime, tokenAt } from '../token.js';
import { compile, type Handles, NEAR_PROFILES, PROFILES, tweets } from './compile.js';
import { boundConditions, pick, scopeConditions, timeConditions } from './plan.js';
import { adjacent, scattered } from './text-query.js';

const SIZE = 50;

/** Throws exactly when a search with this text would be refused: `bad_request`, with the position. Reads nothing. */
export function checkQuery(q: string, product: Product): void {
  const query = parseQuery(q);
  if (product === 'People') compile(query, PROFILES);
}

/** One page of a search. Throws `bad_request` for an invalid query, with the position. */
export async function readSearch(
  run: Run,
  search: { q: string; product: Product },
  after: CorpusPosition | null,
  signal: AbortSignal,
): Promise<NetworkPage> {
  const query = parseQuery(search.q);
  if (search.product === 'People') return findProfiles(run, query, after, signal);
  return findTweets(run, narrowed(query, search.product), search.product === 'Top', after, signal);
}

function narrowed(query: Query, product: Product): Query {
  if (product === 'Photos') return { kind: 'and', of: [query, { kind: 'is', flag: 'image' }] };
  if (product === 'Videos') return { kind: 'and', of: [query, { kind: 'is', flag: 'video' }] };
  return query;
}

/** Latest, Photos and Videos newest first; Top by rank. */
async function findTweets(
  run: Run,
  query: Query,
  top: boolean,
  after: CorpusPosition | null,
  signal: AbortSignal,
): Promise<NetworkPage> {
  const handles = await readHandles(run, collectHandles(query), signal);
  const where = sql`${compile(query, tweets(handles))} AND ${VISIBLE}`;
  const beyond = after === null ? [] : [top ? below('t.rank', after) : olderThan(after)];
  const indexed = hasAdjacent(query) ? compile(query, tweets(handles, scattered)) : null;
  const scopes = top ? [] : scopeConditions(query, handles);
  const bounds = top ? beyond : [...timeConditions(query, handles), ...beyond];
  const picked = pick({
    table: 'corpus_tweets',
    alias: 't',
    order: top ? 'rank' : 'created_at',
    where,
    indexed,
    start: top ? beyond : [...scopes, ...boundConditions(query, handles), ...beyond],
    // An author's or a conversation's tweets have an index of their own.
    spans: scopes.length === 0 ? bounds : null,
    limit: SIZE + 1,
  });
  const rows = await run<TweetRow>(
    withAuthors(
      sql`SELECT t.* FROM (${picked}) picked JOIN corpus_tweets t ON t.id = picked.id`,
      top ? sql`t.rank DESC, t.id DESC` : sql`t.created_at DESC, t.id DESC`,
    ),
    signal,
  );
  const last = rows.length > SIZE ? rows[SIZE - 1] : undefined;
  const value = top ? last?.rank : last?.created_at.getTime();
  return {
    tweets: rowsToTweets(rows).slice(0, SIZE),
    next: last === undefined || value === undefined ? null : tokenAt({ value, id: last.id }),
    nextIsCertain: true,
  };
}

/**
 * Whether words must be adjacent somewhere, and none of them is excluded: without their order, an exclusion would find
 * less than it should.
 */
function hasAdjacent(query: Query): boolean {
  const phrases = (part: Query, isWanted: boolean): boolean[] => {
    if (part.kind === 'and' || part.kind === 'or') return part.of.flatMap((each) => phrases(each, isWanted));
    if (part.kind === 'not') return phrases(part.of, !isWanted);
    const isPhrase = (part.kind === 'word' || part.kind === 'phrase') && adjacent(part.text) !== scattered(part.text);
    return isPhrase ? [isWanted] : [];
  };
  const found = phrases(query, true);
  return found.length > 0 && found.every(Boolean);
}

/** The handles of `from:` and `to:`, wherever they occur. */
function collectHandles(query: Query): string[] {
  if (query.kind === 'and' || query.kind === 'or') return query.of.flatMap(collectHandles);
  if (query.kind === 'not') return collectHandles(query.of);
  return query.kind === 'from' || query.kind === 'to' ? [query.handle] : [];
}

async function readHandles(run: Run, handles: readonly string[], signal: AbortSignal): Promise<Handles> {
  if (handles.length === 0) return new Map();
  const rows = await run<{ handle: string; id: string }>(
    sql`SELECT DISTINCT ON (lower(handle)) lower(handle) AS handle, id::text AS id FROM corpus_users
      WHERE lower(handle) = ANY(${handles.map((handle) => handle.toLowerCase())}::text[]) ORDER BY lower(handle), id DESC`,
    signal,
  );
  return new Map(rows.map((row) => [row.handle, row.id]));
}

/**
 * Profiles whose handle, name or bio match, those with the most followers first. Where there are none, those that match
 * but for a typing error.
 */
async function findProfiles(
  run: Run,
  query: Query,
  after: CorpusPosition | null,
  signal: AbortSignal,
): Promise<NetworkPage> {
  const exact = compile(query, PROFILES);
  const page = await pageOfProfiles(run, exact, after, signal);
  if (page.users?.length !== 0 && after === null) return page;
  const [match] = await run(sql`SELECT FROM corpus_users u WHERE ${exact} LIMIT 1`, signal);
  return match === undefined ? pageOfProfiles(run, compile(query, NEAR_PROFILES), after, signal) : page;
}

async function pageOfProfiles(
  run: Run,
  where: Sql,
  after: CorpusPosition | null,
  signal: AbortSignal,
): Promise<NetworkPage> {
  const picked = pick({
    table: 'corpus_users',
    alias: 'u',
    order: 'standing',
    where,
    indexed: null,
    start: after === null ? [] : [below('u.standing', after)],
    spans: null,
    limit: SIZE + 1,
  });
  const rows = await run<ListedUserRow>(
    sql`SELECT ${USER_COLUMNS}, picked.position::float8 AS position, u.id::text AS position_id
      FROM (${picked}) picked JOIN corpus_users u ON u.id = picked.id ORDER BY picked.position DESC, u.id DESC`,
    signal,
  );
  return userPage(rows, SIZE);
}

const olderThan = (after: CorpusPosition) =>
  sql`(t.created_at, t.id) < (${positionTime(after)}::timestamptz, ${after.id}::bigint)`;

const below = (column: 't.rank' | 'u.standing', after: CorpusPosition) =>
  sql`(${raw(column)}, ${raw(`${column[0]}.id`)}) < (${after.value}::bigint, ${after.id}::bigint)`;
