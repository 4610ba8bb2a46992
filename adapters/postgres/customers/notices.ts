import type { Notices, WalletLevel } from '../../../src/ports/deliveries.js';
import type { Sql } from '../sql.js';
import { writeDeliveries } from './deliveries.js';

/** Low-balance notices in Postgres. */
export const createNotices = (sql: Sql): Notices => ({
  levels: (accountIds) => sql<WalletLevel[]>`
    select a.account_id as "accountId", a.email, w.balance_thousandths as balance, t.balance_after as "full",
      t.seq as "topupSeq",
      (select min(percent) from balance_notices n where n.account_id = a.account_id and n.topup_seq = t.seq) as told
    from accounts a join wallets w using (account_id)
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
