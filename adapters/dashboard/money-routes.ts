import type { SaleRecord } from '../../src/billing/billing.js';
import { isUuid } from '../../src/core/uuid.js';
import { inCredits } from '../site/parts.js';
import { type CameBack, creditsPage } from './credits.js';
import { receiptsPage } from './receipts.js';
import type { DashboardServices, Visit } from './services.js';
import { aroundOf, backTo, isTold, queryOf, type Rooms, sendDashboard } from './visit.js';

/** Lines of the statement, and requests in the list of receipts. */
const STATEMENT = 100;
const NEWEST = 50;

type MoneyOptions = Pick<DashboardServices, 'billing' | 'ledger'> & { readonly checkoutOrigin: string | null };

/** Credits: what there is, what came in, more of it; and receipts of what went. */
export function mountMoney(rooms: Rooms, options: MoneyOptions): void {
  const { billing, ledger, checkoutOrigin } = options;
  rooms.page('/dashboard/credits', async (visit, reply) => {
    const sessionId = queryOf(visit.request).get('session_id');
    if (sessionId === null) return sendDashboard(reply, await creditsOf(visit, options), checkoutOrigin);
    await billing.settle(sessionId, visit.account.accountId);
    return backTo(reply, `/dashboard/credits?paid=${encodeURIComponent(sessionId)}`);
  });
  rooms.form('/dashboard/credits/buy', '/dashboard/credits', async (visit, form, reply) => {
    try {
      const pack = form.get('pack') ?? '';
      const page = form.get('page');
      // One of the page's buttons twice is one sale; two of them are two.
      const idempotencyKey = page === null ? null : `${page}:${pack}`;
      const { url } = await billing.checkout(visit.account.accountId, pack, {
        idempotencyKey,
        address: visit.by.address,
      });
      return backTo(reply, url);
    } catch (error) {
      if (!isTold(error)) throw error;
      const page = await creditsOf(visit, options, error.message);
      return sendDashboard(reply.code(error.status), page, checkoutOrigin);
    }
  });
  rooms.page('/dashboard/receipts', async (visit, reply) => {
    const asked = (queryOf(visit.request).get('request_id') ?? '').trim();
    const { accountId } = visit.account;
    const [receipt, recent] = await Promise.all([
      isUuid(asked) ? ledger.receipt(accountId, asked) : undefined,
      ledger.recent(accountId, NEWEST),
    ]);
    const error = asked === '' || receipt !== undefined ? null : whyNone(asked);
    const page = receiptsPage({ around: aroundOf(visit), asked, receipt: receipt ?? null, error, recent });
    return sendDashboard(error === null ? reply : reply.code(404), page);
  });
}

const whyNone = (asked: string): string =>
  isUuid(asked)
    ? 'This account has no paid request with that id. Free requests (those that failed or returned nothing) have no receipt.'
    : 'Invalid request id. One looks like 01893c5e-7a2b-7c1d-8e4f-5a6b7c8d9e0f.';

async function creditsOf(
  visit: Visit,
  { billing, ledger }: MoneyOptions,
  error: string | null = null,
): Promise<string> {
  const { account, request } = visit;
  const [sales, statement] = await Promise.all([
    billing.sales(account.accountId),
    ledger.statement(account.accountId, STATEMENT),
  ]);
  const paid = queryOf(request).get('paid');
  const cameBack = paid === null ? null : whatBecame(sales, paid);
  const shown = { open: billing.open, pageKey: billing.newKey(), cameBack, error, sales, statement };
  return creditsPage({ around: aroundOf(visit), account, ...shown });
}

/** What to tell who comes back from the processor's page. Sales of others are not among these. */
function whatBecame(sales: readonly SaleRecord[], sessionId: string): CameBack {
  const sale = sales.find((one) => one.sessionId === sessionId);
  if (sale === undefined) {
    return { tone: 'plain', title: 'Thank you.', text: 'See purchases for the status of your payment.' };
  }
  const credits = inCredits(sale.credits);
  if (sale.state === 'paid') return { tone: 'ok', title: 'Paid.', text: `${credits} added to your wallet.` };
  if (sale.state === 'open') {
    const text = `The payment is still being processed. ${credits} will be added automatically once it completes, usually within a minute.`;
    return { tone: 'plain', title: 'Almost there.', text };
  }
  if (sale.state === 'expired') {
    return {
      tone: 'warn',
      title: 'Not paid.',
      text: 'The checkout page has expired. Nothing was charged; choose a pack again.',
    };
  }
  const text =
    'The amount paid differs from the price of the pack. The operator will review it before any credits are added.';
  return { tone: 'warn', title: 'Under review.', text };
}
