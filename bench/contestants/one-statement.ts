import { postPlainDebits } from '../../adapters/postgres/ledger/plain-debits.js';
import { createPost, debitStatements } from '../../adapters/postgres/ledger/post.js';
import type { Sql } from '../../adapters/postgres/sql.js';
import type { Ledger } from '../../src/ports/ledger.js';

/** `post_plain_debits` as one statement. Its parameters are also text, so Postgres does not see their lengths. */
const STATEMENT = `
  with paid as (
    update wallets w set balance_thousandths = w.balance_thousandths - p.amount, last_seq = w.last_seq + p.count
    from (
      select * from (
        select unnest($2::text::uuid[]) as account_id, unnest($3::text::int[]) as caps_version,
          unnest($4::text::bigint[]) as amount, unnest($5::text::int[]) as count, unnest($6::text::int[]) as first,
          unnest($7::text::int[]) as least
      ) p
      where $1::uuid is null and (select set_config('lock_timeout', '10', true)) is not null and amount > 0 and count > 0
    ) p
    where w.account_id = p.account_id and w.balance_thousandths >= p.amount
      and w.summed_to <= ($8::uuid[])[p.least] and w.caps_version = p.caps_version
    returning p.first, p.count, w.account_id, w.balance_thousandths + p.amount as balance, w.last_seq - p.count as last_seq
  ),
  entries as (
    insert into debits (account_id, request_id, seq, amount_thousandths, balance_after, key_number, items, cache_hits,
      operation, lines)
    select account_id, ($8::uuid[])[n], last_seq + n - first + 1, ($12::bigint[])[kind],
      balance - ($9::bigint[])[n], ($10::int[])[n], ($13::int[])[kind],
      ($14::int[])[kind], ($15::text[])[kind], ($16::text[])[kind]
    from paid cross join lateral (
      select n, ($11::int[])[n] as kind from (select generate_series(first, first + count - 1) as n) i offset 0
    ) i
  )
  select array_agg(first)::text, array_agg(balance)::text, array_agg(last_seq)::text from paid`;

/** Posts as the ledger does, but without the database function. */
export const postByStatement = (sql: Sql): Ledger['post'] =>
  createPost({
    ...debitStatements(sql),
    postPlain: (debits) => postPlainDebits(sql, debits, undefined, STATEMENT),
  });
