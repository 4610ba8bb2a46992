import postgres from 'postgres';
import { createPost, type DebitStatements, type QueueOf } from '../../../adapters/postgres/ledger/post.js';
import type { AbortState } from '../../../src/lib/abort.js';
import type { Debit, Posted } from '../../../src/ports/ledger.js';
import { VirtualTime } from '../../kit/time/virtual-time.js';
import { Database, type Wallet } from '../../models/simulation/parts/database.js';

/** The time at which each test begins. Not 0, where a sum and a difference could be confused. */
const START_MS = 10_000;
/** The balance of each wallet at first, and the cap of capped keys. */
const GRANTED = 100;
const CAP = 30;
/** More than any of these tests needs, so that endless retries fail. */
const MOST_STATEMENTS = 2_000;

/** A statement, named by its mode. `find` has none. */
type Kind = 'plain' | 'skipLocked' | 'waitForLock' | 'find';

/** Decides how a statement ends. `run` applies it to the books; `names` are those of its debits. */
type Fate = <Answer>(run: () => Answer, names: readonly string[]) => Answer | Promise<Answer>;

/** An error as Postgres reports it. The driver constructs its errors in this way, although its type says otherwise. */
export const refused = (code: string): Error =>
  new postgres.PostgresError({ code, message: `refused with ${code}` } as never);

/** An error of a failed connection. */
const broken = (code: string): Error => Object.assign(new Error(`broken with ${code}`), { code });

export const lockTimeout = refused('55P03');
export const lost = broken('CONNECTION_CLOSED');
/** The statement did nothing, and the database may be back a moment later. */
export const away = broken('ECONNREFUSED');

/** The statement does nothing and fails with this error. */
export const fails =
  (error: Error): Fate =>
  () => {
    throw error;
  };

/** The statement is executed, but its answer is lost. */
export const answerLost: Fate = (run) => {
  run();
  throw lost;
};

/** The statement runs until it is released. Then it does its work, or fails. */
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
 * Posting over a database in memory. The test controls how each statement ends, and the clock. A debit's name begins
 * with the letter of its wallet; there are six wallets with 100 each. A debit takes 10 unless the test says otherwise.
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
  const { statements, executed, next, always } = scripted(database, names);
  const submit = createPost(statements, { monotonic: time, timers: time }, queueOf);
  /** The outcome of each debit so far: its result or its error. */
  const answers: Record<string, unknown> = {};
  /** Submits a debit for each of the names, all in one turn. */
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
  /** Locks these wallets as another transaction would, for that long from now. */
  const lock = (letters: string, ms: number): void => {
    for (const letter of letters) walletOf(letter).lockedUntilMs = time.now() + ms;
  };
  const walletOf = (letter: string) => database.wallets.get(`wallet ${letter}`) as Wallet;
  const balanceOf = (letter: string) => walletOf(letter).balance;
  return { post, run: (ms: number) => time.run(ms), lock, balanceOf, executed, next, always, answers };
}

/** The id of a request that begins now, or, if not timely, one that contains no time, as random ids. */
export const idOf = (name: string, isTimely = true): string =>
  `${isTimely ? '0199' : 'f199'}0000-0000-7000-8000-${name.padStart(12, '0')}`;

/** For debits that are not sent to the plain statement. */
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

/** The statements of a database, recorded as in `skipLocked: a1 b1`, and control over how the next ones end. */
function scripted(database: Database, names: ReadonlyMap<Debit, string>) {
  const executed: string[] = [];
  const nexts: Record<Kind, Fate[]> = { plain: [], skipLocked: [], waitForLock: [], find: [] };
  const fates = new Map<Kind, Fate>();
  async function execute<Answer>(kind: Kind, debits: readonly Debit[], run: () => Answer): Promise<Answer> {
    const theirs = debits.map((debit) => names.get(debit) ?? 'a debit of nobody');
    executed.push(`${kind}: ${theirs.join(' ')}`);
    if (executed.length > MOST_STATEMENTS) throw new Error('statements without end');
    const fate = nexts[kind].shift() ?? fates.get(kind);
    return fate === undefined ? run() : fate(run, theirs);
  }
  const statements: DebitStatements = {
    postPlain: (debits) => execute('plain', debits, () => database.postPlain(debits)),
    postAny: (debits, mode) => execute(mode, debits, () => database.postAny(debits, mode)),
    find: (debits) => execute('find', debits, () => database.find(debits)),
  };
  /** How the next statements of a kind end, one after the other. Later ones end as `always` says. */
  const next = (kind: Kind, ...each: Fate[]): void => void nexts[kind].push(...each);
  const always = (kind: Kind, fate: Fate): void => void fates.set(kind, fate);
  return { statements, executed, next, always };
}
