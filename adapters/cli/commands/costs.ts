import type { Command } from 'commander';
import { byOperation, cacheHitRate } from '../../../src/billing/figures.js';
import { isLoss, toUsd, toWorthUsd } from '../../../src/domain/costs.js';
import { toCredits } from '../../../src/domain/credits.js';
import { figure } from '../../../src/domain/figures.js';
import { DAY_MS, utcDay } from '../../../src/lib/durations.js';
import type { CostRow, CreditPrice } from '../../../src/ports/figures.js';
import { createCosts } from '../../postgres/figures/costs.js';
import { days, examples } from '../command-line.js';
import { answer, table } from '../print.js';
import { withStores } from '../with-stores.js';

/** costs. */
export function costsCommand(program: Command): void {
  program
    .command('costs')
    .description('show what reads earned and what the network bills for them, by operation')
    .option('--days <number>', 'days to add up, today included, from 1 to 400', days, 7)
    .option('--daily', 'one row for each day')
    .option('--json', 'print the rows as JSON')
    .addHelpText(
      'after',
      `
Costs come from the price list of the network; a credit is worth the average price of the credits sold. An operation
whose price does not cover its cost, at the share of cached items it had, is marked as a loss. Operations that are not
persisted share one row, graphql; subscriptions that are not persisted share another, live-graphql.
${examples('perch costs', 'perch costs --days 30 --daily', 'perch costs --json')}`,
    )
    .action(showCosts);
}

interface CostOptions {
  readonly days: number;
  readonly daily?: boolean;
  readonly json?: boolean;
}

/** Shows what reads earned and cost, from the sums that running services write once a minute. */
async function showCosts({ days, daily = false, json }: CostOptions): Promise<void> {
  const from = utcDay(Date.now() - (days - 1) * DAY_MS);
  const { rows, price } = await withStores(async ({ sql }) => {
    const costs = createCosts(sql);
    return { rows: await costs.read(from), price: await costs.creditPrice() };
  });
  const { result, text } = costsReport(rows, { from, price, daily });
  answer(result, json, text);
}

interface Report {
  readonly from: string;
  readonly price: CreditPrice;
  readonly daily: boolean;
}

/** The rows as JSON and as a table. */
export function costsReport(rows: readonly CostRow[], { from, price, daily }: Report) {
  const shown = daily ? rows : byOperation(rows);
  const result = {
    from,
    usd_per_credit: price.usdPerCredit,
    price_from: price.from,
    rows: shown.map((row) => rowJson(row, price, daily)),
  };
  return { result, text: () => words(shown, from, price, daily) };
}

const rowJson = (row: CostRow, { usdPerCredit }: CreditPrice, daily: boolean) => ({
  ...(daily && { day: row.day }),
  network: row.network,
  operation: row.operation,
  answers: row.answers,
  items: row.items,
  hit_rate: Math.round(cacheHitRate(row) * 1000) / 1000,
  credits: toCredits(row.charged),
  calls: row.calls,
  billed_tweets: row.tweets,
  billed_profiles: row.users,
  worth_usd: cents(toWorthUsd(row, usdPerCredit)),
  cost_usd: cents(toUsd(row.cost)),
  loss: isLoss(row, usdPerCredit),
});

const cents = (usd: number): number => Math.round(usd * 100) / 100;

const HEADER = ['operation', 'responses', 'items', 'cached', 'credits', 'calls', 'tweets', 'profiles', 'worth', 'cost'];

function words(rows: readonly CostRow[], from: string, price: CreditPrice, daily: boolean): string {
  if (rows.length === 0) return `No reads since ${from}. A running service writes its sums once a minute.`;
  const networks = new Set(rows.map(({ network }) => network)).size > 1;
  const header = [...(daily ? ['day'] : []), ...(networks ? ['network'] : []), ...HEADER, ''];
  const lines = rows.map((row) => [
    ...(daily ? [row.day] : []),
    ...(networks ? [row.network] : []),
    ...[row.operation, row.answers, row.items, `${Math.round(cacheHitRate(row) * 100)}%`, toCredits(row.charged)],
    ...[row.calls, row.tweets, row.users, dollars(toWorthUsd(row, price.usdPerCredit)), dollars(toUsd(row.cost))],
    isLoss(row, price.usdPerCredit) ? 'LOSS: its price does not cover its cost' : '',
  ]);
  const credit = `A credit is counted as $${figure(price.usdPerCredit * 1000)} per 1,000: `;
  const why =
    price.from === 'sales' ? 'the average of what was sold.' : 'the pack with the lowest price, because none was sold.';
  return `Since ${from} (UTC):\n\n${table(header, lines)}\n\n${credit}${why}`;
}

const dollars = (usd: number): string => `$${usd.toFixed(2)}`;
