import sql, { raw, type Sql } from 'sql-template-tag';
import type { Query } from '../../search/query.js';
import { VISIBLE } from '../reads/subject.js';
import type { Run } from '../run.js';
import { positionTime } from '../token.js';
import { compile, type Handles, tweets } from './compile.js';
import { createIdRanges, type IdRange, inIds, inSequence, isIn, narrowed } from './id-ranges.js';
import {
  boundConditions,
  pickByIndex,
  pickFew,
  pickInOrder,
  queryBounds,
  type Search,
  scopeConditions,
  timeConditions,
} from './plan.js';
import { FEW } from './spans.js';
import { adjacent, scattered } from './text-query.js';
import type { IndexPosition, TweetIndex, TweetSearch } from './tweet-index.js';

/** By the text indexes of `corpus_tweets`, or of its partitions. */
export function createPostgresIndex(run: Run, readRanges = createIdRanges(run)): TweetIndex {
  return {
    async find(search, signal) {
      const handles = await readHandles(run, collectHandles(search.query), signal);
      const asked = statementsOf(search, handles);
      const read: Read = (picked) => positions(run, search.order, picked, signal);
      const pageOf = async (few: () => Promise<readonly IndexPosition[] | null>): Promise<readonly IndexPosition[]> => {
        const page = await read(pickInOrder(asked, []));
        return page.length > 0 ? page : ((await few()) ?? read(pickByIndex(asked, [])));
      };
      const ranges = await readRanges(signal);
      if (ranges.length === 0) return pageOf(async () => null);
      const places =
        search.order === 'time' ? inSequence(narrowed(ranges, queryBounds(search.query), search.after)) : null;
      if (places !== null) return findInSequence(asked, places, read);
      return pageOf(async () => {
        const few = await read(pickFew(asked, []));
        return few.length > FEW ? null : few.slice(0, search.limit);
      });
    },
  };
}

type Read = (picked: Sql) => Promise<IndexPosition[]>;

/** So many partitions are asked at once: of more, it takes longer to plan than to find. */
const MOST_AT_ONCE = 16;

/**
 * Of partitions of which each is older than the one before it, the newest as a table by itself; then, of ever more at once, a few
 * matches: of what is rare, all; of what is not, those of partitions that had all of theirs among them, and then the next
 * partition by itself.
 */
async function findInSequence(asked: Search, places: readonly IdRange[], read: Read): Promise<IndexPosition[]> {
  const [newest, ...older] = places;
  if (newest === undefined) return [];
  const page = await read(pickInOrder(asked, [inIds(newest)]));
  if (page.length > 0) return page;
  const found = [...(await read(pickByIndex(asked, [inIds(newest)])))];
  for (let next = 0, size = 4; next < older.length && found.length < asked.limit; size *= 4) {
    const group = older.slice(next, next + Math.min(size, MOST_AT_ONCE));
    const few = await read(pickFew(asked, group.map(inIds)));
    const last = few.length > FEW ? few.at(-1) : undefined;
    const begun = group.findIndex((range) => last !== undefined && isIn(range, last));
    const cut = group[begun];
    found.push(...few.filter((each) => cut === undefined || !isIn(cut, each)));
    next += cut === undefined ? group.length : begun + 1;
    if (cut !== undefined && found.length < asked.limit) found.push(...(await read(pickByIndex(asked, [inIds(cut)]))));
  }
  return found.slice(0, asked.limit);
}

function statementsOf({ query, order, after, limit }: TweetSearch, handles: Handles): Search {
  const beyond = after === null ? [] : [order === 'rank' ? below(after) : olderThan(after)];
  const scopes = order === 'rank' ? [] : scopeConditions(query, handles);
  const bounds = order === 'rank' ? beyond : [...timeConditions(query, handles), ...beyond];
  return {
    table: 'corpus_tweets',
    alias: 't',
    order: order === 'rank' ? 'rank' : 'created_at',
    where: sql`${compile(query, tweets(handles))} AND ${VISIBLE}`,
    indexed: hasAdjacent(query) ? compile(query, tweets(handles, scattered)) : null,
    start: order === 'rank' ? beyond : [...scopes, ...boundConditions(query, handles), ...beyond],
    // An author's or a conversation's tweets have an index of their own.
    spans: scopes.length === 0 ? bounds : null,
    limit,
  };
}

async function positions(
  run: Run,
  order: TweetSearch['order'],
  picked: Sql,
  signal: AbortSignal,
): Promise<IndexPosition[]> {
  const value = order === 'rank' ? raw('position::float8') : raw('(extract(epoch FROM position) * 1000)::float8');
  return run<IndexPosition>(
    sql`SELECT id::text AS id, ${value} AS value FROM (${picked}) picked ORDER BY position DESC, picked.id DESC`,
    signal,
  );
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

const olderThan = (after: IndexPosition) =>
  sql`(t.created_at, t.id) < (${positionTime(after)}::timestamptz, ${after.id}::bigint)`;

const below = (after: IndexPosition) => sql`(t.rank, t.id) < (${after.value}::bigint, ${after.id}::bigint)`;
