import type { Accounts, Caller, KeyLookup } from '../../../src/ports/accounts.js';
import type { Clock } from '../../../src/ports/clock.js';

export interface KeyStore {
  readonly accounts: Accounts;
  /** What the store finds, by the hash in hex. */
  readonly rows: Map<string, KeyLookup>;
  /** The number of keys it was asked for, and of queries. */
  reads(): number;
  queries(): number;
  /** Makes look-ups wait until `release`; each then answers with what the store held when it began. */
  hold(): void;
  release(): void;
  /** Tells all listeners, as the store does after a change. */
  notify(hashHex: string): void;
  listeners(): number;
}

const unused = () => Promise.reject(new Error('not part of identifying a key'));

/** A store of keys that counts its reads and can be made slow, as no real database can on command. */
export function createKeyStore(): KeyStore {
  const rows = new Map<string, KeyLookup>();
  const listeners = new Set<(hashHex: string) => void>();
  let reads = 0;
  let queries = 0;
  let held: Promise<void> | undefined;
  let release = () => {};

  const accounts: Accounts = {
    async findKeys(hashes) {
      reads += hashes.length;
      queries += 1;
      const found = hashes.map((hash) => rows.get(hash.toString('hex')));
      await held;
      return found;
    },
    async onKeyChange(listener) {
      listeners.add(listener);
      return async () => {
        listeners.delete(listener);
      };
    },
    create: unused,
    get: unused,
    testAccount: unused,
    openTestAccount: unused,
    rename: unused,
    freeze: unused,
    keys: unused,
    key: unused,
    addKey: unused,
    keyByPrefix: unused,
    rotateKey: unused,
    changeKey: unused,
    revokeKey: unused,
  };

  return {
    accounts,
    rows,
    reads: () => reads,
    queries: () => queries,
    hold() {
      held = new Promise((resolve) => {
        release = resolve;
      });
    },
    release() {
      held = undefined;
      release();
    },
    notify: (hashHex) => listeners.forEach((listener) => void listener(hashHex)),
    listeners: () => listeners.size,
  };
}

export const caller = (over: Partial<Caller> = {}): Caller => ({
  accountId: 'account-1',
  walletId: 'wallet-1',
  keyId: 'key-1',
  mode: 'live',
  keyPrefix: 'perch_live_abcdef',
  qps: 20,
  capThousandths: null,
  uncapped: { accountId: 'account-1', walletId: 'wallet-1', keyId: 'key-1', keyNumber: 1, capsVersion: 0 },
  scopes: null,
  allowedFrom: null,
  ...over,
});

/** A clock that stands still until it is moved. */
export function standingClock(): Clock & { pass(ms: number): void } {
  let nowMs = 1_700_000_000_000;
  return {
    now: () => nowMs,
    pass(ms) {
      nowMs += ms;
    },
  };
}
