/** A Postgres in memory: accounts, keys and the ledger, with the statements that serving makes. */
import postgres from 'postgres';
import type { DebitRow, PostedEntry } from '../../../../adapters/postgres/ledger/debit-statement.js';
import type { Entry } from '../../../../adapters/postgres/ledger/plain-debits.js';
import type { Thousandths } from '../../../../src/domain/credits.js';
import type { KeyLookup } from '../../../../src/ports/accounts.js';
import type { Clock } from '../../../../src/ports/clock.js';
import type { Debit, Ledger, Payer } from '../../../../src/ports/ledger.js';

/** A row of the ledger. */
export interface Row extends Debit {
  readonly seq: number;
  readonly balanceAfter: Thousandths;
  readonly atMs: number;
}

export interface Wallet {
  readonly accountId: string;
  readonly walletId: string;
  readonly granted: Thousandths;
  balance: Thousandths;
  seq: number;
  readonly rows: Row[];
  /** Another transaction holds its lock until then. */
  lockedUntilMs: number;
}

export interface Key {
  readonly keyId: string;
  readonly walletId: string;
  readonly prefix: string;
  readonly hashHex: string;
  readonly cap: Thousandths | null;
  spent: Thousandths;
  revokedAtMs: number | null;
  readonly qps: number;
}

/** Made as the driver makes them, though its type says otherwise. */
export const refused = (code: string, message: string): Error => new postgres.PostgresError({ code, message } as never);

const lockTimeout = (): Error => refused('55P03', 'canceling statement due to lock timeout');
const repeatedId = (): Error => refused('23505', 'duplicate key value violates unique constraint');

/** The longest waits for a lock in milliseconds, as in the statements of `adapters/postgres`. */
const LOCK_MS = { plain: 10, wait: 300 };

