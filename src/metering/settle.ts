import type { Thousandths } from '../domain/credits.js';
import { CHARGE_UNKNOWN, InDoubtError, ServiceError } from '../domain/errors.js';
import { formatCredits } from '../domain/figures.js';
import type { AbortState } from '../lib/abort.js';
import type { SharedTimer } from '../lib/monotonic.js';
import type { Caller } from '../ports/accounts.js';
import type { Clock } from '../ports/clock.js';
import type { Ledger, Posted } from '../ports/ledger.js';
import type { Charge } from './receipt.js';
import type { SpendingLimit } from './spending-limit.js';

export interface Settlement {
  readonly ledger: Ledger;
  /** Never set back. */
  readonly monotonic: Clock;
  /** On the same clock. */
  readonly timer: SharedTimer;
  readonly caller: Caller;
  readonly limit: SpendingLimit;
  readonly requestId: string;
  /** The operation's name in the ledger. If it is a promise, it never rejects. */
  readonly operation: string | Promise<string>;
  /** The call's deadline, monotonic milliseconds. */
  readonly deadlineAtMs: number;
  /** Aborted once the caller has disconnected, or at the deadline: from then on, posting no longer begins. */
  readonly signal: AbortState;
}

/** Time that a post which began before the deadline may take beyond it, for a commit or for waiting for a lock. */
const GRACE_MS = 1_000;

/**
 * Posts the charge, durably and once, under the request's id, and returns the balance of this call's own ledger row
 * (M16). A charge of zero is not posted. Throws `no_credits` if another call spent the balance in the meantime (M17:
 * nothing was charged, so nothing may be delivered), and what `post` throws.
 */
export async function settle(at: Settlement, charge: Charge): Promise<Thousandths> {
  const { caller, limit, ledger } = at;
  if (charge.amount === 0) {
    limit.close();
    return (await ledger.balance(caller)).balance;
  }
  const posted = await post(at, charge);
  if (posted.ok) return posted.balance;
  const whose = posted.reason === 'key_cap' ? "this key's cap" : 'the balance';
  const detail = posted.reason === 'key_cap' ? { reason: 'key_cap' } : { retryAfter: 1 };
  const message = `This call costs ${formatCredits(charge.amount)}, but another call used up ${whose} in the meantime. Nothing was charged.`;
  throw new ServiceError('no_credits', message, detail);
}

/**
 * Posts a charge above zero, and returns what the ledger says. Throws `internal` if the ledger could not be written
 * (M19), the signal's reason if posting was not begun in time, and `upstream_error` with the reason `charge_unknown` if
 * the outcome is unknown a second after the deadline.
 */
export function post(at: Settlement, charge: Charge): Promise<Posted> {
  const { caller, limit, ledger, requestId, operation, monotonic } = at;
  const { amount, items, cacheHits, ledgerLines: lines } = charge;
  const { accountId, walletId, keyId, uncapped } = caller;
  const debit = { requestId, accountId, walletId, keyId, uncapped, amount, items, cacheHits, lines };
  const postAs = (name: string): Promise<Posted> => ledger.post({ ...debit, operation: name }, at.signal);
  const posting = typeof operation === 'string' ? postAs(operation) : operation.then(postAs);
  limit.post(posting, amount, monotonic);
  return outcomeOf(posting, at, amount);
}

/** Resolves with the outcome, or rejects if it is unknown. `Promise.race` would cost four more promises per charge. */
function outcomeOf(
  posting: Promise<Posted>,
  { timer, deadlineAtMs, requestId }: Settlement,
  amount: Thousandths,
): Promise<Posted> {
  return new Promise((resolve, reject) => {
    const isLate = (): void => reject(chargeUnknown(requestId, new InDoubtError('the ledger has not answered')));
    const timeout = timer.set(deadlineAtMs + GRACE_MS, isLate);
    posting.then(
      (posted) => {
        timer.cancel(timeout);
        // Two streams that resume from the same position name their charges alike (V26): another answer was paid for.
        if (posted.ok && posted.amount !== amount)
          reject(chargeUnknown(requestId, new InDoubtError('another amount was posted under this id')));
        else resolve(posted);
      },
      (error: unknown) => {
        timer.cancel(timeout);
        reject(failureOf(error, requestId));
      },
    );
  });
}

function failureOf(error: unknown, requestId: string): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof InDoubtError) return chargeUnknown(requestId, error);
  const message = 'The charge could not be recorded, so nothing was delivered or charged.';
  return new ServiceError('internal', message, { cause: error });
}

const chargeUnknown = (requestId: string, cause: InDoubtError): ServiceError =>
  new ServiceError(
    'upstream_error',
    `Nothing was delivered, and it is not yet known whether this call was charged. Before you repeat it, look up GET /v1/usage/${requestId}: it is 404 unless the call was charged.`,
    { reason: CHARGE_UNKNOWN, cause },
  );
