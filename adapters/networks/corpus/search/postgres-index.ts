import sql, { raw, type Sql } from 'sql-template-tag';
import type { Query } from '../../search/query.js';
import { VISIBLE } from '../reads/subject.js';
import type { Run } from '../run.js';
import { positionTime } from '../token.js';
import { compile, type Handles, tweets } from './compile.js';
import { createIdRanges, type IdRange, inSequence, narrowed } from './id-ranges.js';
import {
  boundConditions,
  pickByIndex,
  pickFew,
  pickInOrder,
  type Search,
  scopeConditions,
  timeConditions,
} from './plan.js';
import { FEW } from './spans.js';
import { adjacent, scattered } from './text-query.js';
import type { IndexPosition, TweetIndex, TweetSearch } from './tweet-index.js';

/** By the text indexes of `corpus_tweets`, or of its partitions. */
export function createPostgresIndex(run: Run): TweetIndex {
  const readRanges = createIdRanges(run);
  return {
    async find(search, signal) {
      const handles = await readHandles(run, collectHandles(search.query), signal);
      const asked = statementsOf(search, handles);
      const read = (picked: Sql): Promise<IndexPosition[]> => positions(run, search.order, picked, signal);
      const pageOf = async (among: readonly Sql[], few = noFew): Promise<readonly IndexPosition[]> => {
        const page = await read(pickInOrder(asked, among));
        return page.length > 0 ? page : ((await few()) ?? read(pickByIndex(asked, among)));
      };
      const ranges = await readRanges(signal);
      if (ranges.length === 0) return pageOf([]);
      const few = async (): Promise<readonly IndexPosition[] | null> => {
        const found = await read(pickFew(asked));
        return found.length > FEW ? null : found.slice(0, search.limit);
      };
      if (asked.spans === null) return pageOf([]);
      const places = search.order === 'time' ? inSequence(narrowed(ranges, search)) : null;
      if (places === null) return pageOf([], few);
      const [newest, ...older] = places.map((range) => [inIds(range)]);
      if (newest === undefined) return [];
      const found = [...(await pageOf(newest))];
      if (found.length === search.limit || older.length === 0) return found;
      const all = await few();
      if (all !== null) return all;
      for (const place of older) {
        found.push(...(await read(pickByIndex(asked, place))));
        if (found.length >= search.limit) break;
      }
      return found.slice(0, search.limit);
    },
  };
}

const noFew = async (): Promise<readonly IndexPosition[] | null> => null;

/** As constants, of which the planner makes one partition. */
const inIds = ({ first, last }: IdRange): Sql => sql`t.id BETWEEN ${first}::bigint AND ${last}::bigint`;

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
