import { channel } from 'node:diagnostics_channel';
import { InDoubtError, ServiceError } from '../../../src/domain/errors.js';
import { LEDGER_COMMITS, type LedgerCommit } from '../../../src/domain/usage.js';
import type { AbortState } from '../../../src/lib/abort.js';
import { BriefMap } from '../../../src/lib/brief-collections.js';
import { processTime } from '../../../src/lib/monotonic.js';
import type { Time } from '../../../src/ports/clock.js';
import type { Debit, Ledger, Posted } from '../../../src/ports/ledger.js';
import { isTimedOut, isTransient, isUniqueViolation, mayHaveCommitted, retryTransient } from '../retry.js';
import type { Sql } from '../sql.js';
import { type DebitRow, findPosted, type LockMode, type PostedEntry, postDebits } from './debit-statement.js';
import { GroupCommit } from './group-commit.js';
import type { FlushMode, GroupCommitOptions, Verdict } from './group-commit-options.js';
import { type Entry, isTimely, postPlainDebits, type ShardOf } from './plain-debits.js';

const commits = channel(LEDGER_COMMITS);

/** Concurrent flushes of a queue: those that wait for no locked row, and those that do. Each uses one connection. */
const FLIGHTS = 2;
const WAITS = 2;
export const SETTLING_CONNECTIONS = FLIGHTS + WAITS;

/**
 * The longest that a debit waits for its turn. One that waits for this long has a wallet that was locked all the time.
 */
const LONGEST_WAIT_MS = 60_000;

/** The statements that posting is made of. They fail with the errors of Postgres, or of a lost connection. */
export interface DebitStatements {
  postPlain(debits: readonly Debit[]): Promise<(Entry | undefined)[]>;
  postAny(debits: readonly Debit[], mode: LockMode): Promise<DebitRow[]>;
  find(debits: readonly Debit[]): Promise<(PostedEntry | undefined)[]>;
}

export const debitStatements = (sql: Sql, shardOf?: ShardOf): DebitStatements =>
  statementsOn((_debits, statement) => statement(sql), shardOf);

/** Runs a statement on the server of a batch. */
type OnServer = <T>(debits: readonly Debit[], statement: (sql: Sql) => Promise<T>) => Promise<T>;

/** The statements, each run on the server of its batch. */
export const statementsOn = (on: OnServer, shardOf?: ShardOf): DebitStatements => ({
  postPlain: (debits) => on(debits, (sql) => postPlainDebits(sql, debits, shardOf)),
  postAny: (debits, mode) => on(debits, (sql) => postDebits(sql, debits, mode, shardOf)),
  find: (debits) => on(debits, (sql) => findPosted(sql, debits, shardOf)),
});

/**
 * The queue of an account. Only debits of one shard are posted together, so each shard has a queue with its own bounds.
 */
export type QueueOf = (accountId: string) => number;

/**
 * The posting side of the ledger (README.md): debits that wait for a commit share it. A rejection means that the debit
 * is not known to be posted.
 */
export function createPost(
  statements: DebitStatements,
  time: Time = processTime,
  queueOf: QueueOf = () => 0,
): Ledger['post'] {
  const options: GroupCommitOptions<Posting, Posted> = {
    flush: (batch, mode) => flush({ statements, time }, batch, mode),
    partitionOf: ({ debit }) => debit.walletId,
    isPlain: ({ isPlain }) => isPlain,
    dismissal: ({ signal, isInDoubt }, waitedMs) => {
      if (waitedMs > LONGEST_WAIT_MS) return isInDoubt ? inDoubt(signal?.reason) : tooManyWaiting(5);
      // If it is in doubt, the next flush finds out whether it was posted.
      return signal?.aborted && !isInDoubt ? signal.reason : undefined;
    },
    refusal: tooManyWaiting,
    settled: ({ id }) => void onTheWay.delete(id),
    bounds: { flights: FLIGHTS, waits: WAITS },
    time,
  };
  const queues = new Map<number, GroupCommit<Posting, Posted>>();
  const commitsOf = ({ debit }: Posting): GroupCommit<Posting, Posted> => {
    const queue = queueOf(debit.accountId);
    const commits = queues.get(queue) ?? new GroupCommit(options);
    queues.set(queue, commits);
    return commits;
  };
  // The same id while its first post is in progress is the same debit.
  const onTheWay = new BriefMap<Posting>();
  const post: Ledger['post'] = (debit, signal) => {
    if (!Number.isSafeInteger(debit.amount) || debit.amount <= 0) {
      return Promise.reject(new RangeError(`a debit of ${debit.amount} thousandths: whole and above zero expected`));
    }
    const id = `${debit.accountId} ${debit.requestId}`;
    const first = onTheWay.get(id);
    // If it failed because its own caller left, this one is posted again.
    if (first !== undefined)
      return first.answer.catch((error) => {
        if (!first.signal?.aborted || signal?.aborted) throw error;
        return post(debit, signal);
      });
    const isPlain = isTimely(debit.requestId) && isOwn(debit);
    const posting: Posting = { id, debit, signal, isInDoubt: false, isPlain, verdict: undefined, answer: UNANSWERED };
    onTheWay.set(id, posting);
    posting.answer = commitsOf(posting).submit(posting);
    return posting.answer;
  };
  return post;
}

