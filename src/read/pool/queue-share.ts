import type { BatchSpec } from './job.js';

/** What may wait for a family at once, of all accounts together. */
export const QUEUE_SLOTS = 2000;

/** An account has at most so much of the places that are still free: alone, a quarter of all; a newcomer always finds room. */
const SHARE_OF_FREE = 1 / 3;

/** So many inputs that may travel together take one place: a waiting batch costs the network less than as many lists. */
const INPUTS_PER_SLOT = 10;

/** How many places an input of this kind takes. */
export const slotsOf = ({ maxBatchSize: most }: BatchSpec): number => 1 / Math.min(most, INPUTS_PER_SLOT);

/** Sums of tenths of places: what is less than this apart is the same. */
const ROUNDING = 1e-6;

/** Whether who has `own` of the `taken` places may have another (the dynamic threshold of Choudhury and Hahne). */
export const mayHaveMore = (own: number, taken: number): boolean => own + ROUNDING < shareOf(taken);

/** How many places one account may have while so many are taken, by itself and others. */
export const shareOf = (taken: number): number => SHARE_OF_FREE * Math.max(0, QUEUE_SLOTS - taken);
