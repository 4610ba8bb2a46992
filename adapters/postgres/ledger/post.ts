import { InDoubtError, ServiceError } from '../../../src/domain/errors.js';
import type { AbortState } from '../../../src/lib/abort.js';
import { BriefMap } from '../../../src/lib/brief-map.js';
import { processTime } from '../../../src/lib/monotonic.js';
import type { Time } from '../../../src/ports/clock.js';
import type { Debit, Ledger, Posted } from '../../../src/ports/ledger.js';
import { isTimedOut, isTransient, isUniqueViolation, mayHaveCommitted, retryTransient } from '../retry.js';
import type { Sql } from '../sql.js';
import { CappedKeys } from './capped-keys.js';
import { type DebitRow, findPosted, type Locking, postDebits } from './debit-statement.js';
import { GroupCommit } from './group-commit.js';
import type { Mode, Verdict } from './group-commit-options.js';
import { type Entry, isTimely, postPlainDebits } from './plain-debits.js';
import { UncappedKeys } from './uncapped-keys.js';

/** Concurrent flushes: those that wait for no locked row, and those that do. Each has a connection to itself. */
const FLIGHTS = 2;
const WAITS = 2;
export const SETTLING_CONNECTIONS = FLIGHTS + WAITS;

/**
 * The longest that a debit waits for its turn, whatever its callers do: by then its wallet has been locked all the
 * time.
 */
const LONGEST_WAIT_MS = 60_000;

/** The statements that posting is made of; see each. They fail with the errors of Postgres, and of a lost connection. */
export interface DebitStatements {
  postPlain(debits: readonly Debit[]): Promise<(Entry | undefined)[]>;
  post(debits: readonly Debit[], mode: Locking): Promise<DebitRow[]>;
  find(debits: readonly Debit[]): Promise<(Entry | undefined)[]>;
}

export function debitStatements(sql: Sql): DebitStatements {
  const keys = new UncappedKeys(sql);
  return {
    postPlain: (debits) => postPlainDebits(sql, keys, debits),
    post: (debits, mode) => postDebits(sql, debits, mode),
    find: (debits) => findPosted(sql, debits),
  };
}

/**
 * The posting side of the ledger: debits that wait for a commit share it. A rejection means: not known to be posted.
 */
export function createPost(statements: DebitStatements, time: Time = processTime): Ledger['post'] {
  const cappedKeys = new CappedKeys(time.monotonic);
  const commits = new GroupCommit<Posting, Posted>({
    flush: (batch, mode) => flush({ statements, cappedKeys, time }, batch, mode),
    partitionOf: ({ debit }) => debit.walletId,
    isPlain: ({ isPlain }) => isPlain,
    dismissal: ({ signal, isInDoubt }, waitedMs) => {
      if (waitedMs > LONGEST_WAIT_MS) return isInDoubt ? doubt(signal?.reason) : settling(5);
      // If in doubt, the next flush finds out.
      return signal?.aborted && !isInDoubt ? signal.reason : undefined;
    },
    refusal: settling,
    bounds: { flights: FLIGHTS, waits: WAITS },
    time,
  });
  // The same id while its first post is in progress is the same debit.
  const onTheWay = new BriefMap<{ readonly posting: Promise<Posted>; readonly signal: AbortState | undefined }>();
  const post: Ledger['post'] = (debit, signal) => {
    if (!Number.isSafeInteger(debit.amount) || debit.amount <= 0) {
      return Promise.reject(new RangeError(`a debit of ${debit.amount} thousandths: whole and above zero expected`));
    }
    const id = `${debit.accountId} ${debit.requestId}`;
    const first = onTheWay.get(id);
    // What the first became because its own caller left says nothing about this one.
    if (first !== undefined)
      return first.posting.catch((error) => {
        if (!first.signal?.aborted || signal?.aborted) throw error;
        return post(debit, signal);
      });
    const isPlain = isTimely(debit.requestId) && !cappedKeys.has(debit.keyId);
    const posting = commits.submit({ debit, signal, isInDoubt: false, isPlain });
    onTheWay.set(id, { posting, signal });
    const end = (): void => void onTheWay.delete(id);
    posting.then(end, end);
    return posting;
  };
  return post;
}

const settling = (retryAfter: number): ServiceError =>
  new ServiceError(
    'upstream_rate_limited',
    `Too many charges of this account are waiting to be recorded. Nothing was charged. Try again in ${retryAfter} s.`,
    { reason: 'settling', retryAfter },
  );

interface Posting {
  readonly debit: Debit;
  readonly signal: AbortState | undefined;
  /** An attempt whose result was lost may have posted it. */
  isInDoubt: boolean;
  /** So far nothing shows that it needs the statement for all cases. */
  isPlain: boolean;
}

interface Books {
  readonly statements: DebitStatements;
  readonly cappedKeys: CappedKeys;
  readonly time: Time;
}

/** Records what became of a posting, as soon as it is known: what fails afterwards is no matter of it. */
type Settle = (posting: Posting, verdict: Verdict<Posted>) => void;

/**
 * For a caller who has left, no attempt is started: neither now nor after attempts that are known to have done nothing
 * (M18).
 */