export class Database {
  readonly wallets = new Map<string, Wallet>();
  readonly keys = new Map<string, Key>();
  /** Called with the hash of each key that changes. */
  notify: (hashHex: string) => void = () => {};
  readonly #byHash = new Map<string, Key>();
  readonly #posted = new Map<string, Row>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  addWallet(accountId: string, walletId: string, granted: Thousandths): void {
    this.wallets.set(walletId, { accountId, walletId, granted, balance: granted, seq: 1, rows: [], lockedUntilMs: 0 });
  }

  addKey(key: Omit<Key, 'spent' | 'revokedAtMs'>): void {
    const added: Key = { ...key, spent: 0, revokedAtMs: null };
    this.keys.set(key.keyId, added);
    this.#byHash.set(key.hashHex, added);
  }

  revoke(keyId: string): void {
    const key = this.keys.get(keyId);
    if (key === undefined) return;
    key.revokedAtMs = this.#clock.now();
    this.notify(key.hashHex);
  }

  findKeys(hashes: readonly Buffer[]): (KeyLookup | undefined)[] {
    return hashes.map((hash) => {
      const key = this.#byHash.get(hash.toString('hex'));
      if (key === undefined) return undefined;
      const { keyId, walletId, prefix: keyPrefix, qps, cap: capThousandths, revokedAtMs } = key;
      if (revokedAtMs !== null) return { state: 'revoked', revokedAt: new Date(revokedAtMs).toISOString() };
      const { accountId } = this.wallets.get(walletId) as Wallet;
      const limits = { scopes: null, allowedFrom: null };
      const uncapped = capThousandths === null ? { accountId, walletId, keyId, keyNumber: 1, capsVersion: 0 } : null;
      return {
        state: 'live',
        caller: { accountId, walletId, keyId, keyPrefix, qps, capThousandths, uncapped, mode: 'live', ...limits },
      };
    });
  }

  balance({ walletId, keyId }: Payer): Awaited<ReturnType<Ledger['balance']>> {
    const { balance, seq } = this.wallets.get(walletId) as Wallet;
    const { cap, spent } = this.keys.get(keyId) as Key;
    return { balance, seq, keySpent: cap === null ? 0 : spent };
  }

  row(requestId: string): Row | undefined {
    return this.#posted.get(requestId);
  }

  find(debits: readonly Debit[]): (PostedEntry | undefined)[] {
    return debits.map(({ requestId }) => {
      const row = this.#posted.get(requestId);
      return row && { balance: row.balanceAfter, seq: row.seq, amount: row.amount };
    });
  }

  /** Like `postPlainDebits`: all or nothing for each wallet. */
  postPlain(debits: readonly Debit[]): (Entry | undefined)[] {
    for (const { walletId } of debits) if (this.#lockMs(walletId) > LOCK_MS.plain) throw lockTimeout();
    const payers = new Map<string, Debit[]>();
    for (const debit of debits) payers.set(debit.walletId, [...(payers.get(debit.walletId) ?? []), debit]);
    const paid = new Set<string>();
    for (const [walletId, theirs] of payers) {
      const sum = theirs.reduce((total, { amount }) => total + amount, 0);
      const isPlain = theirs.every(({ keyId }) => this.#keyOf(keyId, walletId)?.cap === null);
      if (isPlain && sum <= (this.wallets.get(walletId)?.balance ?? -1)) paid.add(walletId);
    }
    const due = debits.filter(({ walletId }) => paid.has(walletId));
    if (due.some(({ requestId }) => this.#posted.has(requestId))) throw repeatedId();
    return debits.map((debit) => (paid.has(debit.walletId) ? this.#post(debit) : undefined));
  }

  /** Like `postDebits`. */
  postAny(debits: readonly Debit[], mode: 'skipLocked' | 'waitForLock'): DebitRow[] {
    if (mode === 'waitForLock' && debits.some(({ walletId }) => this.#lockMs(walletId) > LOCK_MS.wait))
      throw lockTimeout();
    const outcomes = this.#judge(debits, mode);
    if (debits.some(({ requestId }, n) => outcomes[n] === 'posted' && this.#posted.has(requestId))) throw repeatedId();
    return debits.map((debit, n) => {
      const outcome = outcomes[n] as DebitRow['outcome'];
      const entry = outcome === 'posted' ? this.#post(debit) : { seq: 0, balance: null };
      return { outcome, seq: entry.seq, balance_after: entry.balance };
    });
  }

  #judge(debits: readonly Debit[], mode: 'skipLocked' | 'waitForLock'): DebitRow['outcome'][] {
    const wanted = new Map<string, number>();
    const add = (of: string, amount: number): number => {
      const sum = (wanted.get(of) ?? 0) + amount;
      wanted.set(of, sum);
      return sum;
    };
    return debits.map(({ walletId, keyId, amount }) => {
      const [wallet, key] = [this.wallets.get(walletId), this.#keyOf(keyId, walletId)];
      if (mode === 'skipLocked' && this.#lockMs(walletId) > 0) return 'locked';
      if (wallet === undefined || key === undefined) return 'missing';
      if (amount > wallet.balance) return 'balance';
      const capLeft = key.cap === null ? Number.POSITIVE_INFINITY : key.cap - key.spent;
      if (amount > capLeft) return 'key_cap';
      const [ofWallet, ofKey] = [add(walletId, amount), add(keyId, amount)];
      return ofWallet > wallet.balance || ofKey > capLeft ? 'retry' : 'posted';
    });
  }

  #post(debit: Debit): Entry {
    const [wallet, key] = [this.wallets.get(debit.walletId) as Wallet, this.keys.get(debit.keyId) as Key];
    wallet.balance -= debit.amount;
    wallet.seq += 1;
    key.spent += debit.amount;
    const row: Row = { ...debit, seq: wallet.seq, balanceAfter: wallet.balance, atMs: this.#clock.now() };
    wallet.rows.push(row);
    this.#posted.set(debit.requestId, row);
    return { balance: wallet.balance, seq: wallet.seq };
  }

  #keyOf(keyId: string, walletId: string): Key | undefined {
    const key = this.keys.get(keyId);
    return key?.walletId === walletId ? key : undefined;
  }

  #lockMs(walletId: string): number {
    return Math.max(0, (this.wallets.get(walletId)?.lockedUntilMs ?? 0) - this.#clock.now());
  }
}
