import { PACKS } from '../../../src/domain/tiers.js';
import type { CostRow, Costs, CreditPrice } from '../../../src/ports/figures.js';
import type { Sql, Transaction } from '../sql.js';
import { writeOnce } from './sum-batches.js';

/** Older days are dropped when new ones are written. */
const KEPT_DAYS = 400;

const SUMS = [
  'answers',
  'items',
  'cache_hits',
  'charged_thousandths',
  'calls',
  'tweets',
  'users',
  'cost_micro_usd',
] as const;

/** Costs in Postgres: one row for each operation of a day. */
export function createCosts(sql: Sql): Costs {
  return {
    add: (batchId, rows) => writeOnce(sql, batchId, (tx) => addCosts(tx, rows)),
    read: (fromDay) => sql<CostRow[]>`
      select to_char(day, 'YYYY-MM-DD') as day, network, operation, answers, items, cache_hits as "cacheHits",
        charged_thousandths as charged, calls, tweets, users, cost_micro_usd as cost
      from read_costs where day >= ${fromDay}::date order by day, network, operation`,
    creditPrice: () => averagePrice(sql),
    async claimWarning(day, network, operation) {
      const claimed = await sql`
        update read_costs set warned = true
        where (day, network, operation) = (${day}::date, ${network}, ${operation}) and not warned
        returning 1`;
      return claimed.length > 0;
    },
  };
}

/** Adds rows in the order of the key, so that processes that write at the same time cannot deadlock. */
async function addCosts(tx: Transaction, rows: readonly CostRow[]): Promise<void> {
  const added = rows.map(({ day, network, operation, ...sums }) => ({
    ...{ day, network, operation, answers: sums.answers, items: sums.items, cache_hits: sums.cacheHits },
    ...{ charged_thousandths: sums.charged, calls: sums.calls, tweets: sums.tweets, users: sums.users },
    cost_micro_usd: sums.cost,
  }));
  const columns = tx.unsafe(SUMS.join(', '));
  const plus = tx.unsafe(SUMS.map((name) => `${name} = c.${name} + excluded.${name}`).join(', '));
  await tx`
    insert into read_costs as c (day, network, operation, ${columns})
    select day, network, operation, ${columns}
    from jsonb_populate_recordset(null::read_costs, ${tx.json(added)}) order by day, network, operation
    on conflict (day, network, operation) do update set ${plus}`;
  await tx`delete from read_costs where day < (now() at time zone 'UTC')::date - ${KEPT_DAYS}::int`;
}

/**
 * Of each sale counts the share that was neither refunded nor disputed, of its credits and its price alike. Amounts of
 * refunds and disputes include tax, so they are not subtracted from the price.
 */
async function averagePrice(sql: Sql): Promise<CreditPrice> {
  const [sold] = await sql<{ usd: number; credits: number }[]>`
    select coalesce(sum(usd * kept / credits), 0)::float8 as usd, coalesce(sum(kept), 0)::float8 / 1000 as credits
    from (
      select usd, credits_thousandths as credits,
        (credits_thousandths - reversed_thousandths - shortfall_thousandths)::numeric as kept
      from sales where state = 'paid'
    ) sold`;
  if (sold !== undefined && sold.credits > 0) {
    return { usdPerCredit: sold.usd / sold.credits, from: 'sales' };
  }
  return { usdPerCredit: Math.min(...PACKS.map(({ usd, credits }) => usd / credits)), from: 'packs' };
}
