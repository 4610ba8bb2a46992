import type { Sql } from '../../../adapters/postgres/sql.js';

interface Past {
  readonly count: number;
  readonly days: number;
  /** The amount of each debit, in thousandths. */
  readonly amount: number;
  readonly operations?: number;
}

/**
 * Debits spread over the last days. No call wrote them, but entries, wallet, key and sums agree. The balance must cover
 * them.
 */
export async function addPastDebits(
  sql: Sql,
  { accountId, keyId }: { readonly accountId: string; readonly keyId: string },
  { count, days, amount, operations = 20 }: Past,
): Promise<void> {
  await sql`select open_month(now() - n * interval '1 day') from generate_series(0, ${days}::int) n`;
  await sql`
    with payer as materialized (
      select account_id, last_seq, balance_thousandths as balance, summed_to, key_id, key_number
      from wallets join keys using (account_id) where account_id = ${accountId} and key_id = ${keyId}
    ),
    debit as (
      insert into debits (account_id, request_id, seq, amount_thousandths, balance_after, at, key_number, items, cache_hits,
        operation, lines)
      select account_id, overlay(overlay(gen_random_uuid()::text placing '7' from 15) placing left(first_id_at(at)::text, 13)
          from 1)::uuid, last_seq + n, ${amount}::bigint, balance - n * ${amount}::bigint, at, key_number, 1, 1,
        'operation' || n % ${operations}::int, ${`data profile hit 1 ${amount}`}
      from payer, generate_series(1, ${count}::int) n,
        lateral (select now() - ${days} * interval '1 day' * (1 - n::float / ${count}) as at) t
      returning *
    ),
    summed as (
      insert into usage_hours (account_id, hour, endpoint, key_id, requests, items, cache_hits, amount_thousandths)
      select account_id, date_trunc('hour', at, 'UTC'), operation, key_id, count(*), sum(items), sum(cache_hits),
        sum(amount_thousandths)
      from debit join payer using (account_id, key_number) where request_id < summed_to group by 1, 2, 3, 4
      returning amount_thousandths
    ),
    paid as (
      update wallets set last_seq = last_seq + ${count}::int, balance_thousandths = balance_thousandths - ${count * amount}::bigint
      where account_id = ${accountId}
    )
    update keys set spent_thousandths = spent_thousandths + spent
    from (select coalesce(sum(amount_thousandths), 0)::bigint as spent from summed) s where key_id = ${keyId}`;
}
