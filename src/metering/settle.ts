import { type Thousandths, toCredits } from '../core/credits.js';
import { ServiceError } from '../core/errors.js';
import type { Clock } from '../ports/clock.js';
import type { Caller, Ledger } from '../ports/truth.js';
import type { Purse } from './purses.js';
import type { Charge } from './receipt.js';

export interface Settlement {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly caller: Caller;
  readonly purse: Purse;
  readonly requestId: string;
  readonly operation: string;
  /** Fires when nobody is there any more to be delivered to. */
  readonly gone: AbortSignal;
}

/**
 * Posts the charge, durably and once, under the request's id, and gives the balance of this call's own ledger row (M16).
 * A charge of zero is not posted. Throws `no_credits` when another call spent the balance in between (M17: nothing was
 * charged, nothing may be delivered), `internal` when the ledger could not be written (M19).
 */
export async function settle(at: Settlement, charge: Charge): Promise<Thousandths> {
  const { caller, purse } = at;
  if (charge.amount === 0) {
    purse.close();
    return (await at.ledger.balance(caller.walletId, caller.keyId)).balance;
  }
  try {
    const posted = await at.ledger.post(
      {
        requestId: at.requestId,
        accountId: caller.accountId,
        walletId: caller.walletId,
        keyId: caller.keyId,
        operation: at.operation,
        amount: charge.amount,
        items: charge.items,
        cacheHits: charge.cacheHits,
        lines: charge.lines,
      },
      at.gone,
    );
    if (posted.ok) {
      purse.close(posted.balance, at.clock.now());
      return posted.balance;
    }
    const whose = posted.reason === 'key_cap' ? "this key's cap" : 'the balance';
    const detail = posted.reason === 'key_cap' ? { reason: 'key_cap' } : { retryAfter: 1 };
    const message = `This read costs ${toCredits(charge.amount)} and another call spent ${whose} in between. Nothing was charged.`;
    throw new ServiceError('no_credits', message, detail);
  } catch (error) {
    purse.close();
    purse.distrust();
    if (error instanceof ServiceError) throw error;
    throw new ServiceError('internal', 'The charge could not be written, so nothing was delivered or charged.', {
      cause: error,
    });
  }
}
