import { type Actor, OPERATOR } from '../../../src/domain/audit.js';
import { badRequest, ServiceError } from '../../../src/domain/errors.js';
import { isUuid } from '../../../src/lib/uuid.js';
import type {
  AccountSettings,
  MoneyTotals,
  OperatorEvent,
  OperatorStore,
  RevenueRow,
  SettingsChange,
} from '../../../src/ports/operator.js';
import { listAccounts } from '../accounts/account-list.js';
import { record } from '../accounts/audit.js';
import { notifyAccountChange } from '../accounts/key-changes.js';
import { lockingTransaction } from '../locking-transaction.js';
import type { Sql, Transaction } from '../sql.js';

/**
 * The operator's figures in Postgres. None reads the debits: spent is what was granted and bought, less what is left.
 */
export const createOperatorStore = (sql: Sql): OperatorStore => ({
  accounts: (query) => listAccounts(sql, query),
  async events(of, limit) {
    const rows = await sql<(Omit<OperatorEvent, 'at'> & { at: Date })[]>`
      select l.at, l.account_id as "accountId", a.name as account, l.what, l.who, case when l.who = 'operator' then coalesce(p.email, o.name) end as operator,
        l.address, l.detail
      from audit_log l join accounts a using (account_id) left join people p using (person_id)
        left join accounts o on o.account_id = l.person_id
      where ${of === 'operators' ? sql`l.who = ${OPERATOR.who}` : sql`l.account_id = ${of.accountId}`}
      order by l.event_id desc limit ${limit}`;
    return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
  },
  settings: async (accountId) => (isUuid(accountId) ? (await readSettings(sql, accountId))[0] : undefined),
  changeSettings: (accountId, change, by) => lockingTransaction(sql, (tx) => changeSettings(tx, accountId, change, by)),
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

const readSettings = (sql: Sql | Transaction, accountId: string) => sql<AccountSettings[]>`
  select note, qps_override as "qpsOverride", paid_usd as "paidUsd",
    (select coalesce(sum(usd), 0)::bigint from sales where account_id = ${accountId} and state = 'paid') as "boughtUsd"
  from accounts where account_id = ${accountId} and test_of is null`;

async function changeSettings(tx: Transaction, accountId: string, change: SettingsChange, by: Actor): Promise<void> {
  if (isUuid(accountId)) await tx`select from accounts where account_id = ${accountId} for no key update`;
  const [before] = isUuid(accountId) ? await readSettings(tx, accountId) : [];
  if (before === undefined) throw new ServiceError('not_found', 'There is no such account.');
  const { note = before.note, qpsOverride = before.qpsOverride, paidUsd = before.paidUsd } = change;
  refuseStale(change, before);
  if (paidUsd < Math.min(before.boughtUsd, before.paidUsd)) {
    throw badRequest(
      `At least $${before.boughtUsd} must count as paid, because that much was paid for packs.`,
      'paid_usd',
    );
  }
  if (qpsOverride !== before.qpsOverride || paidUsd !== before.paidUsd) {
    await tx`
      update accounts set qps_override = ${qpsOverride}, paid_usd = ${paidUsd} where account_id = ${accountId}`;
    await notifyAccountChange(tx, accountId);
    await record(tx, accountId, by, 'account.limits_changed', {
      ...(qpsOverride !== before.qpsOverride && { requests_per_second: qpsOverride ?? 'by tier' }),
      ...(paidUsd !== before.paidUsd && { counts_as_paid_usd: paidUsd }),
    });
  }
  if (note !== before.note) {
    await tx`update accounts set note = ${note} where account_id = ${accountId}`;
    await record(tx, accountId, by, 'account.noted');
  }
}

/** A sale, or another operator, may have changed a setting since the page of the form was made. */
function refuseStale(change: SettingsChange, before: AccountSettings): void {
  const { paidUsdBefore = before.paidUsd, qpsOverrideBefore = before.qpsOverride, noteBefore = before.note } = change;
  if (paidUsdBefore !== before.paidUsd)
    throw badRequest(
      `$${before.paidUsd} counts as paid now, no longer $${paidUsdBefore}. Open the account again to change it.`,
      'paid_usd',
    );
  if (qpsOverrideBefore !== before.qpsOverride) {
    const rate = before.qpsOverride === null ? 'that of the tier' : before.qpsOverride;
    throw badRequest(
      `The rate is ${rate} now: it was changed since you opened this page. Open the account again.`,
      'qps',
    );
  }
  if (noteBefore !== before.note)
    throw badRequest('The note was changed since you opened this page. Open the account again.', 'note');
}

/**
 * Totals of all money, in one statement, so that all figures are of one moment and add up. Leaves out test accounts,
 * whose play credits are neither sold nor granted.
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
      select count(*) filter (where deleted_at is null) as accounts,
        coalesce(sum(balance_thousandths) filter (where deleted_at is null), 0)::bigint as outstanding,
        coalesce(sum(balance_thousandths) filter (where deleted_at is not null), 0)::bigint as lost
      from wallets join accounts using (account_id) where test_of is null
    ),
    payment as (
      select coalesce(sum(usd), 0)::bigint * 100 as "paidCents",
        coalesce(sum(least(usd * 100, round(refunded_cents * usd * 100.0 / greatest(total_cents, usd * 100)))), 0)::bigint
          as "refundedCents",
        coalesce(sum(held_thousandths), 0)::bigint as held
      from sales where state = 'paid'
    )
    select * from credits, wallet, payment`;
  if (row === undefined) throw new Error('the totals have no row');
  const { taken, ...totals } = row;
  return {
    ...totals,
    withdrawn: taken - totals.held,
    spent: totals.sold + totals.granted - taken - totals.outstanding - totals.lost,
  };
}
