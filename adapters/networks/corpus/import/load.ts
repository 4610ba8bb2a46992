/**
 * Loads rows into the corpus tables. Always true: one import is one transaction, so it takes effect entirely or not at
 * all; imports take turns; importing the same rows again changes nothing; memory holds two batches, whatever the size
 * of the source. Tables that were empty get their secondary indexes at the end when the load is large, which halves the
 * database's work.
 */
import { badRequest } from '../../../../src/domain/errors.js';
import { sentence } from '../../../../src/lib/text.js';
import type { CorpusRow, CorpusTweet, CorpusUser } from '../rows.js';
import type { Tables } from '../run.js';
import type { CopyText } from './copy.js';
import { isCutOf } from './cut-text.js';
import { noteIndexed } from './index-corpus.js';
import { lateIndexes } from './late-indexes.js';
import { atLeisure, vacuum } from './leisure.js';
import { mergedParts } from './merge-parts.js';
import { type Fault, isFault, isOmission, type Omission, type Reading } from './objects/reading.js';
import { IMPORT_LOCK, type Sql, type TransactionSql } from './sql.js';
import {
  mergeFollows,
  openFollowStage,
  openStage,
  type StagedFollow,
  stagedText,
  stageFollows,
  writeRows,
} from './stage.js';
import { type Into, intoTables } from './tables.js';

/** Few enough that rows which wait for their batch seldom outlive a collection of young objects. */
const BATCH_ROWS = 2000;
/** Characters of text. */
const BATCH_TEXT = 8 * 1024 * 1024;
const FAULTS_KEPT = 20;
/** This many new rows make the planner's statistics wrong. */
const LARGE_LOAD_ROWS = 1_000;

interface Tally {
  /** Rows read; an object may occur several times. Rows neither added nor changed contained nothing new. */
  read: number;
  added: number;
  changed: number;
}

export interface ImportSummary {
  readonly users: Tally;
  readonly tweets: Tally;
  readonly follows: Tally;
  /** How many pieces of files were left out, and the first of them. */
  readonly faults: { count: number; readonly first: Fault[] };
  /** What was left out of files on purpose. */
  readonly omitted: Omission[];
}

export interface LoadOptions {
  /** The first fault ends the import with bad_request, and nothing is stored. */
  readonly strict?: boolean;
  /** Rows sent to the database so far, after each batch. */
  readonly onRows?: (rows: number) => void;
  readonly onFault?: (fault: Fault) => void;
  /** Where to: the imported data by default. */
  readonly tables?: Tables;
}

const newTally = (): Tally => ({ read: 0, added: 0, changed: 0 });

const count = (tally: Tally, { added, changed }: { added: number; changed: number }): void => {
  tally.added += added;
  tally.changed += changed;
};

/** What a later row of the same object does not tell stays as it was. */
function keep<Row extends { readonly id: string }>(rows: Map<string, Row>, row: Row): void {
  const earlier = rows.get(row.id);
  rows.set(row.id, earlier === undefined ? row : { ...earlier, ...row });
}

const OF_TEXT = ['text', 'urls', 'articles', 'hashtags', 'mentions'] as const;

/** The same; a text that its source cut leaves the whole one as it was, with what it contains. */
function keepTweet(rows: Map<string, CorpusTweet>, row: CorpusTweet): void {
  const earlier = rows.get(row.id);
  const isCut = earlier !== undefined && isCutOf(row.text, earlier.text);
  const kept = isCut ? OF_TEXT.filter((name) => name in earlier).map((name) => [name, earlier[name]]) : [];
  keep(rows, { ...row, ...Object.fromEntries(kept), ...(earlier && mergedParts(earlier, row)) });
}

/** Rows that wait to be written together, each object once: later rows add to or update earlier ones. */
class Batch {
  readonly users = new Map<string, CorpusUser>();
  readonly tweets = new Map<string, CorpusTweet>();
  readonly follows: StagedFollow[] = [];
  private text = 0;

  get size(): number {
    return this.users.size + this.tweets.size + this.follows.length;
  }

  get isFull(): boolean {
    return this.size >= BATCH_ROWS || this.text >= BATCH_TEXT;
  }

  add(row: CorpusRow, summary: ImportSummary): void {
    if (row.kind === 'user') {
      summary.users.read += 1;
      this.text += row.user.bio?.length ?? 0;
      keep(this.users, row.user);
    } else if (row.kind === 'tweet') {
      summary.tweets.read += 1;
      this.text += row.tweet.text.length;
      keepTweet(this.tweets, row.tweet);
    } else {
      summary.follows.read += 1;
      this.follows.push([row.followerId, row.followedId, summary.follows.read]);
    }
  }

  /** Computes what is to be written, which takes longer than writing it. */
  async prepare(into: Into): Promise<Prepared> {
    return {
      users: await stagedText(into.users, this.users.values()),
      tweets: await stagedText(into.tweets, this.tweets.values()),
      follows: this.follows,
    };
  }
}

