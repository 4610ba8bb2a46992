import { OPERATOR } from '../../../src/domain/audit.js';
import type { MoneyTotals, OperatorEvent, OperatorStore, RevenueRow } from '../../../src/ports/operator.js';
import { listAccounts } from '../accounts/account-list.js';
import { record } from '../accounts/audit.js';
import type { Sql } from '../sql.js';

/** In Postgres. Nothing here reads the debits: what was spent is what was granted and bought, less what is left. */
export const createOperatorStore = (sql: Sql): OperatorStore => ({
  accounts: (query) => listAccounts(sql, query),
  async events(of, limit) {
    const rows = await sql<(Omit<OperatorEvent, 'at'> & { at: Date })[]>`
      select l.at, l.account_id as "accountId", a.name as account, l.what, l.who, coalesce(o.email, o.name) as operator,
        l.address, l.detail
      from audit_log l join accounts a using (account_id) left join accounts o on o.account_id = l.operator_id
      where ${of === 'operators' ? sql`l.who = ${OPERATOR.who}` : sql`l.account_id = ${of.accountId}`}
      order by l.event_id desc limit ${limit}`;
    return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
  },
  linkCreated: (accountId, by) => record(sql, accountId, by, 'account.link_created'),
  money: () => moneyTotals(sql),
  revenue: async ({ from, to }) => [
    ...(await sql<RevenueRow[]>`
      select to_char(paid_at at time zone 'UTC', 'YYYY-MM-DD') as day, pack, count(*) as sales, sum(usd)::bigint as usd,
        sum(credits_thousandths)::bigint as credits
      from sales where state = 'paid' and paid_at >= ${`${from}T00:00:00Z`}::timestamptz
        and paid_at < ${`${to}T00:00:00Z`}::timestamptz + interval '1 day'
      group by 1, 2 order by 1, 2`),
  ],
});

/**
 * In one statement, so that all figures are of one moment: they add up. Without the accounts that hold the play credits of
 * test mode: those are neither sold nor granted.
 */
async function moneyTotals(sql: Sql): Promise<MoneyTotals> {
  const [row] = await sql<(Omit<MoneyTotals, 'spent' | 'withdrawn'> & { taken: number })[]>`
    with credits as (
      select coalesce(sum(amount_thousandths) filter (where kind = 'purchase'), 0)::bigint as sold,
        coalesce(sum(amount_thousandths) filter (where kind = 'grant'), 0)::bigint as granted,
        coalesce(sum(amount_thousandths) filter (where kind in ('reversal', 'hold')), 0)::bigint
          - coalesce(sum(amount_thousandths) filter (where kind = 'return'), 0)::bigint as taken
      from statement_entries join accounts using (account_id) where test_of is null
    ),
    wallet as (
      select count(*) as accounts, coalesce(sum(balance_thousandths), 0)::bigint as outstanding
      from wallets join accounts using (account_id) where test_of is null
    ),
    payment as (
      select coalesce(sum(usd), 0)::bigint * 100 as "paidCents",
        coalesce(sum(refunded_cents), 0)::bigint as "refundedCents",
        coalesce(sum(held_thousandths), 0)::bigint as held
      from sales where state = 'paid'
    )
    select * from credits, wallet, payment`;
  if (row === undefined) throw new Error('the totals have no row');
  const { taken, ...totals } = row;
  return {
    ...totals,
    withdrawn: taken - totals.held,
    spent: totals.sold + totals.granted - taken - totals.outstanding,
  };
}
