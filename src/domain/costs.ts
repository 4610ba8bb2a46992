import type { Thousandths } from './credits.js';

/** A millionth of a US dollar: prices of networks are whole numbers of it. */
export type MicroUsd = number;

/** What an operation earned and cost: sums. */
export interface CostSums {
  /** Answers delivered, and the items in them; how many of those came from the cache. */
  readonly answers: number;
  readonly items: number;
  readonly cacheHits: number;
  /** What was charged for them. */
  readonly charged: Thousandths;
  /** Calls made to the network for it, and the objects they returned that the network bills. */
  readonly calls: number;
  readonly tweets: number;
  readonly users: number;
  /** By the network's price list. */
  readonly cost: MicroUsd;
}

/** All subscriptions that callers wrote themselves, in the sums: as an operation. */
export const OWN_SUBSCRIPTIONS = 'live-graphql';

export const NO_COSTS: CostSums = {
  answers: 0,
  items: 0,
  cacheHits: 0,
  charged: 0,
  calls: 0,
  tweets: 0,
  users: 0,
  cost: 0,
};

export const plusCosts = (one: CostSums, other: Partial<CostSums>): CostSums => ({
  answers: one.answers + (other.answers ?? 0),
  items: one.items + (other.items ?? 0),
  cacheHits: one.cacheHits + (other.cacheHits ?? 0),
  charged: one.charged + (other.charged ?? 0),
  calls: one.calls + (other.calls ?? 0),
  tweets: one.tweets + (other.tweets ?? 0),
  users: one.users + (other.users ?? 0),
  cost: one.cost + (other.cost ?? 0),
});

/** US dollars that the credits charged are worth. No income: that is what was paid, and credits can be granted, too. */
export const toWorthUsd = ({ charged }: CostSums, usdPerCredit: number): number => (charged / 1000) * usdPerCredit;

export const toUsd = (cost: MicroUsd): number => cost / 1e6;

/** Less is not worth a warning. */
const LEAST_USD = 0.01;

/** Whether an operation's price doesn't cover what its reads cost, with as much from the cache as there was. */
export const isLoss = (sums: CostSums, usdPerCredit: number): boolean =>
  toUsd(sums.cost) >= LEAST_USD && toWorthUsd(sums, usdPerCredit) < toUsd(sums.cost);
