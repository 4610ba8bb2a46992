import type { Actor } from '../domain/audit.js';
import { toCredits, toThousandths } from '../domain/credits.js';
import { badRequest, ServiceError } from '../domain/errors.js';
import { PACKS, type Pack, TIERS, usdPer1000 } from '../domain/tiers.js';
import type { BoundedMap } from '../lib/bounded-map.js';
import { DAY_MS } from '../lib/durations.js';
import { Memories } from '../lib/memories.js';
import { quoted } from '../lib/text.js';
import { isUuid } from '../lib/uuid.js';
import type { Accounts, Caller } from '../ports/accounts.js';
import type { Clock } from '../ports/clock.js';
import type { Payments } from '../ports/payments.js';
import type { Sale, SaleRefusal, Sales } from '../ports/sales.js';
import { type PurchaseRecord, refundedPrice, toPurchase } from './purchases.js';
import type { Settling } from './settling.js';

/** Packs and tiers (section 4.1). `buyable` is false while card checkout is not open (W9). */
export const packsAndTiers = (buyable: boolean) => ({
  packs: PACKS.map((pack) => ({
    name: pack.name,
    usd: pack.usd,
    credits: pack.credits,
    usdPer1000: usdPer1000(pack),
    buyable,
  })),
  rateLimits: TIERS,
});

/** The pack with this name. Throws `bad_request` for an unknown name, listing the packs. */
function packNamed(name: string): Pack {
  const pack = PACKS.find((each) => each.name === name);
  if (pack !== undefined) return pack;
  const names = PACKS.map((each) => each.name).join(', ');
  throw badRequest(`Unknown pack ${quoted(name)}. Available packs: ${names}.`, 'pack');
}

/** How long a caller's idempotency key identifies one checkout. */
const KEY_LASTS_MS = DAY_MS;

/** Most sales shown. */
const MOST_SALES = 200;

/** Most unpaid checkouts of one account within the lifetime of their pages. */
const MOST_OPEN = 20;
const PAGE_LIVES_MS = DAY_MS;

/** Checks of one session share a lookup within this time, because a customer may reload the page after paying. */
const LOOK_EVERY_MS = 2_000;
/** Memory of a timestamp and a promise. */
const LOOK_BYTES = 300;

export interface BillingOptions {
  /** Null: payments are off, and nothing can be bought. */
  readonly payments: Payments | null;
  readonly sales: Sales;
  readonly accounts: Pick<Accounts, 'get' | 'keyByPrefix'>;
  readonly settling: Settling;
  readonly clock: Clock;
  /** The address of sign-in and dashboard, without a trailing slash; known once the service listens. */
  readonly authUrl: () => string;
  /** Returns a unique id. */
  readonly newId: () => string;
  /** Where its memory is counted. */
  readonly memories?: Memories;
}

/** An opened checkout page. */
export interface Checkout {
  readonly url: string;
  readonly pack: string;
  /** Whole US dollars, before tax. */
  readonly usd: number;
  readonly credits: number;
}

export interface CheckoutOptions {
  readonly idempotencyKey: string | null;
  /** The client's address, for the account's log. */
  readonly address: string | null;
}

/** A sale as its owner sees it. Amounts are in credits, not thousandths, and in US dollars. */
export interface SaleRecord {
  readonly saleId: string;
  /** The processor's id of the checkout: the customer's browser returns with it from the payment page. */
  readonly sessionId: string | null;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly paidAt: string | null;
  readonly pack: string;
  readonly usd: number;
  readonly credits: number;
  readonly state: Sale['state'];
  /** Where it can be paid; null unless the sale is open. */
  readonly url: string | null;
  /** Without tax, as `usd`. */
  readonly refundedUsd: number;
  /** Credits taken back for good, and those set aside while a dispute is open. */
  readonly reversed: number;
  readonly held: number;
  readonly disputed: 'open' | 'won' | 'lost' | null;
}

/** The part of billing that callers of the API may use. Resolvers get one per call. */
export interface CallerBilling {
  packs(): ReturnType<typeof packsAndTiers>;
  checkout(pack: string, idempotencyKey: string | null): Promise<Checkout>;
}

type Buyer = Pick<Caller, 'accountId' | 'keyPrefix' | 'mode'>;

/** Buying credits. `Settling` reconciles the payments. */
export class Billing {
  readonly #options: BillingOptions;
  /** The last check of a session: when it began, and a promise for its end. */
  readonly #looks: BoundedMap<{ readonly atMs: number; readonly done: Promise<void> }>;

  constructor(options: BillingOptions) {
    this.#options = options;
    this.#looks = (options.memories ?? new Memories()).map('checkouts', { weigh: () => LOOK_BYTES });
  }

  /** Whether card checkout is open. */
  get open(): boolean {
    return this.#options.payments !== null;
  }

  /** An idempotency key for a form, so that sending the form twice opens only one page (H12). */
  newKey(): string {
    return this.#options.newId();
  }

