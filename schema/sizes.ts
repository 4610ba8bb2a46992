import type { ArgRule } from './builder.js';

/** Page sizes: default and bounds of `first` and `count` (section 8, size limits; P6 for thread and replies). */
export const SIZES = {
  timeline: { initial: 20, max: 100 },
  search: { initial: 20, max: 50 },
  thread: { initial: 20, max: 50 },
  replies: { initial: 20, max: 50 },
  quotes: { initial: 20, max: 50 },
  retweeters: { initial: 50, max: 200 },
  followers: { initial: 50, max: 200 },
  following: { initial: 50, max: 200 },
  followerIds: { initial: 200, max: 200 },
  usage: { initial: 1000, max: 1000 },
} as const;

export type Sized = keyof typeof SIZES;

export const sizeRule = (list: Sized): ArgRule => ({ kind: 'size', min: 1, max: SIZES[list].max });

/** Inputs of a batch (section 8). */
export const BATCH_MAX = 100;
