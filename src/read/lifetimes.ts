import { LISTS, type ListRef } from '../domain/lists.js';
import { HOUR_MS, MINUTE_MS } from '../lib/durations.js';

/** How long what was read is served from the cache at half price, milliseconds. */
export interface Lifetimes {
  readonly profileMs: number;
  readonly tweetMs: number;
  /** The first page of timelines, searches and the other lists of tweets. */
  readonly firstPageMs: number;
  readonly deeperPageMs: number;
  /** Followers and following, every page. */
  readonly followersMs: number;
  readonly absentMs: number;
}

export const DEFAULT_LIFETIMES: Lifetimes = {
  profileMs: 15 * MINUTE_MS,
  tweetMs: 15 * MINUTE_MS,
  firstPageMs: 2 * MINUTE_MS,
  deeperPageMs: HOUR_MS,
  followersMs: 6 * HOUR_MS,
  absentMs: MINUTE_MS,
};

/** How long a page is served from the cache; `first`: it is the page that a call without a cursor starts from. */
export function pageLifetime(lifetimes: Lifetimes, { kind }: ListRef, first: boolean): number {
  switch (LISTS[kind].lifetime) {
    case 'as followers':
      return lifetimes.followersMs;
    case 'by depth':
      return first ? lifetimes.firstPageMs : lifetimes.deeperPageMs;
  }
}
