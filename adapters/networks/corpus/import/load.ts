/**
 * Loads rows into the corpus tables. Always true: what a load has stored is the beginning of its source, stored once;
 * edges are stored all together at its end; loads take turns; loading the same rows again changes nothing; memory holds
 * two batches, whatever the size of the source. If the load is large, tables that were empty get their indexes at the
 * end, which halves the database's work.
 */
import { badRequest } from '../../../../src/domain/errors.js';
import { sentence } from '../../../../src/lib/text.js';
import type { CorpusRow } from '../rows.js';
import type { Tables } from '../run.js';
import { type PreparedBatch, RowBatch } from './batch.js';
import { noteComplete, noteIndexed } from './index-corpus.js';
import { buildIndex, dropIndexes, type MissingIndex, missingIndexes, type Which } from './late-indexes.js';
import { atLeisure } from './leisure.js';
import { type Fault, isFault, isOmission, type Reading } from './objects/reading.js';
import { divide, mend, vacuumWritten } from './partitions.js';
import type { Sql, TransactionSql } from './sql.js';
import { mergeFollows, openFollowStage, openStage, stageFollows, writeRows } from './stage.js';
import { emptySummary, type ImportSummary, newTally, noteFault, noteWritten, type Tally } from './summary.js';
import { type Into, intoTables } from './tables.js';
import {
  type Begun,
  beginImport,
  endImport,
  type ImportIdentity,
  keepReached,
  type Reached,
  rowsRead,
} from './unfinished.js';

/** Batches of `MOST_ROWS` rows that an import commits at once, and so the most that an interrupted one does again. */
const MOST_BATCHES = 10;
/** This many new rows make the planner's statistics wrong. */
const LARGE_LOAD_ROWS = 1_000;

export interface LoadOptions {
  /** The first fault ends the load with bad_request. */
  readonly strict?: boolean;
  /** Rows sent to the database so far, before each batch and at the end. */
  readonly onRows?: (rows: number) => void;
  readonly onFault?: (fault: Fault) => void;
  /** Which tables to load into; those of the imported data by default. */
  readonly tables?: Tables;
  /** Loads nothing if a table has rows once this load has its turn. */
  readonly onlyIfEmpty?: boolean;
  /** Called if another load has its turn, which may take long. */
  readonly onWait?: () => void;
}

type Rows = AsyncIterable<Reading | CorpusRow> | Iterable<Reading | CorpusRow>;

/** How a load is stored. */
interface Load {
  readonly into: Into;
  /** The transaction in which it ends. */
  readonly last: TransactionSql;
  /** Runs a step, either in that transaction or in one of its own, which is committed after it. */
  step(work: (sql: TransactionSql) => Promise<void>): Promise<void>;
  /** Writes some batches, in a step that also stores how far they reach. */
  turn(work: (sql: TransactionSql) => Promise<Reached>): Promise<void>;
  /** The most batches of a turn. */
  readonly batches: number;
  /** Which indexes may be missing until the load ends. */
  readonly late: Which;
  readonly empty: readonly string[];
  /** Tables that rows are copied into directly, as far as that works. */
  readonly fresh: Set<string>;
  readonly from: Reached;
}

function note(fault: Fault, faults: ImportSummary['faults'], options: LoadOptions): void {
  options.onFault?.(fault);
  if (options.strict) throw badRequest(`${fault.file}:${fault.line}: ${sentence(fault.message)}`);
  noteFault(faults, fault);
}

type PlacedBatch = PreparedBatch & { readonly reached: Reached };

/** The rows after the place where the load begins, in batches; and all edges, since earlier ones are not yet stored. */
async function* batchesOf(rows: Rows, options: LoadOptions, { into, from }: Load): AsyncGenerator<PlacedBatch> {
  const { summary } = from;
  let batch = new RowBatch();
  let place = 0;
  const prepared = async (): Promise<PlacedBatch> => ({
    ...(await batch.prepare(into)),
    reached: { place, summary: structuredClone(summary) },
  });
  for await (const item of rows) {
    place += 1;
    const isStored = place <= from.place;
    if (isFault(item)) {
      if (!isStored) note(item, summary.faults, options);
    } else if (isOmission(item)) {
      if (!isStored) summary.omitted.push(item);
    } else {
      const row = 'row' in item ? item.row : item;
      if (!isStored || row.kind === 'follow') batch.add(row, summary);
    }
    if (!batch.isFull || ('continues' in item && item.continues)) continue;
    yield await prepared();
    batch = new RowBatch();
  }
  yield await prepared();
}

