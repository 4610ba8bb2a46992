import type { Family } from './model.js';

/** What was wrong with reads of a family in one minute: some failed (`degraded`), or none could be made (`down`). */
export type Trouble = 'degraded' | 'down';

export interface FamilySums {
  /** Minutes observed, by all processes together, and how many of them had trouble. */
  readonly minutes: number;
  readonly degraded: number;
  readonly down: number;
  /** Calls to the network, how many of them failed, and how many milliseconds they took. */
  readonly calls: number;
  readonly failures: number;
  readonly readMs: number;
  /** Items read, and how many of them were cached. */
  readonly items: number;
  readonly cacheHits: number;
}

/** The sums of a family on one UTC day (`2026-11-23`). */
export interface StatusDay extends FamilySums {
  readonly day: string;
  readonly family: Family;
}

/** Consecutive minutes with trouble. */
export interface Incident {
  readonly family: Family;
  /** The worst of its minutes. */
  readonly trouble: Trouble;
  /** Begin and end, Unix milliseconds. */
  readonly from: number;
  readonly until: number;
  readonly calls: number;
  readonly failures: number;
}
