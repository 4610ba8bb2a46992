import type { Actor } from '../core/audit.js';
import { toCredits, toThousandths } from '../core/credits.js';
import { badRequest, ServiceError } from '../core/errors.js';
import type { Clock } from '../ports/clock.js';
import type { Payments } from '../ports/payments.js';
import type { Sale, Sales } from '../ports/sales.js';
import type { Accounts } from '../ports/truth.js';
import { packNamed, packsAndTiers } from './packs.js';
import type { Settling } from './settling.js';

/** How long a caller's key stands for one checkout (H12). */
const KEY_LASTS_MS = 86_400_000;

/** Sales shown at most. */
const MOST_SALES = 200;

export interface BillingOptions {
  /** Null: payments are off, and nothing is buyable (W9). */
  readonly payments: Payments | null;
  readonly sales: Sales;
  readonly accounts: Pick<Accounts, 'get'>;
  readonly settling: Settling;
  readonly clock: Clock;
  /** Where the dashboard is, without a slash at the end; asked when it is needed, for it is known late. */
  readonly authUrl: () => string;
}

/** An opened checkout page. */
export interface Checkout {
  readonly url: string;
  readonly pack: string;
  /** Whole US dollars, before tax. */
  readonly usd: number;
  readonly credits: number;
}

export interface CheckoutAsk {
  readonly idempotencyKey: string | null;
  /** Who asks, for the account's log. */
  readonly address: string | null;
}

/** A sale as its owner is shown it. Credits are credits here, money is US dollars. */
export interface SaleRecord {
  readonly saleId: string;
  /** The processor's name of the checkout: what whoever comes back from its page brings along. */
  readonly sessionId: string | null;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly paidAt: string | null;
  readonly pack: string;
  readonly usd: number;
  readonly credits: number;
  readonly state: Sale['state'];
  /** Where it can be paid; null unless it is open. */
  readonly url: string | null;
  readonly refundedUsd: number;
  /** Credits taken back. */
  readonly reversed: number;
  readonly disputed: 'open' | 'won' | 'lost' | null;
}

/** What a caller of the API has of it: resolvers are given one per call. */
export interface BillingDesk {
  packs(): ReturnType<typeof packsAndTiers>;
  checkout(pack: string, idempotencyKey: string | null): Promise<Checkout>;
}

/** Buying credits. What comes in is reconciled by `Settling`. */
export class Billing {
  readonly #options: BillingOptions;

  constructor(options: BillingOptions) {
    this.#options = options;
  }

  /** Whether card checkout is open. */
  get open(): boolean {
    return this.#options.payments !== null;
  }

  /**
   * Opens a hosted checkout page, which lives for 24 h beside any others (W10). Throws `bad_request` for a pack or a key that
   * is none, `billing_disabled` while payments are off, `upstream_error` when the processor fails; nothing is charged then.
   */
  async checkout(accountId: string, packName: string, { idempotencyKey, address }: CheckoutAsk): Promise<Checkout> {
    const { name, usd, credits } = packNamed(packName);
    checkKey(idempotencyKey);
    const { payments, sales, clock } = this.#options;
    if (payments === null) {
      throw new ServiceError('billing_disabled', 'Card checkout is not open on this server. Nothing was charged.');
    }
    const sale = await sales.begin({
      accountId,
      pack: name,
      usd,
      credits: toThousandths(credits),
      idempotencyKey,
      nowMs: clock.now(),
      keyLastsMs: KEY_LASTS_MS,
    });
    if (sale.pack !== name) {
      const message = `This Idempotency-Key opened a checkout for ${sale.pack}. Use another key for ${name}.`;
      throw badRequest(message, 'idempotency_key');
    }
    const url = sale.url ?? (await this.#openPage(payments, sale, { who: 'customer', address }));
    return { url, pack: sale.pack, usd: sale.usd, credits: toCredits(sale.credits) };
  }

  async #openPage(payments: Payments, sale: Sale, by: Actor): Promise<string> {
    const { accounts, sales, authUrl } = this.#options;
    const account = await accounts.get(sale.accountId);
    const back = `${authUrl()}/dashboard/credits`;
    const ask = {
      ...sale,
      credits: toCredits(sale.credits),
      email: account?.email ?? null,
      successUrl: `${back}?session_id={CHECKOUT_SESSION_ID}`,
      cancelUrl: back,
    };
    const page = await payments.open(ask);
    await sales.opened(sale, page, by);
    return page.url;
  }

  /**
   * Looks what became of a checkout, and credits it once it is paid: for whoever comes back from the page. Sessions of other
   * accounts are left alone where an account is named. A processor that does not answer is no failure: the poll goes on.
   */
  async settle(sessionId: string, accountId?: string): Promise<void> {
    const sale = await this.#options.sales.find({ sessionId });
    if (sale === undefined || (accountId !== undefined && sale.accountId !== accountId)) return;
    if (sale.state === 'open' || sale.state === 'expired') await this.#options.settling.tryLook(sessionId);
  }

  /** The newest first. */
  async sales(accountId: string): Promise<SaleRecord[]> {
    return (await this.#options.sales.list(accountId, MOST_SALES)).map(recordOf);
  }

  desk(caller: { readonly accountId: string }, address: string | null): BillingDesk {
    return {
      packs: () => packsAndTiers(this.open),
      checkout: (pack, idempotencyKey) => this.checkout(caller.accountId, pack, { idempotencyKey, address }),
    };
  }
}

function checkKey(key: string | null): void {
  if (key === null || /^[\x21-\x7e]{1,255}$/.test(key)) return;
  throw badRequest('An Idempotency-Key has 1 to 255 visible ASCII characters and no spaces.', 'idempotency_key');
}

function recordOf(sale: Sale): SaleRecord {
  const { saleId, sessionId, createdAt, paidAt, pack, usd, state } = sale;
  return {
    ...{ saleId, sessionId, createdAt, paidAt, pack, usd, state },
    credits: toCredits(sale.credits),
    url: state === 'open' ? sale.url : null,
    refundedUsd: sale.refundedCents / 100,
    reversed: toCredits(sale.reversed),
    disputed:
      (['lost', 'open', 'won'] as const).find((one) => sale.disputes.some(({ state }) => state === one)) ?? null,
  };
}