  /**
   * Opens a hosted checkout page, which lives for 24 h; others may be open at the same time (W10). Throws `bad_request`
   * for an invalid pack or key, `billing_disabled` while payments are off, `access_denied` for a frozen account,
   * `not_found` for a deleted one, `rate_limited` while too many pages are unpaid, `upstream_error` if the processor
   * fails; nothing is charged then.
   */
  async checkout(accountId: string, packName: string, { idempotencyKey, address }: CheckoutOptions): Promise<Checkout> {
    const { name, usd, credits } = packNamed(packName);
    checkKey(idempotencyKey);
    const { payments, sales, clock } = this.#options;
    if (payments === null) {
      throw new ServiceError('billing_disabled', 'Card checkout is not available on this server. Nothing was charged.');
    }
    const sale = await sales.begin({
      accountId,
      pack: name,
      usd,
      credits: toThousandths(credits),
      idempotencyKey,
      nowMs: clock.now(),
      keyLastsMs: KEY_LASTS_MS,
      mostOpen: MOST_OPEN,
      countedForMs: PAGE_LIVES_MS,
    });
    if (typeof sale === 'string') throw noSale(sale);
    if (sale.pack !== name) {
      const message = `This Idempotency-Key was already used for a ${sale.pack} checkout. Use a different key for ${name}.`;
      throw badRequest(message, 'idempotency_key');
    }
    const url = sale.url ?? (await this.#openPage(payments, sale, { who: 'customer', address }));
    return { url, pack: sale.pack, usd: sale.usd, credits: toCredits(sale.credits) };
  }

  async #openPage(payments: Payments, sale: Sale, by: Actor): Promise<string> {
    const { accounts, sales, clock, authUrl } = this.#options;
    const account = await accounts.get(sale.accountId);
    const back = `${authUrl()}/dashboard/credits`;
    const request = {
      ...sale,
      credits: toCredits(sale.credits),
      email: account?.email ?? null,
      successUrl: `${back}?session_id={CHECKOUT_SESSION_ID}`,
      cancelUrl: back,
    };
    const page = await payments.open(request);
    await sales.opened(sale, page, clock.now(), by);
    return page.url;
  }

  /**
   * Checks a checkout, and credits it once it is paid: for a customer returning from the page. If an account is given,
   * sessions of other accounts are ignored. A processor that does not answer is not a failure: the poll continues.
   * Calls within 2 s share one check.
   */
  async settle(sessionId: string, accountId?: string): Promise<void> {
    if (!/^[\x21-\x7e]{1,255}$/.test(sessionId)) return;
    const sale = await this.#options.sales.find({ sessionId });
    if (sale === undefined || (accountId !== undefined && sale.accountId !== accountId)) return;
    if (sale.state === 'open' || sale.state === 'expired') await this.#lookSometimes(sessionId);
  }

  async #lookSometimes(sessionId: string): Promise<void> {
    const { settling, clock } = this.#options;
    const atMs = clock.now();
    const last = this.#looks.get(sessionId);
    if (last !== undefined && atMs < last.atMs + LOOK_EVERY_MS) return last.done;
    const done = settling.tryReconcile(sessionId);
    this.#looks.set(sessionId, { atMs, done });
    return done;
  }

  /** Newest first. */
  async sales(accountId: string, limit = MOST_SALES): Promise<SaleRecord[]> {
    return (await this.#options.sales.list(accountId, limit)).map(toSaleRecord);
  }

  /** A paid purchase of the account; undefined for any other id. */
  async purchase(accountId: string, saleId: string): Promise<PurchaseRecord | undefined> {
    const sale = isUuid(saleId) ? await this.#options.sales.find({ accountId, saleId }) : undefined;
    return sale && toPurchase(sale);
  }

  /** `checkout` throws `access_denied` for a client's key, which may only read, and for a test key. */
  forCaller(caller: Buyer, address: string | null): CallerBilling {
    return {
      packs: () => packsAndTiers(this.open),
      checkout: async (pack, idempotencyKey) => {
        if (caller.mode === 'test') throw noSale('test_mode');
        await this.#refuseClient(caller);
        return this.checkout(caller.accountId, pack, { idempotencyKey, address });
      },
    };
  }

  async #refuseClient({ accountId, keyPrefix }: Buyer): Promise<void> {
    const key = await this.#options.accounts.keyByPrefix(keyPrefix, accountId);
    if (key?.grantId === null) return;
    const message =
      'This key was issued to a client for reading only. To buy credits, use one of your own keys or the dashboard.';
    throw new ServiceError('access_denied', message, { reason: 'read_only' });
  }
}

function noSale(why: SaleRefusal): ServiceError {
  if (why === 'deleted') return new ServiceError('not_found', 'This account was deleted. Nothing was charged.');
  if (why === 'test_mode') {
    const message = 'Credits cannot be bought in test mode: play credits are refilled each day. Use a live key.';
    return new ServiceError('access_denied', message, { reason: 'test_mode' });
  }
  if (why === 'frozen') {
    const message = 'This account is frozen and cannot buy credits. Contact the operator first.';
    return new ServiceError('access_denied', message, { reason: 'frozen' });
  }
  const message = `${MOST_OPEN} checkout pages opened in the last 24 hours are still unpaid. Pay on one of them, or wait.`;
  return new ServiceError('rate_limited', message, { retryAfter: 60 });
}

function checkKey(key: string | null): void {
  if (key === null || /^[\x21-\x7e]{1,255}$/.test(key)) return;
  throw badRequest('Idempotency-Key must be 1 to 255 visible ASCII characters without spaces.', 'idempotency_key');
}

function toSaleRecord(sale: Sale): SaleRecord {
  const { saleId, sessionId, createdAt, paidAt, pack, usd, state } = sale;
  return {
    ...{ saleId, sessionId, createdAt, paidAt, pack, usd, state },
    credits: toCredits(sale.credits),
    url: state === 'open' ? sale.url : null,
    refundedUsd: refundedPrice(sale) / 100,
    reversed: toCredits(sale.reversed - sale.held),
    held: toCredits(sale.held),
    disputed:
      (['lost', 'open', 'won'] as const).find((one) => sale.disputes.some(({ state }) => state === one)) ?? null,
  };
}