/** A batch as its tables take it. */
interface Prepared {
  readonly users: CopyText;
  readonly tweets: CopyText;
  readonly follows: readonly StagedFollow[];
}

async function writeBatch(
  sql: TransactionSql,
  { users, tweets, follows }: Prepared,
  summary: ImportSummary,
  into: Into,
  fresh: Set<string>,
): Promise<void> {
  count(summary.users, await writeRows(sql, into.users, users, fresh));
  count(summary.tweets, await writeRows(sql, into.tweets, tweets, fresh));
  if (follows.length > 0) await stageFollows(sql, follows);
}

function note(fault: Fault, faults: ImportSummary['faults'], options: LoadOptions): void {
  options.onFault?.(fault);
  if (options.strict) throw badRequest(`${fault.file}:${fault.line}: ${sentence(fault.message)}`);
  faults.count += 1;
  if (faults.first.length < FAULTS_KEPT) faults.first.push(fault);
}

async function loadAll(
  sql: TransactionSql,
  rows: AsyncIterable<Reading | CorpusRow> | Iterable<Reading | CorpusRow>,
  options: LoadOptions,
  into: Into,
  empty: readonly string[],
): Promise<ImportSummary> {
  const indexes = lateIndexes(sql, empty);
  const fresh = new Set(empty);
  const summary: ImportSummary = {
    users: newTally(),
    tweets: newTally(),
    follows: newTally(),
    faults: { count: 0, first: [] },
    omitted: [],
  };
  let batch = new Batch();
  let given = 0;
  let writing = Promise.resolve();
  const write = async (): Promise<void> => {
    // While the database still writes the batch before.
    const prepared = await batch.prepare(into);
    await writing;
    options.onRows?.(given);
    // If everything fits one batch, dropping an index is not worth it.
    if (given > 0) await indexes.drop();
    given += batch.size;
    writing = writeBatch(sql, prepared, summary, into, fresh);
    // The database works while the next batch is read and prepared; the next await receives a failure.
    writing.catch(() => {});
    batch = new Batch();
  };
  try {
    for await (const item of rows) {
      if (isFault(item)) note(item, summary.faults, options);
      else if (isOmission(item)) summary.omitted.push(item);
      else batch.add('row' in item ? item.row : item, summary);
      if (batch.isFull) await write();
    }
    await write();
  } finally {
    await writing; // A transaction can't be rolled back in the middle of a copy.
  }
  if (summary.follows.read > 0) count(summary.follows, await mergeFollows(sql, into.follows));
  if (summary.tweets.added + summary.tweets.changed > 0) await markEdited(sql, into.tweets.name);
  await indexes.build();
  options.onRows?.(given);
  return summary;
}

/** Of each tweet of which a later version is there, the latest one. */
async function markEdited(sql: TransactionSql, tweets: string): Promise<void> {
  await sql`update ${sql(tweets)} t set edited_to = later.id from (
      select earlier, max(id) as id from ${sql(tweets)}, unnest(earlier_ids) as earlier where earlier_ids is not null group by earlier
    ) later where t.id = later.earlier and t.edited_to is distinct from later.id`;
}

async function findEmptyTables(sql: TransactionSql, tables: readonly string[]): Promise<string[]> {
  const empty: string[] = [];
  for (const table of tables) {
    const found = await sql`select from ${sql(table)} limit 1`;
    if (found.length === 0) empty.push(table);
  }
  return empty;
}

/**
 * Loads rows in one transaction. Values overwrite older ones, absent ones erase nothing, edges keep their order of
 * arrival. Waits while another import runs. Throws bad_request at the first fault when `strict`.
 */
export async function loadCorpus(
  sql: Sql,
  rows: AsyncIterable<Reading | CorpusRow> | Iterable<Reading | CorpusRow>,
  options: LoadOptions = {},
): Promise<ImportSummary> {
  const { tables = 'corpus' } = options;
  const into = intoTables(tables);
  const names = [into.users.name, into.tweets.name, into.follows];
  const summary = await atLeisure(sql, async (transaction) => {
    await transaction`select pg_advisory_xact_lock(${IMPORT_LOCK})`;
    await openStage(transaction, into.users);
    await openStage(transaction, into.tweets);
    await openFollowStage(transaction);
    const empty = await findEmptyTables(transaction, names);
    // Otherwise the first start would index anew what this import has just indexed.
    for (const { name } of [into.users, into.tweets]) if (empty.includes(name)) await noteIndexed(transaction, name);
    return loadAll(transaction, rows, options, into, empty);
  });
  const written = [summary.users, summary.tweets, summary.follows].reduce(
    (sum, { added, changed }) => sum + added + changed,
    0,
  );
  if (written >= LARGE_LOAD_ROWS) await Promise.all(names.map((name) => vacuum(sql, name)));
  return summary;
}
