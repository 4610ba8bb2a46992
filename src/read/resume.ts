import type { Tweet, User } from '../domain/model.js';
import { ANCHORS, type Position } from './cursor.js';
import { type CachedPage, isFirst } from './page-cache.js';

/** Unix milliseconds of a tweet; null for a profile, which has no time. */
export const timeOf = (item: User | Tweet): number | null => ('text' in item ? Date.parse(item.createdAt) : null);

/**
 * Where a chain continues in a page: the index of the first item after the position, or null if the page does not show
 * it (continue with the next page). The anchor is an id: that of the last item passed, or if it is missing, of one
 * passed shortly before it. In lists that are newest first the time can stand in, so that new items on top shift
 * nothing (C10). A page that begins after the position is searched as well: networks repeat items, and a page counted
 * from the top shifts.
 */
export function resumeIn(page: CachedPage, position: Position, newestFirst: boolean): number | null {
  for (const id of position.passed) {
    const index = page.items.findIndex((item) => item.id === id);
    if (index >= 0) return index + 1;
  }
  const { at } = position;
  // If fewer items than ANCHORS were passed in this page, the anchors are all of them, so everything left is new to the
  // chain. A first page may have moved down instead.
  if (!newestFirst || at === null) return position.inside < ANCHORS && !isFirst(page.place) ? 0 : null;
  const older = page.items.findIndex((item) => (timeOf(item) ?? Number.NEGATIVE_INFINITY) <= at);
  return older >= 0 ? older : null;
}
