import sql, { type Sql } from 'sql-template-tag';
import type { Product, Tweet } from '../../../../src/domain/model.js';
import type { NetworkPage } from '../../../../src/ports/network.js';
import { parseQuery } from '../../search/parse.js';
import type { Query } from '../../search/query.js';
import { USER_COLUMNS } from '../columns.js';
import { readTweets } from '../reads/entities.js';
import { type ListedUserRow, userPage } from '../reads/page.js';
import type { Run } from '../run.js';
import { type CorpusPosition, tokenAt } from '../token.js';
import { compile, NEAR_PROFILES, PROFILES } from './compile.js';
import { pick } from './plan.js';
import type { TweetIndex, TweetSearch } from './tweet-index.js';

const SIZE = 50;

/** Throws exactly when a search with this text would be refused: `bad_request`, with the position. Reads nothing. */
export function checkQuery(q: string, product: Product): void {
  const query = parseQuery(q);
  if (product === 'People') compile(query, PROFILES);
}

/** One page of a search. Throws `bad_request` for an invalid query, with the position. */
export async function readSearch(
  run: Run,
  index: TweetIndex,
  search: { q: string; product: Product },
  after: CorpusPosition | null,
  signal: AbortSignal,
): Promise<NetworkPage> {
  const query = parseQuery(search.q);
  if (search.product === 'People') return findProfiles(run, query, after, signal);
  const order = search.product === 'Top' ? 'rank' : 'time';
  return findTweets(run, index, { query: narrowed(query, search.product), order, after }, signal);
}

function narrowed(query: Query, product: Product): Query {
  if (product === 'Photos') return { kind: 'and', of: [query, { kind: 'is', flag: 'image' }] };
  if (product === 'Videos') return { kind: 'and', of: [query, { kind: 'is', flag: 'video' }] };
  return query;
}

/** Latest, Photos and Videos newest first; Top by rank. */
async function findTweets(
  run: Run,
  index: TweetIndex,
  search: Omit<TweetSearch, 'limit'>,
  signal: AbortSignal,
): Promise<NetworkPage> {
  const found = await index.find({ ...search, limit: SIZE + 1 }, signal);
  const ids = found.slice(0, SIZE).map(({ id }) => id);
  const known = ids.length === 0 ? new Map<string, Tweet>() : await readTweets(run, ids, signal);
  const last = found.length > SIZE ? found[SIZE - 1] : undefined;
  return {
    // Leaves out tweets whose author has become protected since they were found.
    tweets: ids.flatMap((id) => known.get(id) ?? []).filter(({ author }) => author?.protected !== true),
    next: last === undefined ? null : tokenAt(last),
    nextIsCertain: true,
  };
}

/**
 * Profiles whose handle, name or bio match, those with the most followers first. If there are none, profiles that match
 * except for a typing error.
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
    start: after === null ? [] : [below(after)],
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

const below = (after: CorpusPosition) => sql`(u.standing, u.id) < (${after.value}::bigint, ${after.id}::bigint)`;
