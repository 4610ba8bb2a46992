/** RFC 3339, UTC, milliseconds; undefined for what is no moment, or one that has no such form. */
export function timeOf(text: string | undefined): string | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) || ms < 0 || ms > Date.UTC(9999, 11, 31) ? undefined : new Date(ms).toISOString();
}

export const EPOCH = new Date(0).toISOString();

/**
 * When a repost was made. Read alone, its record says so; a timeline has no record, only `indexedAt` of the reason: by the
 * AppView's settings the earlier of `createdAt` and when it was seen, or the latter, which is moments later.
 */
export const repostedAt = (text: string | undefined): string => timeOf(text) ?? EPOCH;

/** The network orders by the earlier of what a client wrote and when it was seen: clients may write anything. */
export function earlierOf(written: string, seen: string): string {
  const times = [timeOf(written), timeOf(seen)].filter((time) => time !== undefined);
  return times.sort()[0] ?? EPOCH;
}