/** Waits until both end, even if one fails, because a transaction can't be rolled back in the middle of a copy. */
async function both<A, B>(one: Promise<A>, other: Promise<B>): Promise<A> {
  const [first] = await Promise.allSettled([one, other]);
  await other;
  return first.status === 'fulfilled' ? first.value : one;
}

async function writeBatch(sql: TransactionSql, { users, tweets, follows }: PreparedBatch, load: Load): Promise<void> {
  const { into, fresh, last, from } = load;
  noteWritten(from.summary.users, await writeRows(sql, into.users, users, fresh));
  noteWritten(from.summary.tweets, await writeRows(sql, into.tweets, tweets, fresh));
  if (follows.length === 0) return;
  await openFollowStage(last);
  await stageFollows(last, follows);
}

/** The state to store: what was read up to this place, and all that was written. Edges are left out, and read again. */
function reachedWith({ place, summary }: Reached, { users, tweets }: ImportSummary): Reached {
  const kept = (read: Tally, { added, changed }: Tally): Tally => ({ ...read, added, changed });
  return {
    place,
    summary: {
      ...summary,
      users: kept(summary.users, users),
      tweets: kept(summary.tweets, tweets),
      follows: newTally(),
    },
  };
}

async function writeAll(rows: Rows, options: LoadOptions, load: Load): Promise<void> {
  const { into, from } = load;
  const late = load.empty.filter((table) => table !== into.follows);
  const batches = batchesOf(rows, options, load);
  let given = 0;
  let turns = 0;
  let next = await batches.next();
  const turn = async (sql: TransactionSql): Promise<Reached> => {
    const written = (): number => from.summary.tweets.added + from.summary.tweets.changed;
    const before = written();
    let reached = from;
    turns += 1;
    await openStages(sql, into);
    for (let nth = 0; nth < load.batches && !next.done; nth += 1) {
      const batch: PlacedBatch = next.value;
      options.onRows?.(given);
      // If everything fits one batch, dropping an index is not worth it; and rows that readers have seen keep theirs.
      if (turns === 1 && nth === 1 && late.length > 0) await dropIndexes(sql, late, load.late);
      given += batch.size;
      // The database works while the next batch is read and prepared.
      next = await both(batches.next(), writeBatch(sql, batch, load));
      reached = batch.reached;
    }
    if (written() > before) await markEdited(sql, into.tweets.name);
    await countWritten(sql);
    return reachedWith(reached, from.summary);
  };
  try {
    while (!next.done) await load.turn(turn);
  } finally {
    await batches.return(undefined);
  }
  options.onRows?.(given);
}

async function openStages(sql: TransactionSql, { users, tweets }: Into): Promise<void> {
  await openStage(sql, users);
  await openStage(sql, tweets);
}

async function loadAll(rows: Rows, options: LoadOptions, load: Load): Promise<ImportSummary> {
  const { into, last, from } = load;
  const { summary } = from;
  const tables = [into.users.name, into.tweets.name];
  const build = async (which: (index: MissingIndex) => boolean): Promise<void> => {
    for (const index of (await missingIndexes(last, tables)).filter(which))
      await load.step((sql) => buildIndex(sql, index));
  };
  // After an upgrade these may still be missing, and each turn needs them.
  await build(({ definition }) => !definition.includes('USING gin'));
  // A simple statement leaves no snapshot behind, which would make the database keep old row versions until the end.
  await last.unsafe('select');
  await writeAll(rows, options, load);
  await build(() => true);
  for (const table of tables) await load.step((sql) => noteComplete(sql, table));
  if (summary.follows.read === 0) return summary;
  // Reads that count edges then wait for the end of this transaction, which stores all of them.
  const isLate = load.empty.includes(into.follows) && summary.follows.read >= LARGE_LOAD_ROWS;
  if (isLate) await dropIndexes(last, [into.follows], 'all');
  noteWritten(summary.follows, await mergeFollows(last, into.follows));
  await countWritten(last);
  for (const index of await missingIndexes(last, [into.follows])) await buildIndex(last, index);
  return summary;
}

/** Makes the database count what is written with the commit, not a second later, for `vacuumWritten`. */
const countWritten = (sql: TransactionSql) => sql`select pg_stat_force_next_flush()`;

/** Notes the latest version of each tweet that has a later version in the table. */
async function markEdited(sql: TransactionSql, tweets: string): Promise<void> {
  await sql`update ${sql(tweets)} t set edited_to = later.id from (
      select earlier, max(id) as id from ${sql(tweets)}, unnest(earlier_ids) as earlier where earlier_ids is not null group by earlier
    ) later where t.id = later.earlier and t.edited_to is distinct from later.id`;
}

