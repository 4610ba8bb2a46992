/** What customers do, written through the stores: they allow a client, they buy a pack. */
import { randomBytes, randomUUID } from 'node:crypto';
import { OPERATOR } from '../../../src/domain/audit.js';
import type { Approval, GrantStore } from '../../../src/ports/grants.js';
import type { Sale, SaleChange, Sales } from '../../../src/ports/sales.js';

export const soon = () => new Date(Date.now() + 3_600_000);

export const newPair = () => ({
  ...{ keyHash: randomBytes(32), keyPrefix: 'perch_live_mnopqr', refreshHash: randomBytes(32) },
  ...{ keyEndsAt: soon(), refreshEndsAt: soon() },
});

export const approvalOf = (accountId: string, grantId: string): Approval => ({
  ...{ accountId, grantId, clientId: 'c', clientName: 'c', redirectUri: 'https://c.example', redirectNamed: true },
  ...{ challenge: 'c', resource: null, cap: { amount: 1_000, period: 'month' } },
});

/** Allows a client, which gets its first keys. */
export async function allow(grants: GrantStore, accountId: string) {
  const [hash, grantId, pair] = [randomBytes(32), randomUUID(), newPair()];
  await grants.approve({ hash, approval: approvalOf(accountId, grantId), now: new Date(), endsAt: soon() }, OPERATOR);
  await grants.redeem({ hash, now: new Date(), by: OPERATOR }, () => pair);
  return { grantId, ...pair };
}

export const newSale = (accountId: string): Parameters<Sales['begin']>[0] => ({
  ...{ accountId, pack: 'p', usd: 10, credits: 1_000, idempotencyKey: randomUUID(), nowMs: Date.now() },
  ...{ keyLastsMs: 1_000, mostOpen: 100, countedForMs: 1_000 },
});

/** Opens a sale whose checkout page is open at the payment service. */
export async function sell(sales: Sales, accountId: string): Promise<Sale> {
  const sale = await sales.begin(newSale(accountId));
  if (typeof sale === 'string') throw new Error(`no sale: ${sale}`);
  await sales.opened(sale, { sessionId: sale.saleId, url: 'https://pay.example' }, Date.now(), OPERATOR);
  return { ...sale, sessionId: sale.saleId };
}

/** What the payment service reports of a paid sale. */
export const PAID: SaleChange = {
  ...{ state: 'paid', paymentIntent: 'i', totalCents: 1_000, receiptUrl: null, refundedCents: 0, reversed: 0, held: 0 },
  ...{ shortfall: 0, disputes: [], paidUsd: 0, lost: [], overturned: [], entries: [] },
};
