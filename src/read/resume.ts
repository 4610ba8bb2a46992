import type { Tweet, User } from '../core/model.js';
import { ANCHORS, type Position } from './cursor.js';
import { type CachedPage, isFirst } from './page-cache.js';

/** Unix milliseconds of a tweet; a profile has no place in time. */
export const timeOf = (item: User | Tweet): number | null => ('text' in item ? Date.parse(item.createdAt) : null);

/**
 * Where a chain goes on in a page: the index of the first item after the position, or null when the page does not tell
 * (go on to the next one). Anchored by id; where the item itself is gone, by one passed shortly before it, or in lists
 * that are newest first by time, so that new items on top shift nothing (C10). A page that begins after the position is
 * looked through as well: networks repeat items, and a page counted from the top shifts.
 */
export function resumeIn(page: CachedPage, position: Position, newestFirst: boolean): number | null {
  for (const id of position.passed) {
    const index = page.items.findIndex((item) => item.id === id);
    if (index >= 0) return index + 1;
  }
  const { at } = position;
  // With less than all anchors in the page, those are all of it that was passed: what is left is new to the chain. A first
  // page may have moved down instead.
  if (!newestFirst || at === null) return position.inside < ANCHORS && !isFirst(page.place) ? 0 : null;
  const older = page.items.findIndex((item) => (timeOf(item) ?? Number.NEGATIVE_INFINITY) <= at);
  return older >= 0 ? older : null;
}
