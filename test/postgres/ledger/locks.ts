import type { Sql, Transaction } from '../../../adapters/postgres/sql.js';
import type { Payer } from '../../engine/ports/suites/ledger.suite.js';
import { holdLocks } from '../../kit/postgres/hold-locks.js';

export type Lock = (tx: Transaction, payer: Payer) => Promise<unknown>;

/** The statements with which a transaction locks one of a payer's rows. */
export const LOCKS = {
  wallet: (tx, { walletId }) => tx`select from wallets where wallet_id = ${walletId} for update`,
  key: (tx, { keyId }) => tx`select from keys where key_id = ${keyId} for update`,
  usage: (tx, { accountId }) => tx`select from usage_hours where account_id = ${accountId} for update`,
  cap: (tx, { accountId }) => tx`select from spend_caps where account_id = ${accountId} for update`,
} as const satisfies Record<string, Lock>;

/** Takes the lock; the returned function commits and releases it. */
export const hold = (sql: Sql, lock: Lock, payer: Payer): Promise<() => Promise<void>> =>
  holdLocks(sql, (tx) => lock(tx, payer));
