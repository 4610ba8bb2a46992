import type { BatchSpec } from './job.js';

/** Slots in a family's queue, for all accounts together. */
export const QUEUE_SLOTS = 2000;

/** An account may take at most this share of the free slots: alone, a quarter of all. A newcomer always finds room. */
const OF_FREE = 1 / 3;

/** How many batchable inputs share one slot, because a batch costs the network less than as many lists. */
const INPUTS_PER_SLOT = 10;

/** Slots that one input of this kind takes. */
export const slotsPerInput = ({ maxBatchSize: most }: BatchSpec): number => 1 / Math.min(most, INPUTS_PER_SLOT);

/** Tolerance for sums of tenths. */
const ROUNDING = 1e-6;

/** Whether an account with `own` of the `taken` slots may have another (the dynamic threshold of Choudhury and Hahne). */
export const mayHaveMore = (own: number, taken: number): boolean => own + ROUNDING < accountShare(taken);

/** How many slots one account may have while all accounts together use `taken`. */
export const accountShare = (taken: number): number => OF_FREE * Math.max(0, QUEUE_SLOTS - taken);
