import { isUuid } from '../../../src/lib/uuid.js';
import type { AlertLevel, AlertRecord, AlertStore, LastDelivery } from '../../../src/ports/alerts.js';
import type { Notices, WalletLevel } from '../../../src/ports/deliveries.js';
import { record } from '../accounts/audit.js';
import { lockingTransaction } from '../locking-transaction.js';
import type { Sql } from '../sql.js';
import { writeDeliveries } from './deliveries.js';

/** Alerts in Postgres. */
export const createAlerts = (sql: Sql): AlertStore => ({
  list: (accountId) => list(sql, accountId),

  add: (accountId, { kind, amount, byMail, webhookUrl }, most, by) =>
    lockingTransaction(sql, async (tx) => {
      // Another one that is added at the same time waits, and then counts this one too.
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

/** What was spent on a day is its hours' sums, and the debits that came after the sums. */
const levels = (sql: Sql, accountIds: readonly string[], day: string) => sql<AlertLevel[]>`
  select l.account_id as "accountId", l.alert_id as "alertId", l.kind, l.amount_thousandths as amount,
    l.by_mail as "byMail", l.webhook_url as "webhookUrl", l.crossing, p.email, w.balance_thousandths as balance,
    coalesce(t.balance_after, 0) as "full", coalesce(t.seq, 0) as "topupSeq", coalesce(s.spent, 0)::bigint as spent
  from alerts l join wallets w using (account_id) left join account_owners p using (account_id)
    left join lateral (
      select seq, balance_after from ledger_entries e
      where l.kind = 'balance_below' and e.account_id = l.account_id and e.kind not in ('debit', 'reversal', 'hold')
      order by seq desc limit 1
    ) t on true
    left join lateral (
      select sum(amount_thousandths) as spent from (
        select amount_thousandths from usage_hours
        where account_id = l.account_id and hour >= ${`${day}T00:00:00Z`}::timestamptz
          and hour < ${`${day}T00:00:00Z`}::timestamptz + interval '1 day'
        union all
        select amount_thousandths from unsummed_debits
        where account_id = l.account_id and at >= ${`${day}T00:00:00Z`}::timestamptz
          and at < ${`${day}T00:00:00Z`}::timestamptz + interval '1 day'
      ) parts
      where l.kind = 'day_spend_above' and l.crossing is distinct from ${day}
    ) s on true
  where l.account_id = any(${[...accountIds]}::uuid[])`;

/** Low-balance notices in Postgres. */
export const createNotices = (sql: Sql): Notices => ({
  levels: (accountIds) => sql<WalletLevel[]>`
    select a.account_id as "accountId", a.email, w.balance_thousandths as balance, t.balance_after as "full",
      t.seq as "topupSeq",
      (select min(percent) from balance_notices n where n.account_id = a.account_id and n.topup_seq = t.seq) as told
    from account_owners a join wallets w using (account_id)
      cross join lateral (
        select seq, balance_after from ledger_entries e
        where e.account_id = a.account_id and e.kind not in ('debit', 'reversal', 'hold') order by seq desc limit 1
      ) t
    where a.account_id = any(${[...accountIds]}::uuid[]) and a.email is not null and t.balance_after > 0`,

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
