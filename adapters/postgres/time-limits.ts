import type { Transaction } from './sql.js';

/** Removes the time limits of a pool for one transaction: they are meant for requests. */
export const withoutTimeLimits = (tx: Transaction) => tx`
  select set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true),
    set_config('idle_in_transaction_session_timeout', '0', true)`;
