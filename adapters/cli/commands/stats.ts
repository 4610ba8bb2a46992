import type { Command } from 'commander';
import { byDay, cacheHitRate, daysUntil, readFigures, type ServiceFigures } from '../../../src/billing/figures.js';
import { toCredits } from '../../../src/domain/credits.js';
import { figure } from '../../../src/domain/figures.js';
import { INTERFACE_NAMES, LEFT, percentileMs } from '../../../src/domain/traffic.js';
import type { TrafficFigures } from '../../../src/ports/figures.js';
import { createCosts } from '../../postgres/figures/costs.js';
import { createOperatorStore } from '../../postgres/figures/operator.js';
import { createTraffic } from '../../postgres/figures/traffic.js';
import { days, examples } from '../command-line.js';
import { answer, facts, table } from '../print.js';
import { withStores } from '../with-stores.js';

/** stats. */
export function statsCommand(program: Command): void {
  program
    .command('stats')
    .description(
      'show the figures of the service: credits sold, granted, spent and outstanding, each day, and requests',
    )
    .option('--days <number>', 'days to show, today included, from 1 to 400', days, 30)
    .option('--json', 'print the figures as JSON')
    .addHelpText(
      'after',
      `
The same figures as the operator's pages on money and traffic. Amounts are in credits. Worth is the
value of the credits spent, granted ones included; cost comes from the price list of the network. Requests are kept for
31 days. For what each operation earns and costs, see perch costs.
${examples('perch stats', 'perch stats --days 7', 'perch stats --json')}`,
    )
    .action(showStats);
}

/** Shows the figures of the service. Reads sums, so it takes as long for ten million charges as for ten. */
async function showStats({ days, json }: { readonly days: number; readonly json?: boolean }): Promise<void> {
  const range = daysUntil(Date.now(), days);
  const [figures, traffic] = await withStores(({ sql }) =>
    Promise.all([
      readFigures({ store: createOperatorStore(sql), costs: createCosts(sql) }, range),
      createTraffic(sql).read(`${range.from}T00:00:00Z`, { limits: MOST_LIMITS + 1 }),
    ]),
  );
  answer({ ...statsJson(figures), ...trafficJson(traffic) }, json, () =>
    [statsText(figures), trafficText(traffic)].join('\n\n'),
  );
}

/** Amounts are credits and US dollars. */
export const statsJson = (figures: ServiceFigures) => {
  const { days, totals, price, revenue } = figures;
  return {
    from: days.from,
    to: days.to,
    accounts: totals.accounts,
    credits: {
      sold: toCredits(totals.sold),
      granted: toCredits(totals.granted),
      withdrawn: toCredits(totals.withdrawn),
      held: toCredits(totals.held),
      spent: toCredits(totals.spent),
      outstanding: toCredits(totals.outstanding),
      lost: toCredits(totals.lost),
    },
    paid_usd: totals.paidCents / 100,
    refunded_usd: totals.refundedCents / 100,
    usd_per_credit: price.usdPerCredit,
    price_from: price.from,
    revenue: revenue.map(({ day, pack, sales, usd, credits }) => ({
      ...{ day, pack, sales, usd, credits: toCredits(credits) },
    })),
    days: byDay(figures).map((day) => ({
      day: day.day,
      sales: day.sales,
      paid_usd: day.paidUsd,
      credits_spent: toCredits(day.charged),
      answers: day.answers,
      items: day.items,
      hit_rate: Math.round(cacheHitRate(day) * 1000) / 1000,
      calls: day.calls,
      worth_usd: cents(day.worthUsd),
      cost_usd: cents(day.costUsd),
    })),
  };
};

const cents = (usd: number): number => Math.round(usd * 100) / 100;

const dollars = (usd: number): string => `$${usd.toFixed(2)}`;

const HEADER = ['day', 'paid', 'spent', 'responses', 'items', 'cached', 'calls', 'worth', 'cost'];

export function statsText(figures: ServiceFigures): string {
  const { totals, days } = figures;
  const rows = byDay(figures).map((day) => [
    ...[day.day, dollars(day.paidUsd), toCredits(day.charged), day.answers, day.items],
    ...[`${Math.round(cacheHitRate(day) * 100)}%`, day.calls, dollars(day.worthUsd), dollars(day.costUsd)],
  ]);
  const all = facts([
    ['Accounts', figure(totals.accounts)],
    ['Paid', dollars(totals.paidCents / 100)],
    ['Refunded', dollars(totals.refundedCents / 100)],
    ['Credits sold', figure(toCredits(totals.sold))],
    ['Credits granted', figure(toCredits(totals.granted))],
    ['Credits withdrawn', figure(toCredits(totals.withdrawn))],
    ['Credits set aside for disputes', figure(toCredits(totals.held))],
    ['Credits spent', figure(toCredits(totals.spent))],
    ['Credits outstanding', figure(toCredits(totals.outstanding))],
    ['Credits of deleted accounts', figure(toCredits(totals.lost))],
  ]);
  const daily = rows.length === 0 ? `Nothing was sold or read since ${days.from}.` : table(HEADER, rows);
  return `${all}\n\nSince ${days.from} (UTC):\n\n${daily}`;
}

/** The most rows of accounts with the limits they hit; one more is read, to know whether there are more. */
const MOST_LIMITS = 20;

/** Times are milliseconds; `hit_rate` is the cached share of the items, null if there are none. */
export const trafficJson = ({ operations, statuses, limits }: TrafficFigures) => ({
  requests: operations.map((row) => ({
    interface: row.interface,
    operation: row.operation === '' ? null : row.operation,
    requests: row.requests,
    refused: row.refused,
    hit_rate: row.items === 0 ? null : Math.round((row.cacheHits / row.items) * 1000) / 1000,
    p50_ms: percentileMs(row, 0.5),
    p99_ms: percentileMs(row, 0.99),
  })),
  statuses: statuses.map(({ status, code, ...row }) => ({
    ...{ status: status === LEFT ? null : status, code: code === '' ? null : code, ...row },
  })),
  limits_met: limits.slice(0, MOST_LIMITS).map(({ accountId, account, limit, refusals, lastDay }) => ({
    ...{ account_id: accountId, account, limit, refusals, last_day: lastDay },
  })),
  more_limits_met: limits.length > MOST_LIMITS,
});

const share = (part: number, whole: number): string => (whole === 0 ? '' : `${Math.round((part / whole) * 100)}%`);

const time = (ms: number | null): string => (ms === null ? '' : `${ms} ms`);

export function trafficText({ operations, limits }: TrafficFigures): string {
  if (operations.length === 0) return 'No requests are counted: a running service writes its sums once a minute.';
  const requests = table(
    ['interface', 'operation', 'requests', 'failed', 'cached', 'p50', 'p99'],
    operations.map((row) => [
      ...[
        INTERFACE_NAMES[row.interface],
        row.operation === '' ? 'other' : row.operation,
        row.requests,
        share(row.refused, row.requests),
      ],
      ...[share(row.cacheHits, row.items), time(percentileMs(row, 0.5)), time(percentileMs(row, 0.99))],
    ]),
  );
  const met = limits
    .slice(0, MOST_LIMITS)
    .map(({ accountId, account, limit, refusals, lastDay }) => [
      ...[account ?? accountId ?? 'without a valid key', limit, refusals, lastDay],
    ]);
  const whom =
    met.length === 0 ? 'No account met a limit.' : table(['account', 'limit met', 'refusals', 'last day'], met);
  const more = limits.length > MOST_LIMITS ? '\n\nThere are more, with fewer refusals.' : '';
  return `${requests}\n\n${whom}${more}`;
}
