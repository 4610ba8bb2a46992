/**
 * `live`: the network that the service reads, paid with bought credits. `test`: an invented network, paid with play
 * credits that are refilled each day. What is read, cached or charged in one mode is never seen in the other.
 */
export type Mode = 'live' | 'test';

/** What a test account has at the beginning of each UTC day on which it is used, in credits. */
export const PLAY_CREDITS = 10_000;
