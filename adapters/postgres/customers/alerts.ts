import { isUuid } from '../../../src/lib/uuid.js';
import type { AlertLevel, AlertRecord, AlertStore, LastDelivery } from '../../../src/ports/alerts.js';
import type { Notices, WalletLevel } from '../../../src/ports/deliveries.js';
import { record } from '../accounts/audit.js';
import { lockingTransaction } from '../locking-transaction.js';
import type { Sql } from '../sql.js';
import { writeDeliveries } from './new-deliveries.js';

/** Alerts in Postgres. */
export const createAlerts = (sql: Sql): AlertStore => ({
  list: (accountId) => list(sql, accountId),

  add: (accountId, { kind, amount, byMail, webhookUrl }, most, by) =>
    lockingTransaction(sql, async (tx) => {
      // An alert that is added at the same time waits here, and then counts this one too.
      await tx`select from accounts where account_id = ${accountId} for no key update`;
      const [added] = await tx<{ alertId: string }[]>`
        insert into alerts (account_id, kind, amount_thousandths, by_mail, webhook_url)
        select ${accountId}, ${kind}, ${amount}, ${byMail}, ${webhookUrl}
        where (select count(*) from alerts where account_id = ${accountId}) < ${most}
        returning alert_id as "alertId"`;
      if (added === undefined) return null;
      await record(tx, accountId, by, 'alert.added', {
        kind,
        credits: amount / 1000,
        email: byMail,
        webhook: webhookUrl,
      });
      return added.alertId;
    }),

  async remove(accountId, alertId, by) {
    if (!isUuid(alertId)) return;
    await lockingTransaction(sql, async (tx) => {
      const [removed] = await tx<{ kind: string; amount: number }[]>`
        delete from alerts where account_id = ${accountId} and alert_id = ${alertId}
        returning kind, amount_thousandths as amount`;
      if (removed === undefined) return;
      await record(tx, accountId, by, 'alert.removed', { kind: removed.kind, credits: removed.amount / 1000 });
    });
  },

  levels: (accountIds, day) => levels(sql, accountIds, day),

  claim: ({ accountId, alertId, crossing: before }, crossing, nowMs, notices) =>
    sql.begin(async (tx) => {
      const marked = await tx`
        update alerts set crossing = ${crossing}, crossed_at = ${new Date(nowMs)}
        where account_id = ${accountId} and alert_id = ${alertId} and crossing is not distinct from ${before}`;
      if (marked.count === 0) return false;
      await writeDeliveries(tx, { accountId, alertId }, notices);
      return true;
    }),

  async skip(accountId, alertId, crossing) {
    await sql`
      update alerts set crossing = ${crossing}
      where account_id = ${accountId} and alert_id = ${alertId} and crossing is null`;
  },

  deliver: (accountId, alertId, notices) => writeDeliveries(sql, { accountId, alertId }, notices),
});

type DatedDelivery = Omit<LastDelivery, 'createdAt' | 'deliveredAt' | 'dueAt'> &
  Record<'createdAt', Date> &
  Record<'deliveredAt' | 'dueAt', Date | null>;

async function list(sql: Sql, accountId: string): Promise<AlertRecord[]> {
  const rows = await sql<
    (Omit<AlertRecord, 'createdAt' | 'crossedAt' | 'last'> & Record<'createdAt', Date> & { crossedAt: Date | null })[]
  >`
    select alert_id as "alertId", kind, amount_thousandths as amount, by_mail as "byMail", webhook_url as "webhookUrl",
      created_at as "createdAt", crossed_at as "crossedAt"
    from alerts where account_id = ${accountId} order by created_at, alert_id`;
  const last = await sql<(DatedDelivery & { alertId: string })[]>`
    select distinct on (alert_id, channel) alert_id as "alertId", channel, created_at as "createdAt",
      delivered_at as "deliveredAt", due_at as "dueAt", status, fault
    from deliveries where account_id = ${accountId} and alert_id is not null
    order by alert_id, channel, created_at desc`;
  return rows.map((row) => ({
    ...row,
    createdAt: row.createdAt.toISOString(),
    crossedAt: row.crossedAt?.toISOString() ?? null,
    last: last
      .filter(({ alertId }) => alertId === row.alertId)
      .map(({ alertId: _, createdAt, deliveredAt, dueAt, ...rest }) => ({
        ...rest,
        createdAt: createdAt.toISOString(),
        deliveredAt: deliveredAt?.toISOString() ?? null,
        dueAt: dueAt?.toISOString() ?? null,
      })),
  }));
}

