import type { AbortState } from '../../src/core/abort-state.js';
import { BriefMap } from '../../src/core/brief-map.js';
import { ServiceError } from '../../src/core/errors.js';
import { InDoubtError } from '../../src/core/in-doubt-error.js';
import { processTime } from '../../src/core/monotonic.js';
import type { Time } from '../../src/ports/clock.js';
import type { Debit, Ledger, Posted } from '../../src/ports/ledger.js';
import { CappedKeys } from './capped-keys.js';
import { type DebitRow, findPosted, type Locking, postDebits } from './debit-statement.js';
import { GroupCommit } from './group-commit.js';
import type { Mode, Verdict } from './group-commit-options.js';
import { type Entry, isTimely, postPlainDebits } from './plain-debits.js';
import { isTimedOut, isTransient, isUniqueViolation, mayHaveCommitted, retryTransient } from './retry.js';
import type { Sql } from './sql.js';
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
  const onTheWay = new BriefMap<Promise<Posted>>();
  return (debit, signal) => {
    if (!Number.isSafeInteger(debit.amount) || debit.amount <= 0) {
      return Promise.reject(new RangeError(`a debit of ${debit.amount} thousandths: whole and above zero expected`));
    }
    const id = `${debit.accountId} ${debit.requestId}`;
    const first = onTheWay.get(id);
    if (first !== undefined) return first;
    const isPlain = isTimely(debit.requestId) && !cappedKeys.has(debit.keyId);
    const posting = commits.submit({ debit, signal, isInDoubt: false, isPlain });
    onTheWay.set(id, posting);
    const end = (): void => void onTheWay.delete(id);
    posting.then(end, end);
    return posting;
  };
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

/**
 * For a caller who has left, no attempt is started: neither now nor after attempts that are known to have done nothing
 * (M18).
 */
async function flush(books: Books, batch: readonly Posting[], mode: Mode): Promise<Verdict<Posted>[]> {
  const verdicts = new Map<Posting, Verdict<Posted>>();
  const open = (): Posting[] => batch.filter((posting) => !verdicts.has(posting));
  const post = async (inDoubt: boolean): Promise<void> => {
    if (inDoubt) for (const posting of open()) posting.isInDoubt = true;
    const left = open().filter(({ signal }) => signal?.aborted);
    for (const [posting, verdict] of await dismiss(books.statements, left)) verdicts.set(posting, verdict);
    const postings = open();
    const found = postings.length === 0 ? [] : await attempt(books, postings, mode);
    for (const [nth, posting] of postings.entries()) verdicts.set(posting, found[nth] as Verdict<Posted>);
  };
  try {
    await retryTransient(post, undefined, books.time);
  } catch (error) {
    // When one of them is at fault: on its own, it can't make the others fail.
    const isShared = batch.length > 1 && !isTransient(error);
    const alone = async (posting: Posting): Promise<Verdict<Posted>> => {
      if (isShared) return flushAlone(books, posting, mode);
      return { error: posting.isInDoubt || mayHaveCommitted(error) ? doubt(error) : error };
    };
    await Promise.all(open().map(async (posting) => verdicts.set(posting, await alone(posting))));
  }
  return batch.map((posting) => verdicts.get(posting) as Verdict<Posted>);
}

async function flushAlone(books: Books, posting: Posting, mode: Mode): Promise<Verdict<Posted>> {
  const [verdict] = await flush(books, [posting], mode);
  return verdict as Verdict<Posted>;
}

const doubt = (cause: unknown): InDoubtError => new InDoubtError('a debit may have been posted unheard', { cause });