/** Whether the key that was looked up is the debit's own. */
const isOwn = ({ uncapped, accountId, walletId, keyId }: Debit): boolean =>
  uncapped?.keyId === keyId && uncapped.walletId === walletId && uncapped.accountId === accountId;

/** The answer of a posting until it is submitted, in the same turn of the event loop. */
const UNANSWERED = new Promise<never>(() => {});

const tooManyWaiting = (retryAfter: number): ServiceError =>
  new ServiceError(
    'upstream_rate_limited',
    `Too many charges of this account are waiting to be recorded. Nothing was charged. Try again in ${retryAfter} s.`,
    { reason: 'settling', retryAfter },
  );

interface Posting {
  /** Made of the account's and the request's ids. */
  readonly id: string;
  readonly debit: Debit;
  readonly signal: AbortState | undefined;
  /** Whether an attempt whose result was lost may have posted it. */
  isInDoubt: boolean;
  /** Whether nothing so far shows that it needs the statement for all cases. */
  isPlain: boolean;
  /** The verdict of its current flush, as soon as it is known: a later failure in the same flush does not change it. */
  verdict: Verdict<Posted> | undefined;
  answer: Promise<Posted>;
}

interface Context {
  readonly statements: DebitStatements;
  readonly time: Time;
}

const isOpen = ({ verdict }: Posting): boolean => verdict === undefined;

const hasLeft = (posting: Posting): boolean => posting.signal?.aborted === true && isOpen(posting);

async function flush(context: Context, batch: readonly Posting[], mode: FlushMode): Promise<Verdict<Posted>[]> {
  const { monotonic } = context.time;
  const startedAt = monotonic.now();
  for (const posting of batch) posting.verdict = undefined;
  const failed = await decide(context, batch, mode);
  const verdicts = batch.map(({ verdict }) => verdict as Verdict<Posted>);
  if (commits.hasSubscribers) report(verdicts, monotonic.now() - startedAt, failed);
  return verdicts;
}

/** Publishes what a flush did, unless it did nothing because of locks. */
function report(verdicts: readonly Verdict<Posted>[], ms: number, failed: boolean): void {
  if (verdicts.every((verdict) => verdict === 'locked' || verdict === 'isolate')) return;
  const isPosted = (verdict: Verdict<Posted>) => typeof verdict === 'object' && 'value' in verdict && verdict.value.ok;
  commits.publish({ debits: verdicts.filter(isPosted).length, ms, failed } satisfies LedgerCommit);
}

/**
 * Decides each posting's verdict. Returns whether a statement failed, so that debits were not posted or are in doubt.
 * Starts no attempt for a caller who has left, neither at first nor after an attempt that is known to have done
 * nothing.
 */
async function decide(context: Context, batch: readonly Posting[], mode: FlushMode): Promise<boolean> {
  const attemptOpen = async (): Promise<void> => {
    await resolveAbandoned(context.statements, batch.filter(hasLeft));
    const postings = batch.filter(isOpen);
    if (postings.length > 0) await attempt(context, postings, mode);
  };
  try {
    await retryTransient(attemptOpen, undefined, context.time);
    return false;
  } catch (error) {
    const postings = batch.filter(isOpen);
    // One of them may be at fault: each is posted alone, so that only that one fails.
    if (postings.length > 1 && !isTransient(error)) {
      const failures = await Promise.all(postings.map((posting) => decide(context, [posting], mode)));
      return failures.includes(true);
    }
    for (const posting of postings) posting.verdict = { error: posting.isInDoubt ? inDoubt(error) : error };
    return true;
  }
}

const inDoubt = (cause: unknown): InDoubtError =>
  new InDoubtError('a debit may have been posted, but its result was lost', { cause });

const asPosted = ({ balance, seq, amount }: PostedEntry): Verdict<Posted> => ({
  value: { ok: true, balance, seq, amount },
});

const toDebits = (postings: readonly Posting[]): Debit[] => postings.map(({ debit }) => debit);

