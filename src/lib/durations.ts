/** Milliseconds. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** A time's UTC day: `2026-11-23`. */
export const utcDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
