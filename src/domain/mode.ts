/**
 * `live`: the network that the service reads, for credits that were bought. `test`: the invented network, for play
 * credits that are refilled each day. Nothing read, cached or charged in one is seen in the other.
 */
export type Mode = 'live' | 'test';

/** What a test account has at the beginning of each UTC day on which it is used, in credits. */
export const PLAY_CREDITS = 10_000;
