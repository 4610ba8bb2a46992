import type { Clock } from '../ports/clock.js';
import type { PaymentEvent, Payments } from '../ports/payments.js';
import { PAYABLE_FOR_MS, type Sales } from '../ports/sales.js';
import { reconcile } from './reconcile.js';

/** Most sales in one round of the poll, which looks them all up at once. */
const ROUND = 10;

/** Log for the operator. */
export interface BillingLog {
  warn(detail: object, message: string): void;
  error(detail: object, message: string): void;
}

export interface SettlingOptions {
  /** Null: payments are off. */
  readonly payments: Payments | null;
  readonly sales: Sales;
  readonly clock: Clock;
  readonly log: BillingLog;
  /** Called once a refund or dispute has taken credits from the account. */
  readonly taken: (accountId: string) => void;
}

/**
 * Updates sales to match the processor. Events, the success page and the poll are only hints: each leads to a fresh
 * lookup, in any order and number (W1, W2). A lookup is dropped if one that began later was already applied (W13),
 * because the later one saw at least as much.
 */
export class Settling {
  readonly #options: SettlingOptions;

  constructor(options: SettlingOptions) {
    this.#options = options;
  }

  /** One lookup. Rejects if the processor or the database fails: nothing is changed then. */
  async reconcile(sessionId: string): Promise<void> {
    const { payments, sales, clock, log, taken } = this.#options;
    if (payments === null) return;
    const look = await sales.beginLook();
    const seen = await payments.lookUp(sessionId);
    if (seen === undefined) return;
    let mismatched = false;
    let takenFrom: string | null = null;
    const isOurs = await sales.change(seen, { nowMs: clock.now(), look }, (locked) => {
      const change = reconcile(locked, seen);
      mismatched = change?.state === 'mismatched' && locked.sale.state !== 'mismatched';
      const takes = change?.entries.some(({ kind }) => kind === 'reversal' || kind === 'hold');
      takenFrom = takes ? locked.sale.accountId : null;
      return change;
    });
    if (takenFrom !== null) taken(takenFrom);
    const { currency, subtotalCents, totalCents } = seen;
    const detail = { sessionId, currency, subtotalCents, totalCents };
    if (mismatched) log.error(detail, 'The amount paid at a checkout differs from its price. No credits were added.');
    if (!isOurs) log.warn({ sessionId }, 'The payment processor reported an unknown checkout.');
  }

  /** The same, but only logs a failure, because it will be looked up again. */
  async tryReconcile(sessionId: string): Promise<void> {
    try {
      await this.reconcile(sessionId);
    } catch (err) {
      this.#options.log.warn({ err, sessionId }, 'A checkout could not be looked up. Retrying.');
    }
  }

  /**
   * Handles an event of the processor. Once it resolves, the change is committed; an event handled before is ignored.
   */
  async handleEvent(event: PaymentEvent): Promise<void> {
    const { sales } = this.#options;
    if (await sales.knowsEvent(event.eventId)) return;
    const sessionId = event.sessionId ?? (await this.#sessionOf(event.paymentIntent));
    if (sessionId !== null) await this.reconcile(sessionId);
    await sales.noteEvent({ ...event, sessionId });
  }

  async #sessionOf(paymentIntent: string | null): Promise<string | null> {
    const { payments, sales } = this.#options;
    if (paymentIntent === null) return null;
    const sale = await sales.find({ paymentIntent });
    return sale?.sessionId ?? (await payments?.sessionOf(paymentIntent)) ?? null;
  }

  /** Checks every open sale that is due; several nodes share the work. Never rejects. */
  async pollOpen(): Promise<void> {
    const { sales, clock, log } = this.#options;
    try {
      for (;;) {
        const due = await sales.takeDue(clock.now(), PAYABLE_FOR_MS, ROUND);
        await Promise.all(due.map((sessionId) => this.tryReconcile(sessionId)));
        if (due.length < ROUND) return;
      }
    } catch (err) {
      log.warn({ err }, 'Open checkouts could not be listed. Retrying later.');
    }
  }
}
