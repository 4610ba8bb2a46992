import type { Thousandths } from './credits.js';

/** Millionths of a US dollar: prices of networks are whole numbers of them. */
export type MicroUsd = number;

/** Sums of what an operation earned and cost. */
export interface CostSums {
  /** Answers delivered, the items in them, and how many of these came from the cache. */
  readonly answers: number;
  readonly items: number;
  readonly cacheHits: number;
  /** What was charged for them. */
  readonly charged: Thousandths;
  /** Calls made to the network for it, and how many objects that the network bills they returned. */
  readonly calls: number;
  readonly tweets: number;
  readonly users: number;
  /** By the network's price list. */
  readonly cost: MicroUsd;
}

/** The operation under which the sums count all subscriptions that callers wrote themselves. */
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

/** What the credits charged are worth in US dollars. This is not income: some credits are granted, not bought. */
export const toWorthUsd = ({ charged }: CostSums, usdPerCredit: number): number => (charged / 1000) * usdPerCredit;

export const toUsd = (cost: MicroUsd): number => cost / 1e6;

/** A smaller cost is not worth a warning. */
const LEAST_USD = 0.01;

/** Whether an operation earned less than its reads cost, given how much of it came from the cache. */
export const isLoss = (sums: CostSums, usdPerCredit: number): boolean =>
  toUsd(sums.cost) >= LEAST_USD && toWorthUsd(sums, usdPerCredit) < toUsd(sums.cost);
