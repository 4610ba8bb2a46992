/** Milliseconds. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** A span of time by some clock, in milliseconds. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly untilMs: number;
}

export const NEVER: TimeSpan = { fromMs: 0, untilMs: 0 };

export const spanFrom = (fromMs: number, ms: number): TimeSpan => ({ fromMs, untilMs: fromMs + ms });

/** Whether it is now. A clock that was set back to before its beginning does not lengthen it. */
export const isDuring = ({ fromMs, untilMs }: TimeSpan, nowMs: number): boolean => fromMs <= nowMs && nowMs < untilMs;

/** A time's UTC day: `2026-11-23`. */
export const utcDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
