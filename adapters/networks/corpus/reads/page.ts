import type { NetworkPage } from '../../../../src/ports/network.js';
import type { TweetRow, UserRow } from '../columns.js';
import { rowsToTweets, rowToUser } from '../map.js';
import { tokenAt } from '../token.js';

/** A row of a list of profiles: the profile and the value that the list is sorted by. */
export type ListedUserRow = UserRow & { user_id: string; position: number; position_id: string };

/** Rows of a list sorted by time, read with one more than `size`, which shows whether there is a next page. */
export function tweetPage(rows: readonly TweetRow[], size: number): NetworkPage {
  return { tweets: rowsToTweets(rows).slice(0, size), next: nextOf(rows, size), nextIsCertain: true };
}

/** Where the page after such rows begins. */
export function nextOf(
  rows: readonly { readonly id: string; readonly created_at: Date }[],
  size: number,
): string | null {
  const last = rows.length > size ? rows[size - 1] : undefined;
  return last === undefined ? null : tokenAt({ value: last.created_at.getTime(), id: last.id });
}

/** The same for profiles, whose rows contain their position in the list. */
export function userPage(rows: readonly ListedUserRow[], size: number): NetworkPage {
  const kept = rows.slice(0, size);
  const last = rows.length > size ? kept.at(-1) : undefined;
  return {
    users: kept.map(rowToUser),
    next: last === undefined ? null : tokenAt({ value: last.position, id: last.position_id }),
    nextIsCertain: true,
  };
}
