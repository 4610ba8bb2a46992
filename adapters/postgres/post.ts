import type { Debit, Ledger, Posted } from '../../src/ports/truth.js';
import { type DebitRow, findPosted, postDebits } from './debit-statement.js';
import { GroupCommit, type Verdict } from './group-commit.js';
import { isPassing, isUniqueViolation, retryPassing } from './retry.js';
import type { Sql } from './sql.js';

/** Debits per statement: enough that a commit costs each of them next to nothing, few enough to answer in milliseconds. */
const MOST = 500;

/** The posting side of the ledger: debits that wait for a commit share it. Reject means: not known to be posted. */
export function createPost(sql: Sql): Ledger['post'] {
  const commits = new GroupCommit<Posting, Posted>((batch) => flush(sql, batch), MOST);
  // The same id while its first post is on its way is the same debit.
  const onTheWay = new Map<string, Promise<Posted>>();
  return (debit, gone) => {
    if (!Number.isSafeInteger(debit.amount) || debit.amount <= 0) {
      return Promise.reject(new RangeError(`a debit of ${debit.amount} thousandths: whole and above zero expected`));
    }
    const id = `${debit.accountId} ${debit.requestId}`;
    const first = onTheWay.get(id);
    if (first !== undefined) return first;
    const posting = commits.submit({ debit, gone }).finally(() => onTheWay.delete(id));
    onTheWay.set(id, posting);
    return posting;
  };
}

interface Posting {
  readonly debit: Debit;
  /** Fires when nobody is there any more to be delivered to. */
  readonly gone: AbortSignal | undefined;
}

/** For who has left nothing is begun: neither now nor after attempts that are known to have done nothing (M18). */
async function flush(sql: Sql, batch: readonly Posting[]): Promise<Verdict<Posted>[]> {
  const verdicts = new Map<Posting, Verdict<Posted>>();
  const open = (): Posting[] => batch.filter((posting) => !verdicts.has(posting));
  const post = async (inDoubt: boolean): Promise<void> => {
    if (!inDoubt) {
      for (const posting of open()) if (posting.gone?.aborted) verdicts.set(posting, { error: posting.gone.reason });
    }
    const postings = open();
    const debits = postings.map(({ debit }) => debit);
    const found = debits.length === 0 ? [] : await attempt(sql, debits);
    for (const [nth, posting] of postings.entries()) verdicts.set(posting, found[nth] as Verdict<Posted>);
  };
  try {
    await retryPassing(post);
  } catch (error) {
    if (batch.length === 1) throw error;
    const alone = async (posting: Posting): Promise<Verdict<Posted>> =>
      isPassing(error) ? { error } : flushAlone(sql, posting);
    // Where one of them is at fault: alone, it can't take the others with it.
    await Promise.all(open().map(async (posting) => verdicts.set(posting, await alone(posting))));
  }
  return batch.map((posting) => verdicts.get(posting) as Verdict<Posted>);
}

const flushAlone = (sql: Sql, posting: Posting): Promise<Verdict<Posted>> =>
  flush(sql, [posting]).then(
    ([verdict]) => verdict as Verdict<Posted>,
    (error: unknown) => ({ error }),
  );

/** Any attempt may have been preceded by one whose commit went through unheard, so an id that exists is an answer. */
async function attempt(sql: Sql, batch: readonly Debit[]): Promise<Verdict<Posted>[]> {
  let rows: DebitRow[];
  try {
    rows = await postDebits(sql, batch);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const found = await findPosted(sql, batch);
    if (found.every((balance) => balance === undefined)) throw error;
    return found.map((balance) => (balance === undefined ? 'again' : { value: { ok: true, balance } }));
  }
  const verdicts = rows.map(verdictOf);
  await forgiveRepeats(sql, batch, rows, verdicts);
  return verdicts;
}

function verdictOf(row: DebitRow): Verdict<Posted> {
  switch (row.outcome) {
    case 'posted':
      return { value: { ok: true, balance: row.balance_after ?? 0 } };
    case 'balance':
    case 'key_cap':
      return { value: { ok: false, reason: row.outcome } };
    case 'crowded':
      return 'again';
    case 'missing':
      return { error: new Error('a debit names an account, wallet and key that do not belong together') };
  }
}

/** A repeat of a posted debit finds its wallet poorer by itself; it is no refusal. */
async function forgiveRepeats(
  sql: Sql,
  batch: readonly Debit[],
  rows: readonly DebitRow[],
  verdicts: Verdict<Posted>[],
): Promise<void> {
  const refused = rows.flatMap((row, index) => (row.outcome === 'balance' || row.outcome === 'key_cap' ? [index] : []));
  if (refused.length === 0) return;
  const found = await findPosted(
    sql,
    refused.map((index) => batch[index] as Debit),
  );
  found.forEach((balance, nth) => {
    if (balance !== undefined) verdicts[refused[nth] as number] = { value: { ok: true, balance } };
  });
}
