import type { Dispute } from '../../../src/ports/payments.js';
import type { Sale } from '../../../src/ports/sales.js';
import type { Sql, Transaction } from '../sql.js';

interface SaleRow extends Omit<Sale, 'createdAt' | 'paidAt' | 'disputes'> {
  readonly createdAt: Date;
  readonly paidAt: Date | null;
}

/** Sales with their disputes. `where` may end with an order and a limit. */
export async function readSales(sql: Sql | Transaction, where: ReturnType<Sql>): Promise<Sale[]> {
  const rows = await sql<(SaleRow & { disputes: Dispute[] })[]>`
    select sale_id as "saleId", account_id as "accountId", session_id as "sessionId", url, pack, usd,
      credits_thousandths as credits, state, payment_intent as "paymentIntent", created_at as "createdAt",
      paid_at as "paidAt", total_cents as "totalCents", receipt_url as "receiptUrl", refunded_cents as "refundedCents", reversed_thousandths as reversed,
      held_thousandths as held,
      shortfall_thousandths as shortfall, coalesce((
        select jsonb_agg(jsonb_build_object('disputeId', dispute_id, 'state', d.state, 'amountCents', amount_cents)
          order by dispute_id collate "C")
        from sale_disputes d where d.account_id = sales.account_id and d.sale_id = sales.sale_id
      ), '[]') as disputes
    from sales where ${where}`;
  return rows.map((row) => ({
    ...row,
    createdAt: row.createdAt.toISOString(),
    paidAt: row.paidAt?.toISOString() ?? null,
  }));
}