/** What was spent on a day is the sum of its hours, plus the debits that are not in the sums yet. */
const levels = (sql: Sql, accountIds: readonly string[], day: string) => sql<AlertLevel[]>`
  with alert as materialized (
    select * from alerts left join account_owners using (account_id) where account_id = any(${[...accountIds]}::uuid[])
  ),
  wallet as materialized (
    select account_id, balance_thousandths from wallets where account_id in (select account_id from alert)
  ),
  topup as materialized (${lastTopups(sql, sql`select account_id from alert where kind = 'balance_below'`)}),
  spent as materialized (
    select account_id, sum(amount_thousandths) as amount from (
      select account_id, amount_thousandths from usage_hours
      where hour >= ${`${day}T00:00:00Z`}::timestamptz and hour < ${`${day}T00:00:00Z`}::timestamptz + interval '1 day'
        and account_id in (select account_id from alert where kind = 'day_spend_above' and crossing is distinct from ${day})
      union all
      select account_id, amount_thousandths from unsummed_debits
      where at >= ${`${day}T00:00:00Z`}::timestamptz and at < ${`${day}T00:00:00Z`}::timestamptz + interval '1 day'
        and account_id in (select account_id from alert where kind = 'day_spend_above' and crossing is distinct from ${day})
    ) parts group by 1
  )
  select l.account_id as "accountId", l.alert_id as "alertId", l.kind, l.amount_thousandths as amount,
    l.by_mail as "byMail", l.webhook_url as "webhookUrl", l.crossing, l.email, w.balance_thousandths as balance,
    coalesce(t.balance_after, 0) as "full", coalesce(t.seq, 0) as "topupSeq",
    coalesce(case when l.kind = 'day_spend_above' and l.crossing is distinct from ${day} then s.amount end, 0)::bigint as spent
  from alert l join wallet w using (account_id)
    left join spent s using (account_id) left join topup t on t.account_id = l.account_id and l.kind = 'balance_below'`;

/** The last entry of each account by which credits came in. */
const lastTopups = (sql: Sql, accounts: ReturnType<Sql>) => sql`
  select distinct on (account_id) account_id, seq, balance_after from statement_entries
  where account_id in (${accounts}) and kind not in ('reversal', 'hold') order by account_id, seq desc`;

/** Low-balance notices in Postgres. */
export const createNotices = (sql: Sql): Notices => ({
  levels: (accountIds) => sql<WalletLevel[]>`
    with owner as materialized (
      select account_id, email from account_owners where account_id = any(${[...accountIds]}::uuid[]) and email is not null
    ),
    wallet as materialized (
      select account_id, balance_thousandths from wallets where account_id in (select account_id from owner)
    ),
    topup as materialized (${lastTopups(sql, sql`select account_id from owner`)})
    select account_id as "accountId", email, w.balance_thousandths as balance, t.balance_after as "full", t.seq as "topupSeq",
      (select min(percent) from balance_notices n where n.account_id = t.account_id and n.topup_seq = t.seq) as notified
    from owner join wallet w using (account_id) join topup t using (account_id) where t.balance_after > 0`,

  claim: ({ accountId, topupSeq }, percents, notice) =>
    sql.begin(async (tx) => {
      const marked = await tx<{ percent: number }[]>`
        insert into balance_notices (account_id, topup_seq, percent)
        select ${accountId}, ${topupSeq}, percent from unnest(${[...percents]}::integer[]) as percent order by percent
        on conflict do nothing
        returning percent`;
      const lowest = Math.min(...percents);
      const isFirst = marked.some(({ percent }) => percent === lowest);
      if (isFirst) await writeDeliveries(tx, { accountId, alertId: null }, [notice]);
      return isFirst;
    }),

  async recentSpenders(limit) {
    const rows = await sql<{ accountId: string }[]>`
      select account_id as "accountId" from wallets where last_seq > summed_seq limit ${limit}`;
    return rows.map(({ accountId }) => accountId);
  },
});
