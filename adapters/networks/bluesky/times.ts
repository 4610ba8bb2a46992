/** RFC 3339, UTC, milliseconds; undefined for an invalid time, or one outside that format. */
export function normaliseTime(text: string | undefined): string | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) || ms < 0 || ms > Date.UTC(9999, 11, 31) ? undefined : new Date(ms).toISOString();
}

export const EPOCH = new Date(0).toISOString();

/**
 * When a repost was made. Its record has the time if it is read on its own. A timeline has no record, only the
 * reason's `indexedAt`: depending on the AppView's settings, the earlier of `createdAt` and the time when the repost
 * was seen, or always the latter, which is moments later.
 */
export const repostedAt = (text: string | undefined): string => normaliseTime(text) ?? EPOCH;

/**
 * The network sorts by the earlier of two times, the one that the client wrote and the one when the post was seen,
 * because clients may write anything.
 */
export function earlierTime(written: string, seen: string): string {
  const times = [normaliseTime(written), normaliseTime(seen)].filter((time) => time !== undefined);
  return times.sort()[0] ?? EPOCH;
}