/** For callers who have left: finds out what a lost attempt did, and starts no new one. */
async function dismiss(
  statements: DebitStatements,
  left: readonly Posting[],
): Promise<(readonly [Posting, Verdict<Posted>])[]> {
  const doubtful = left.filter(({ isInDoubt }) => isInDoubt);
  const debits = doubtful.map(({ debit }) => debit);
  const found = debits.length === 0 ? [] : await statements.find(debits);
  return left.map((posting) => {
    const { signal, isInDoubt } = posting;
    const entry = found[doubtful.indexOf(posting)];
    if (entry !== undefined) return [posting, { value: { ok: true, ...entry } }];
    return [posting, { error: isInDoubt ? doubt(signal?.reason) : signal?.reason }];
  });
}

/**
 * Any attempt may follow one whose commit succeeded without its result arriving, so an id that exists is a success.
 * What the plain statement does not post is for the one that tells why.
 */
async function attempt(books: Books, postings: readonly Posting[], mode: Mode): Promise<Verdict<Posted>[]> {
  const debits = postings.map(({ debit }) => debit);
  if (mode !== 'plain') return attemptAny(books, debits, mode);
  try {
    const entries = await books.statements.postPlain(debits);
    return entries.map((entry, nth) => {
      if (entry !== undefined) return { value: { ok: true, ...entry } };
      (postings[nth] as Posting).isPlain = false;
      return 'again';
    });
  } catch (error) {
    if (!isTimedOut(error) && !isUniqueViolation(error)) throw error;
    for (const posting of postings) posting.isPlain = false;
    return postings.map(() => 'again');
  }
}

/** Where one of many took too long, each half is tried once: debits that are not in its half need not go apart. */
async function attemptAny(
  books: Books,
  batch: readonly Debit[],
  mode: Exclude<Mode, 'plain'>,
  isHalf = false,
): Promise<Verdict<Posted>[]> {
  const { statements } = books;
  let rows: DebitRow[];
  try {
    rows = await statements.post(batch, mode);
  } catch (error) {
    if (isTimedOut(error)) {
      if (mode === 'wait') return batch.map(() => 'locked');
      if (isHalf || batch.length === 1) return batch.map(() => 'apart');
      const middle = Math.ceil(batch.length / 2);
      // One after the other: a flush has one connection.
      const first = await attemptAny(books, batch.slice(0, middle), mode, true);
      return [...first, ...(await attemptAny(books, batch.slice(middle), mode, true))];
    }
    if (!isUniqueViolation(error)) throw error;
    const found = await statements.find(batch);
    if (found.every((entry) => entry === undefined)) throw error;
    return found.map((entry) => (entry === undefined ? 'again' : { value: { ok: true, ...entry } }));
  }
  for (const [nth, row] of rows.entries()) if (row.capped) books.cappedKeys.add((batch[nth] as Debit).keyId);
  const verdicts = rows.map(verdictOf);
  await forgiveRepeats(statements, batch, rows, verdicts);
  return verdicts;
}

function verdictOf(row: DebitRow): Verdict<Posted> {
  switch (row.outcome) {
    case 'posted':
      return { value: { ok: true, balance: row.balance_after ?? 0, seq: row.seq } };
    case 'balance':
    case 'key_cap':
      return { value: { ok: false, reason: row.outcome } };
    case 'crowded':
      return 'again';
    case 'locked':
      return 'locked';
    case 'missing':
      return { error: new Error('a debit names an account, wallet and key that do not belong together') };
  }
}

/** A repeat of a posted debit finds the wallet already reduced by that debit; it is not a refusal. */
async function forgiveRepeats(
  statements: DebitStatements,
  batch: readonly Debit[],
  rows: readonly DebitRow[],
  verdicts: Verdict<Posted>[],
): Promise<void> {
  const refused = rows.flatMap((row, index) => (row.outcome === 'balance' || row.outcome === 'key_cap' ? [index] : []));
  if (refused.length === 0) return;
  const found = await statements.find(refused.map((index) => batch[index] as Debit));
  found.forEach((entry, nth) => {
    if (entry !== undefined) verdicts[refused[nth] as number] = { value: { ok: true, ...entry } };
  });
}
