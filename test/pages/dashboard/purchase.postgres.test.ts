/** Receipts of purchases, over a real database: what was paid, to whom, and what was refunded or disputed since. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Answer, type Customer, type DashboardService, startDashboard } from './service.js';

let service: DashboardService;
let ada: Customer;

beforeAll(async () => {
  service = await startDashboard({ env: { PERCH_SELLER: 'Perch Ltd | 1 Quay <Street>' } });
});
beforeEach(async () => {
  ada = await service.customer(`ada-${randomUUID()}@harbour.example`);
});
afterAll(() => service?.close());

/** Buys a pack, and pays it with that much tax. */
async function bought(pack: string, taxCents: number): Promise<{ session: string; receipt: string }> {
  const answer = await ada.post('/dashboard/credits/buy', { pack });
  const session = answer.headers.get('location')?.split('/').at(-1) ?? '';
  service.stripe.pay(session, taxCents);
  await ada.get(`/dashboard/credits?session_id=${session}`);
  const { body } = await ada.get('/dashboard/credits');
  return { session, receipt: /\/dashboard\/credits\/[0-9a-f-]{36}\/receipt/.exec(body)?.[0] ?? '' };
}

it('shows number, day, pack, credits, price, tax, total, payment, seller and buyer, and links to the processor’s receipt', async () => {
  const { session, receipt } = await bought('builder', 1050);
  const page = await ada.get(receipt);
  expect(page.status).toBe(200);
  const { email } = await ada.account();
  const [sale] = await service.sql<{ id: string; payment: string }[]>`
    select sale_id as id, payment_intent as payment from sales where session_id = ${session}`;
  const today = new Date(service.clock.now()).toISOString().slice(0, 10);
  for (const text of [
    `Number ${sale?.id}`,
    `Paid on (UTC) ${today}`,
    `Payment ${sale?.payment}`,
    'Sold by Perch Ltd 1 Quay &lt;Street>',
    `Sold to Ada ${email}`,
    'Builder pack, 55,000 credits $50.00 Tax $10.50',
    'Total $60.50',
  ]) {
    expect(page.words).toContain(text);
  }
  expect(page.words).not.toContain('Since then');
  expect(page.body).toMatch(/<a href="https:\/\/pay\.stripe\.example\/ch_\w+" rel="noopener noreferrer">/);
});

it('names the account and its owner as the buyer, to other members too', async () => {
  const { receipt } = await bought('starter', 0);
  const grace = await service.customer(`grace-${randomUUID()}@harbour.example`);
  await service.sql`
    insert into members (account_id, person_id, role) values (${ada.accountId}, ${grace.personId}, 'billing')`;
  await grace.post('/dashboard/accounts/switch', { account: ada.accountId });
  expect((await grace.get(receipt)).words).toContain(`Sold to Ada ${(await ada.account()).email} `);
});

it('omits the tax line when there is no tax', async () => {
  const { receipt } = await bought('starter', 0);
  const { words } = await ada.get(receipt);
  expect(words).toContain('Starter pack, 10,000 credits $10.00 Total $10.00');
  expect(words).not.toContain('Tax');
});

it('says that tax came on top for a sale from before totals were stored', async () => {
  const { session, receipt } = await bought('starter', 200);
  await service.sql`update sales set total_cents = null, receipt_url = null where session_id = ${session}`;
  const { words } = await ada.get(receipt);
  expect(words).toContain('Any tax was added on top');
  expect(words).not.toContain('Total');
});

it('shows refunds and disputes with the credits they withdrew', async () => {
  const { session, receipt } = await bought('starter', 0);
  service.stripe.refund(session, 250);
  service.stripe.dispute(session, 100);
  await service.settling.reconcile(session);
  const { words } = await ada.get(receipt);
  expect(words).toContain(
    'Since then $2.50 refunded. $1.00: dispute open, credits set aside. 2,500 credits withdrawn. 1,000 credits set aside until the dispute is decided.',
  );
});

it('answers 404 to another account and for an unknown id', async () => {
  const { receipt } = await bought('starter', 0);
  const eve = await service.customer();
  const missing = [receipt, `/dashboard/credits/${randomUUID()}/receipt`, '/dashboard/credits/nonsense/receipt'];
  const shown = ({ status, words }: Answer) => [status, words.includes('This account has no such purchase.')];
  for (const path of missing) expect(shown(await eve.get(path))).toEqual([404, true]);
});

it('does not exist for an unpaid sale', async () => {
  await ada.post('/dashboard/credits/buy', { pack: 'starter' });
  const { body } = await ada.get('/dashboard/credits');
  expect(body).not.toContain('/receipt"');
  const [sale] = await service.sql<
    { id: string }[]
  >`select sale_id as id from sales where account_id = ${ada.accountId}`;
  expect((await ada.get(`/dashboard/credits/${sale?.id}/receipt`)).status).toBe(404);
});
