import { ServiceError } from '../../src/domain/errors.js';
import { isTimedOut } from './retry.js';
import type { Sql, Transaction } from './sql.js';

const RETRY_AFTER_S = 2;

/**
 * Runs a transaction that locks rows of an account. If the server's time limits end it, nothing was done, and it throws
 * 503 `settling`.
 */
export async function lockingTransaction<T>(sql: Sql, run: (tx: Transaction) => Promise<T>): Promise<T> {
  try {
    return (await sql.begin(run)) as T;
  } catch (cause) {
    if (!isTimedOut(cause)) throw cause;
    throw new ServiceError(
      'upstream_rate_limited',
      `This account is busy with other changes or charges, so nothing was done. Try again in ${RETRY_AFTER_S} s.`,
      { reason: 'settling', retryAfter: RETRY_AFTER_S, cause },
    );
  }
}