async function flush(books: Books, batch: readonly Posting[], mode: Mode): Promise<Verdict<Posted>[]> {
  const verdicts = new Map<Posting, Verdict<Posted>>();
  const settle: Settle = (posting, verdict) => void verdicts.set(posting, verdict);
  const open = (): Posting[] => batch.filter((posting) => !verdicts.has(posting));
  const post = async (): Promise<void> => {
    const left = open().filter(({ signal }) => signal?.aborted);
    await dismiss(books.statements, left, settle);
    const postings = open();
    if (postings.length > 0) await attempt(books, postings, mode, settle);
  };
  try {
    await retryTransient(post, undefined, books.time);
  } catch (error) {
    const postings = open();
    // When one of them is at fault: on its own, it can't make the others fail.
    const isShared = postings.length > 1 && !isTransient(error);
    const alone = async (posting: Posting): Promise<Verdict<Posted>> =>
      isShared ? flushAlone(books, posting, mode) : { error: posting.isInDoubt ? doubt(error) : error };
    await Promise.all(postings.map(async (posting) => settle(posting, await alone(posting))));
  }
  return batch.map((posting) => verdicts.get(posting) as Verdict<Posted>);
}

async function flushAlone(books: Books, posting: Posting, mode: Mode): Promise<Verdict<Posted>> {
  const [verdict] = await flush(books, [posting], mode);
  return verdict as Verdict<Posted>;
}

const doubt = (cause: unknown): InDoubtError => new InDoubtError('a debit may have been posted unheard', { cause });

const debitsOf = (postings: readonly Posting[]): Debit[] => postings.map(({ debit }) => debit);

/** For callers who have left: finds out what a lost attempt did, and starts no new one. */
async function dismiss(statements: DebitStatements, left: readonly Posting[], settle: Settle): Promise<void> {
  const doubtful = left.filter(({ isInDoubt }) => isInDoubt);
  for (const posting of left) if (!posting.isInDoubt) settle(posting, { error: posting.signal?.reason });
  if (doubtful.length === 0) return;
  const found = await statements.find(debitsOf(doubtful));
  for (const [nth, posting] of doubtful.entries()) {
    const entry = found[nth];
    settle(posting, entry ? { value: { ok: true, ...entry } } : { error: doubt(posting.signal?.reason) });
  }
}

/** Runs a statement that posts. If its result is lost, any of its debits may have been posted. */
async function heard<Result>(postings: readonly Posting[], run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (mayHaveCommitted(error)) for (const posting of postings) posting.isInDoubt = true;
    throw error;
  }
}

/** What the plain statement does not post is for the one that tells why. */
async function attempt(books: Books, postings: readonly Posting[], mode: Mode, settle: Settle): Promise<void> {
  if (mode !== 'plain') return attemptAny(books, postings, mode, settle);
  const again = (posting: Posting): void => {
    posting.isPlain = false;
    settle(posting, 'again');
  };
  try {
    const entries = await heard(postings, () => books.statements.postPlain(debitsOf(postings)));
    for (const [nth, posting] of postings.entries()) {
      const entry = entries[nth];
      if (entry === undefined) again(posting);
      else settle(posting, { value: { ok: true, ...entry } });
    }
  } catch (error) {
    if (!isTimedOut(error) && !isUniqueViolation(error)) throw error;
    for (const posting of postings) again(posting);
  }
}

/**
 * Any attempt may follow one whose commit succeeded without its result arriving, so an id that exists is a success.
 * Where one of many took too long, each half is tried once: debits that are not in its half need not go apart.
 */
async function attemptAny(
  books: Books,
  postings: readonly Posting[],
  mode: Locking,
  settle: Settle,
  isHalf = false,
): Promise<void> {
  const { statements } = books;
  const all = (verdict: Verdict<Posted>): void => {
    for (const posting of postings) settle(posting, verdict);
  };
  let rows: DebitRow[];
  try {
    rows = await heard(postings, () => statements.post(debitsOf(postings), mode));
  } catch (error) {
    if (isTimedOut(error)) {
      if (mode === 'wait') return all('locked');
      if (isHalf || postings.length === 1) return all('apart');
      const middle = Math.ceil(postings.length / 2);
      // One after the other: a flush has one connection.
      await attemptAny(books, postings.slice(0, middle), mode, settle, true);
      return attemptAny(books, postings.slice(middle), mode, settle, true);
    }
    if (!isUniqueViolation(error)) throw error;
    const found = await statements.find(debitsOf(postings));
    if (found.every((entry) => entry === undefined)) throw error;
    for (const [nth, posting] of postings.entries()) {
      const entry = found[nth];
      settle(posting, entry ? { value: { ok: true, ...entry } } : 'again');
    }
    return;
  }
  await settleRows(books, postings, rows, settle);
}

async function settleRows(
  { statements, cappedKeys }: Books,
  postings: readonly Posting[],
  rows: readonly DebitRow[],
  settle: Settle,
): Promise<void> {
  const refused: { readonly posting: Posting; readonly reason: 'balance' | 'key_cap' }[] = [];
  for (const [nth, posting] of postings.entries()) {
    const row = rows[nth] as DebitRow;
    if (row.capped) cappedKeys.add(posting.debit.keyId);
    if (row.outcome === 'balance' || row.outcome === 'key_cap') refused.push({ posting, reason: row.outcome });
    else settle(posting, verdictOf(row, row.outcome));
  }
  if (refused.length === 0) return;
  // A repeat of a posted debit finds the wallet already reduced by that debit; it is not a refusal.
  const found = await statements.find(refused.map(({ posting }) => posting.debit));
  for (const [nth, { posting, reason }] of refused.entries()) {
    const entry = found[nth];
    settle(posting, { value: entry ? { ok: true, ...entry } : { ok: false, reason } });
  }
}

function verdictOf(row: DebitRow, outcome: Exclude<DebitRow['outcome'], 'balance' | 'key_cap'>): Verdict<Posted> {
  switch (outcome) {
    case 'posted':
      return { value: { ok: true, balance: row.balance_after ?? 0, seq: row.seq } };
    case 'crowded':
      return 'again';
    case 'locked':
      return 'locked';
    case 'missing':
      return { error: new Error('a debit names an account, wallet and key that do not belong together') };
  }
}