const namesIn = ({ users, tweets, follows }: Into): string[] => [users.name, tweets.name, follows];

/** The tables without rows. Also notes that all rows that they get are indexed by today's version. */
async function findEmptyTables(sql: TransactionSql, into: Into): Promise<string[]> {
  const empty: string[] = [];
  for (const table of namesIn(into)) {
    const found = await sql`select from ${sql(table)} limit 1`;
    if (found.length > 0) continue;
    empty.push(table);
    // Otherwise the first start would index again what this load has just indexed.
    if (table !== into.follows) await noteIndexed(sql, table);
  }
  return empty;
}

/** Runs a load while no other runs, and gives it a transaction that ends with it. */
async function inTurn(
  sql: Sql,
  into: Into,
  { onWait }: LoadOptions,
  load: (last: TransactionSql) => Promise<ImportSummary>,
): Promise<ImportSummary> {
  const summary = await atLeisure(sql, async (last) => {
    const [turn] = await last`select pg_try_advisory_xact_lock(${into.lock}) as taken`;
    if (!turn?.taken) {
      onWait?.();
      await last`select pg_advisory_xact_lock(${into.lock})`;
    }
    return load(last);
  });
  const written = [summary.users, summary.tweets, summary.follows].reduce(
    (sum, { added, changed }) => sum + added + changed,
    0,
  );
  // One after the other: while one is analyzed, a vacuum of another could not mark the pages for index-only scans.
  if (written >= LARGE_LOAD_ROWS) for (const name of namesIn(into)) await vacuumWritten(sql, name);
  return summary;
}

/**
 * Loads rows in one transaction, so that it takes effect entirely or not at all. Values overwrite older ones, absent ones
 * erase nothing, edges keep their order of arrival. Waits while another load runs. Throws bad_request at the first fault
 * when `strict`.
 */
export async function loadCorpus(sql: Sql, rows: Rows, options: LoadOptions = {}): Promise<ImportSummary> {
  const into = intoTables(options.tables);
  return inTurn(sql, into, options, async (last) => {
    await mend(last, into.tweets.name);
    const empty = await findEmptyTables(last, into);
    if (options.onlyIfEmpty && empty.length < namesIn(into).length) return emptySummary();
    return loadAll(rows, options, {
      into,
      last,
      step: (work) => work(last),
      async turn(work) {
        await work(last);
      },
      batches: Number.POSITIVE_INFINITY,
      late: 'all',
      empty,
      fresh: new Set(empty),
      from: { place: 0, summary: emptySummary() },
    });
  });
}

export interface TurnOptions extends Omit<LoadOptions, 'strict' | 'tables' | 'onlyIfEmpty'> {
  /** Called when the load begins, or resumes after the rows that an earlier run stored. */
  readonly onBegin?: (begun: Begun) => void;
  /** The most batches of a turn. */
  readonly batches?: number;
  /** Rows that fill a partition of tweets. */
  readonly mostRows?: number;
  /** Called with the number of rows of users and tweets that are stored, whatever happens next. */
  readonly onKept?: (rows: number) => void;
}

/**
 * The same in a series of transactions. If it is interrupted and called again with the same identity and the same rows,
 * it resumes after the last row that was stored. Needs a second connection of the pool.
 */
export async function loadInTurns(
  sql: Sql,
  rows: Rows,
  identity: ImportIdentity,
  options: TurnOptions = {},
): Promise<ImportSummary> {
  const into = intoTables();
  return inTurn(sql, into, options, async (last) => {
    await divide(sql, into.tweets.name, options);
    const { begun, empty } = await atLeisure(sql, async (first) => ({
      begun: await beginImport(first, identity),
      empty: await findEmptyTables(first, into),
    }));
    options.onBegin?.(begun);
    const summary = await loadAll(rows, options, {
      into,
      last,
      step: (work) => atLeisure(sql, work),
      async turn(work) {
        const { summary: kept } = await atLeisure(sql, async (own) => {
          const reached = await work(own);
          await keepReached(own, begun.claim, reached);
          return reached;
        });
        options.onKept?.(rowsRead(kept));
        await divide(sql, into.tweets.name, options);
      },
      batches: options.batches ?? MOST_BATCHES,
      late: 'of searches',
      empty,
      // The remaining rows of an interrupted import are new, too.
      fresh: new Set(begun.reached === null ? empty : namesIn(into)),
      from: begun.reached ?? { place: 0, summary: emptySummary() },
    });
    await endImport(last, begun.claim);
    return summary;
  });
}
