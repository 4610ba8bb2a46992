import { byDay, daysUntil, hitRateOf, readFigures, type ServiceFigures } from '../../../src/billing/figures.js';
import { toCredits } from '../../../src/domain/credits.js';
import { figure } from '../../../src/domain/figures.js';
import { createCosts } from '../../postgres/figures/costs.js';
import { createOperatorStore } from '../../postgres/figures/operator.js';
import { createTraffic } from '../../postgres/figures/traffic.js';
import { answer, facts, table } from '../print.js';
import { withStores } from '../with-stores.js';
import { MOST_LIMITS, trafficJson, trafficText } from './stats-traffic.js';

/** The service in figures. Reads sums: it takes as long for ten million charges as for ten. */
export async function showStats({ days, json }: { readonly days: number; readonly json?: boolean }): Promise<void> {
  const range = daysUntil(Date.now(), days);
  const [figures, traffic] = await withStores(({ sql }) =>
    Promise.all([
      readFigures({ store: createOperatorStore(sql), costs: createCosts(sql) }, range),
      createTraffic(sql).read(`${range.from}T00:00:00Z`, { limits: MOST_LIMITS }),
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
      hit_rate: Math.round(hitRateOf(day) * 1000) / 1000,
      calls: day.calls,
      income_usd: cents(day.incomeUsd),
      cost_usd: cents(day.costUsd),
    })),
  };
};

const cents = (usd: number): number => Math.round(usd * 100) / 100;

const dollars = (usd: number): string => `$${usd.toFixed(2)}`;

const HEADER = ['day', 'paid', 'spent', 'answers', 'items', 'cached', 'calls', 'income', 'cost'];

export function statsText(figures: ServiceFigures): string {
  const { totals, days } = figures;
  const rows = byDay(figures).map((day) => [
    ...[day.day, dollars(day.paidUsd), toCredits(day.charged), day.answers, day.items],
    ...[`${Math.round(hitRateOf(day) * 100)}%`, day.calls, dollars(day.incomeUsd), dollars(day.costUsd)],
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
  ]);
  const daily = rows.length === 0 ? `Nothing was sold or read since ${days.from}.` : table(HEADER, rows);
  return `${all}\n\nSince ${days.from} (UTC):\n\n${daily}`;
}
