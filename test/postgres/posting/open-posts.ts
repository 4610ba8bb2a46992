import postgres from 'postgres';
import { createPost, type DebitStatements, type QueueOf } from '../../../adapters/postgres/ledger/post.js';
import type { AbortState } from '../../../src/lib/abort.js';
import type { Debit, Posted } from '../../../src/ports/ledger.js';
import { VirtualTime } from '../../kit/time/virtual-time.js';
import { Database, type Wallet } from '../../models/simulation/parts/database.js';

/** When each test begins: a clock's start is no place where sums and differences differ. */
const START_MS = 10_000;
/** What each wallet has at first, and the cap of those keys that have one. */
const GRANTED = 100;
const CAP = 30;
/** More than any of these tests needs: what is tried again without an end comes to one. */
const MOST_STATEMENTS = 2_000;

/** A statement by its mode; `find` has none. */
type Kind = 'plain' | 'skipLocked' | 'waitForLock' | 'find';

/** How a statement fares: what it does to the books is `run`, and for which debits it is are their names. */
type Fate = <Answer>(run: () => Answer, names: readonly string[]) => Answer | Promise<Answer>;

/** As Postgres refuses. The driver makes its errors so; its type says otherwise. */
export const refused = (code: string): Error =>
  new postgres.PostgresError({ code, message: `refused with ${code}` } as never);

/** As a connection fails. */
const broken = (code: string): Error => Object.assign(new Error(`broken with ${code}`), { code });

export const lockTimeout = refused('55P03');
export const lost = broken('CONNECTION_CLOSED');
/** It did nothing, and may be there again a moment later. */
export const away = broken('ECONNREFUSED');

/** It does nothing, and fails with this error. */
export const fails =
  (error: Error): Fate =>
  () => {
    throw error;
  };

/** It is done, and its answer is lost. */
export const unheard: Fate = (run) => {
  run();
  throw lost;
};

/** It goes on until it is released, which is when it does its work, or fails. */
export function held(): { readonly fate: Fate; readonly release: (error?: Error) => void } {
  let release: (error?: Error) => void = () => {};
  const released = new Promise<void>((resolve, reject) => {
    release = (error) => (error === undefined ? resolve() : reject(error));
  });
  return { fate: (run) => released.then(run), release: (error) => release(error) };
}

export const posted = (balance: number, seq: number, amount = 10): Posted => ({ ok: true, balance, seq, amount });
export const short = (reason: 'balance' | 'key_cap'): Posted => ({ ok: false, reason });

/**
 * Posting over a database in memory, each of whose statements fares as the test says, in time that passes when it says
 * so. A debit's name begins with the letter of its wallet, of which there are six with 100 each; `a1` takes 10, unless told
 * otherwise.
 */
export function openPosts(queueOf?: QueueOf) {
  const time = new VirtualTime(START_MS);
  const database = new Database(time);
  for (const letter of 'abcdef') {
    const walletId = `wallet ${letter}`;
    database.addWallet(`account ${letter}`, walletId, GRANTED);
    const key = { walletId, prefix: letter, hashHex: letter, qps: 1 };
    database.addKey({ ...key, keyId: `key ${letter}`, cap: null });
    database.addKey({ ...key, keyId: `capped ${letter}`, cap: CAP });
  }
  const names = new Map<Debit, string>();
  const { statements, asked, next, always } = scripted(database, names);
  const submit = createPost(statements, { monotonic: time, timers: time }, queueOf);
  /** What has become of each debit: its result or its error. */
  const answers: Record<string, unknown> = {};
  /** Each of the names as a debit, in one turn. */
  const post = (which: string, { signal, ...more }: Partial<Debit> & { signal?: AbortState } = {}): void => {
    for (const name of which.split(' ')) {
      const debit = debitOf(name, more);
      names.set(debit, name);
      const answer = (what: unknown): void => {
        answers[name] = what;
      };
      submit(debit, signal).then(answer, answer);
    }
  };
  /** Somebody else has locked these wallets, so long from now. */
  const lock = (letters: string, ms: number): void => {
    for (const letter of letters) walletOf(letter).lockedUntilMs = time.now() + ms;
  };
  const walletOf = (letter: string) => database.wallets.get(`wallet ${letter}`) as Wallet;
  const balanceOf = (letter: string) => walletOf(letter).balance;
  return { post, run: (ms: number) => time.run(ms), lock, balanceOf, asked, next, always, answers };
}

/** The id of a request that begins now, or of none: ids that are no time are random. */
export const idOf = (name: string, isTimely = true): string =>
  `${isTimely ? '0199' : 'f199'}0000-0000-7000-8000-${name.padStart(12, '0')}`;

/** Of debits that the plain statement is not asked about. */
export const noTime = (name: string) => ({ requestId: idOf(name, false) });

export const LEFT = new Error('the caller has left');

/** A caller who may leave. */
export function caller() {
  const controller = new AbortController();
  return { signal: controller.signal, leave: () => controller.abort(LEFT) };
}

function debitOf(name: string, more: Partial<Debit>): Debit {
  const letter = name[0];
  const payer = { accountId: `account ${letter}`, walletId: `wallet ${letter}`, keyId: `key ${letter}` };
  const lines = [{ path: 'user', unit: 'profile', cache: 'miss', items: 1, unitPrice: 10 }] as const;
  const { keyId = payer.keyId } = more;
  const uncapped = { ...payer, keyId, keyNumber: 1, capsVersion: 0 };
  return {
    requestId: idOf(name),
    ...payer,
    uncapped,
    operation: 'user',
    amount: 10,
    items: 1,
    cacheHits: 0,
    lines,
    ...more,
  };
}

/** The statements of a database, told by mode and names as in `skipLocked: a1 b1`, and how the next ones of each kind fare. */
function scripted(database: Database, names: ReadonlyMap<Debit, string>) {
  const asked: string[] = [];
  const nexts: Record<Kind, Fate[]> = { plain: [], skipLocked: [], waitForLock: [], find: [] };
  const fates = new Map<Kind, Fate>();
  async function ask<Answer>(kind: Kind, debits: readonly Debit[], run: () => Answer): Promise<Answer> {
    const theirs = debits.map((debit) => names.get(debit) ?? 'a debit of nobody');
    asked.push(`${kind}: ${theirs.join(' ')}`);
    if (asked.length > MOST_STATEMENTS) throw new Error('statements without end');
    const fate = nexts[kind].shift() ?? fates.get(kind);
    return fate === undefined ? run() : fate(run, theirs);
  }
  const statements: DebitStatements = {
    postPlain: (debits) => ask('plain', debits, () => database.postPlain(debits)),
    postAny: (debits, mode) => ask(mode, debits, () => database.postAny(debits, mode)),
    find: (debits) => ask('find', debits, () => database.find(debits)),
  };
  /** How the next ones fare, one each; those after them as always. */
  const next = (kind: Kind, ...each: Fate[]): void => void nexts[kind].push(...each);
  const always = (kind: Kind, fate: Fate): void => void fates.set(kind, fate);
  return { statements, asked, next, always };
}
