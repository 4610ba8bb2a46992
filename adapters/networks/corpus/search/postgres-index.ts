import sql, { raw, type Sql } from 'sql-template-tag';
import type { Query } from '../../search/query.js';
import { VISIBLE } from '../reads/subject.js';
import type { Run } from '../run.js';
import { positionTime } from '../token.js';
import { compile, type Handles, isOfTextAlone, tweets } from './compile.js';
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

/** Searches by the text indexes of `corpus_tweets`, or of its partitions. */
export function createPostgresIndex(run: Run, readRanges = createIdRanges(run)): TweetIndex {
  return {
    async find(search, signal) {
      const handles = await readHandles(run, collectHandles(search.query), signal);
      // Planning takes about as long as running, and longer over partitions. So plans are kept where a few serve all queries.
      const isKept = isOfTextAlone(search.query, tweets(handles));
      const compiled = statementsOf(search, handles, isKept);
      const read: Read = (picked) => positions(run, search.order, picked, signal, isKept);
      const ranges = await readRanges(signal);
      const isByTime = search.order === 'time' && ranges.length > 0;
      const places = isByTime ? inSequence(narrowed(ranges, queryBounds(search.query), search.after)) : null;
      if (places !== null) return findInSequence(compiled, places, read, isKept);
      const page = await read(pickInOrder(compiled, []));
      if (page.length === compiled.limit) return page;
      const few = ranges.length > 0 && !isKept ? await read(pickFew(compiled, FEW, [])) : null;
      return few !== null && few.length <= FEW ? few.slice(0, compiled.limit) : read(pickByIndex(compiled, []));
    },
  };
}

type Read = (picked: Sql) => Promise<IndexPosition[]>;

/** How many partitions one statement asks at most. Beyond that, planning takes longer than finding. */
const MOST_AT_ONCE = 16;
/** How many partitions the first such statement asks if it has to be planned each time. */
const FEW_AT_ONCE = 4;

/**
 * Finds a page in partitions that are given newest first: in the newest as if it were the whole table, then in the others.
 * A term that the sample of the newest does not have is probably rare, and looked for in all at once.
 */
async function findInSequence(
  search: Search,
  places: readonly IdRange[],
  read: Read,
  isKept: boolean,
): Promise<IndexPosition[]> {
  const [newest, ...older] = places;
  if (newest === undefined) return [];
  const first = isKept ? MOST_AT_ONCE : FEW_AT_ONCE;
  const page = await read(pickInOrder(search, [inIds(newest)]));
  if (page.length === search.limit) return page;
  if (page.length === 0 && older.length > 0) return findInGroups(search, places, 0, read, first);
  const found = await read(pickByIndex(search, [inIds(newest)]));
  if (found.length === search.limit || older.length === 0) return found;
  return [...found, ...(await findInGroups(search, older, found.length, read, first))];
}

/**
 * Fills the rest of a page from partitions that are given newest first. Asks growing groups of them for a few matches
 * each, which are all matches of a rare term. Of a frequent term, it takes the matches of those partitions that returned
 * all of theirs, and then reads the next partition alone. `before`: how many matches were found before. `first`: the size
 * of the first group.
 */
async function findInGroups(
  search: Search,
  places: readonly IdRange[],
  before: number,
  read: Read,
  first: number,
): Promise<IndexPosition[]> {
  const wanted = search.limit - before;
  const found: IndexPosition[] = [];
  for (let next = 0, size = first; next < places.length && found.length < wanted; size *= 4) {
    const group = places.slice(next, next + Math.min(size, MOST_AT_ONCE));
    // As a rule, twice as many as wanted are enough to fill the page from the partitions that returned all of theirs.
    const most = Math.min(FEW, 2 * (wanted - found.length));
    const few = await read(pickFew(search, most, group.map(inIds)));
    const last = few.length > most ? few.at(-1) : undefined;
    const begun = group.findIndex((range) => last !== undefined && isIn(range, last));
    const cut = group[begun];
    found.push(...few.filter((each) => cut === undefined || !isIn(cut, each)));
    next += cut === undefined ? group.length : begun + 1;
    if (cut !== undefined && found.length < wanted) found.push(...(await read(pickByIndex(search, [inIds(cut)]))));
  }
  return found.slice(0, wanted);
}

function statementsOf({ query, order, after, limit }: TweetSearch, handles: Handles, isKept: boolean): Search {
  const beyond = order === 'rank' ? [below(after)] : after === null ? [] : [olderThan(after)];
  const scopes = order === 'rank' ? [] : scopeConditions(query, handles);
  const bounds = order === 'rank' ? beyond : [...timeConditions(query, handles), ...beyond];
  return {
    table: 'corpus_tweets',
    alias: 't',
    order: order === 'rank' ? 'rank' : 'created_at',
    where: sql`${compile(query, tweets(handles, adjacent, !isKept))} AND ${VISIBLE}`,
    indexed: hasAdjacent(query) ? compile(query, tweets(handles, scattered, !isKept)) : null,
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
  isKept: boolean,
): Promise<IndexPosition[]> {
  const value = order === 'rank' ? raw('position::float8') : raw('(extract(epoch FROM position) * 1000)::float8');
  return run<IndexPosition>(
    sql`SELECT id::text AS id, ${value} AS value FROM (${picked}) picked ORDER BY position DESC, picked.id DESC`,
    signal,
    { planned: isKept ? 'once' : 'anew' },
  );
}

/**
 * Whether the query has words that must be adjacent, and excludes none of those: without their order, an exclusion would
 * leave out more than it should.
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
      WHERE lower(handle) = ANY(${handles.map((handle) => handle.toLowerCase())}::text[]) ORDER BY lower(handle), corpus_users.id DESC`,
    signal,
  );
  return new Map(rows.map((row) => [row.handle, row.id]));
}

const olderThan = (after: IndexPosition) =>
  sql`(t.created_at, t.id) < (${positionTime(after)}::timestamptz, ${after.id}::bigint)`;

/** A row that is not indexed yet has no rank. It would come first, and no page could continue after it. */
const below = (after: IndexPosition | null) =>
  after === null ? sql`t.rank IS NOT NULL` : sql`(t.rank, t.id) < (${after.value}::bigint, ${after.id}::bigint)`;
