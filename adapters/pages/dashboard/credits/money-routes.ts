import type { SaleRecord } from '../../../../src/billing/billing.js';
import { inCredits } from '../../../../src/domain/figures.js';
import { isUuid } from '../../../../src/lib/uuid.js';
import { queryString } from '../../../http/request.js';
import {
  type AuthenticatedRoutes,
  isCallerError,
  pathParam,
  redirectTo,
  type SignedInRequest,
  sendPrivatePage,
} from '../../kit/signed-in/authenticated-routes.js';
import { MOST_FILE_ROWS, sendCsv } from '../../kit/signed-in/csv.js';
import { statementCsv } from '../../kit/signed-in/statement.js';
import { dashboardLayout } from '../frame/dashboard-page.js';
import { type DashboardServices, notOnAccount } from '../frame/services.js';

import { type CheckoutReturn, creditsPage } from './credits.js';
import { purchasePage } from './purchase.js';
import { receiptsPage } from './receipts.js';
import { receiptsCsv } from './request-table.js';

/** The most lines of the statement, and the most requests in the receipts list. */
const STATEMENT = 100;
const NEWEST = 50;

type MoneyOptions = Pick<DashboardServices, 'billing' | 'ledger'> & {
  readonly checkoutOrigin: string | null;
  readonly seller: readonly string[];
  readonly contact: string | null;
};

/** Routes for the balance, payments, checkout, and receipts of purchases and requests. */
export function mountMoney(routes: AuthenticatedRoutes, options: MoneyOptions): void {
  const { billing, ledger, checkoutOrigin, seller } = options;
  routes.page('/dashboard/credits', async (signedIn, reply) => {
    const sessionId = queryString(signedIn.request).get('session_id');
    if (sessionId === null) return sendPrivatePage(reply, await renderCreditsPage(signedIn, options), checkoutOrigin);
    await billing.settle(sessionId, signedIn.account.accountId);
    return redirectTo(reply, `/dashboard/credits?paid=${encodeURIComponent(sessionId)}`);
  });
  routes.form('/dashboard/credits/buy', '/dashboard/credits', async (signedIn, form, reply) => {
    try {
      const pack = form.get('pack') ?? '';
      const page = form.get('page');
      // Clicking the same button of a page twice makes one sale; clicking two different buttons makes two.
      const idempotencyKey = page === null ? null : `${page}:${pack}`;
      const { url } = await billing.checkout(signedIn.account.accountId, pack, {
        idempotencyKey,
        address: signedIn.by.address,
      });
      return redirectTo(reply, url);
    } catch (error) {
      if (!isCallerError(error)) throw error;
      const page = await renderCreditsPage(signedIn, options, error.message);
      return sendPrivatePage(reply.code(error.status), page, checkoutOrigin);
    }
  });
  routes.page(
    '/dashboard/credits/statement.csv',
    async ({ account, signal }, reply) =>
      sendCsv(reply, 'statement', statementCsv(await ledger.statement(account.accountId, MOST_FILE_ROWS, signal))),
    '/dashboard/credits',
  );
  routes.page('/dashboard/credits/:saleId/receipt', async (signedIn, reply) => {
    const { accountId, name, email } = signedIn.account;
    const purchase = await billing.purchase(accountId, pathParam(signedIn.request, 'saleId'));
    if (purchase === undefined) throw notOnAccount('purchase');
    const buyer = email === null || email === name ? [name] : [name, email];
    return sendPrivatePage(reply, purchasePage({ layout: dashboardLayout(signedIn), buyer, purchase, seller }));
  });
  mountReceipts(routes, options);
}

/** Receipts of requests. */
function mountReceipts(routes: AuthenticatedRoutes, { ledger }: MoneyOptions): void {
  routes.page('/dashboard/receipts', async (signedIn, reply) => {
    const requestId = (queryString(signedIn.request).get('request_id') ?? '').trim();
    const { account, signal } = signedIn;
    const [receipt, recent] = await Promise.all([
      isUuid(requestId) ? ledger.receipt(account.accountId, requestId, signal) : undefined,
      ledger.recent(account.accountId, NEWEST, signal),
    ]);
    const isMissing = requestId !== '' && receipt === undefined;
    const archived =
      isMissing && isUuid(requestId) ? await ledger.archivedMonth(account.accountId, requestId, signal) : undefined;
    const error = isMissing ? whyNone(requestId, archived) : null;
    const page = receiptsPage({
      layout: dashboardLayout(signedIn),
      requestId,
      receipt: receipt ?? null,
      error,
      recent,
      keys: account.keys,
    });
    return sendPrivatePage(error === null ? reply : reply.code(404), page);
  });
  routes.page(
    '/dashboard/receipts.csv',
    async ({ account, signal }, reply) =>
      sendCsv(reply, 'receipts', receiptsCsv(await ledger.recent(account.accountId, MOST_FILE_ROWS, signal))),
    '/dashboard/receipts',
  );
}

function whyNone(requestId: string, archived: string | undefined): string {
  if (!isUuid(requestId)) return 'Invalid request id. One looks like 01893c5e-7a2b-7c1d-8e4f-5a6b7c8d9e0f.';
  if (archived !== undefined) return `Receipts of ${archived} are archived. Usage still includes their requests.`;
  return 'This account has no paid request with that id. Free requests (those that failed or returned nothing) have no receipt.';
}

async function renderCreditsPage(
  signedIn: SignedInRequest,
  { billing, ledger, contact }: MoneyOptions,
  error: string | null = null,
): Promise<string> {
  const { account, request, signal } = signedIn;
  const [sales, statement] = await Promise.all([
    billing.sales(account.accountId),
    ledger.statement(account.accountId, STATEMENT, signal),
  ]);
  const paid = queryString(request).get('paid');
  const checkoutReturn = paid === null ? null : whatBecame(sales, paid);
  const shown = { open: billing.open, contact, pageKey: billing.newKey(), checkoutReturn, error, sales, statement };
  return creditsPage({ layout: dashboardLayout(signedIn), account, ...shown });
}

/** The outcome for a customer who returns from the processor's page. `sales` has no sales of other accounts. */
function whatBecame(sales: readonly SaleRecord[], sessionId: string): CheckoutReturn {
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
