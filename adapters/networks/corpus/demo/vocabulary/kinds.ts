/**
 * Who lives on the coast: how many of each kind, what they are called, what they say about themselves, when they post.
 */
import { FOLK } from './folk.js';
import { HOUSES } from './houses.js';

export const KINDS = { ...HOUSES, ...FOLK };

export type KindName = keyof typeof KINDS;