/** For callers who have left: finds out what a lost attempt did, and starts no new one. */
async function resolveAbandoned(statements: DebitStatements, left: readonly Posting[]): Promise<void> {
  const doubtful = left.filter(({ isInDoubt }) => isInDoubt);
  for (const posting of left) if (!posting.isInDoubt) posting.verdict = { error: posting.signal?.reason };
  if (doubtful.length === 0) return;
  const found = await statements.find(toDebits(doubtful));
  for (const [nth, posting] of doubtful.entries()) {
    const entry = found[nth];
    posting.verdict = entry ? asPosted(entry) : { error: inDoubt(posting.signal?.reason) };
  }
}

/** Runs a statement that posts. If its result is lost, any of its debits may have been posted: they are in doubt. */
async function markInDoubtIfLost<Result>(postings: readonly Posting[], run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (mayHaveCommitted(error)) for (const posting of postings) posting.isInDoubt = true;
    throw error;
  }
}

/** Debits that the plain statement does not post are retried with the other one, which says why. */
async function attempt(context: Context, postings: readonly Posting[], mode: FlushMode): Promise<void> {
  if (mode !== 'plain') return attemptAny(context, postings, mode);
  const retry = (posting: Posting): void => {
    posting.isPlain = false;
    posting.verdict = 'retry';
  };
  try {
    const entries = await markInDoubtIfLost(postings, () => context.statements.postPlain(toDebits(postings)));
    for (const [nth, posting] of postings.entries()) {
      const entry = entries[nth];
      if (entry === undefined) retry(posting);
      else posting.verdict = asPosted({ ...entry, amount: posting.debit.amount });
    }
  } catch (error) {
    if (!isTimedOut(error) && !isUniqueViolation(error)) throw error;
    for (const posting of postings) retry(posting);
  }
}

/**
 * An earlier attempt may have committed without its result arriving, so an id that exists is a success. If a statement
 * with several debits took too long, each half is tried once, so that not all of them have to be isolated.
 */
async function attemptAny(
  context: Context,
  postings: readonly Posting[],
  mode: LockMode,
  isHalf = false,
): Promise<void> {
  const { statements } = context;
  const all = (verdict: Verdict<Posted>): void => {
    for (const posting of postings) posting.verdict = verdict;
  };
  let rows: DebitRow[];
  try {
    rows = await markInDoubtIfLost(postings, () => statements.postAny(toDebits(postings), mode));
  } catch (error) {
    if (isTimedOut(error)) {
      if (mode === 'waitForLock') return all('locked');
      if (isHalf || postings.length === 1) return all('isolate');
      const middle = Math.ceil(postings.length / 2);
      // One after the other: a flush has one connection.
      await attemptAny(context, postings.slice(0, middle), mode, true);
      return attemptAny(context, postings.slice(middle), mode, true);
    }
    if (!isUniqueViolation(error)) throw error;
    const found = await statements.find(toDebits(postings));
    if (found.every((entry) => entry === undefined)) throw error;
    for (const [nth, posting] of postings.entries()) {
      const entry = found[nth];
      posting.verdict = entry ? asPosted(entry) : 'retry';
    }
    return;
  }
  await resolveRows(context, postings, rows);
}

async function resolveRows(
  { statements }: Context,
  postings: readonly Posting[],
  rows: readonly DebitRow[],
): Promise<void> {
  const refused: { readonly posting: Posting; readonly reason: 'balance' | 'key_cap' }[] = [];
  for (const [nth, posting] of postings.entries()) {
    const row = rows[nth] as DebitRow;
    if (row.outcome === 'balance' || row.outcome === 'key_cap') refused.push({ posting, reason: row.outcome });
    else posting.verdict = toVerdict(row, row.outcome, posting.debit.amount);
  }
  if (refused.length === 0) return;
  // A repeat of a posted debit finds the wallet already reduced by that debit; it is not a refusal.
  const found = await statements.find(refused.map(({ posting }) => posting.debit));
  for (const [nth, { posting, reason }] of refused.entries()) {
    const entry = found[nth];
    posting.verdict = entry ? asPosted(entry) : { value: { ok: false, reason } };
  }
}

function toVerdict(
  row: DebitRow,
  outcome: Exclude<DebitRow['outcome'], 'balance' | 'key_cap'>,
  amount: number,
): Verdict<Posted> {
  switch (outcome) {
    case 'posted':
      return { value: { ok: true, balance: row.balance_after ?? 0, seq: row.seq, amount } };
    case 'retry':
    case 'locked':
      return outcome;
    case 'missing':
      return { error: new Error('a debit names an account, wallet and key that do not belong together') };
  }
}
