import { Counter, type Registry } from 'prom-client';
import { type CostSums, usdOf } from '../../src/domain/costs.js';
import { toCredits } from '../../src/domain/credits.js';

const COUNTERS: readonly [name: string, help: string, of: (sums: CostSums) => number][] = [
  ['answers_total', 'Answers to priced operations, by operation.', ({ answers }) => answers],
  ['credits_total', 'Credits charged, by operation.', ({ charged }) => toCredits(charged)],
  ['calls_total', 'Calls made to the network for an operation.', ({ calls }) => calls],
  ['billed_tweets_total', 'Tweets that the network returned and bills.', ({ tweets }) => tweets],
  ['billed_profiles_total', 'Profiles that the network returned and bills.', ({ users }) => users],
  ['cost_usd_total', "US dollars, by the network's price list.", ({ cost }) => usdOf(cost)],
];

/** Measures what reads earned and cost since the start, as the sums say at each scrape. */
export function measureCosts(registers: Registry[], totals: () => ReadonlyMap<string, CostSums>): void {
  for (const [name, help, of] of COUNTERS) {
    new Counter({
      name: `perch_reads_${name}`,
      help,
      labelNames: ['operation'],
      registers,
      collect() {
        this.reset();
        for (const [operation, sums] of totals()) this.inc({ operation }, of(sums));
      },
    });
  }
}
