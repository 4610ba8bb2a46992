/** What usage is grouped by (W12), in the order in which rows are sorted. */
export const USAGE_GROUPS = ['day', 'hour', 'endpoint', 'key'] as const;

export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** Days that usage is kept for by the hour: today and those before it, UTC. */
export const HOURLY_DAYS = 8;

/** Characters of an operation's own name that are kept (M30); the account's 101st name of a day, and those after, are `OTHER`. */
export const NAME_LENGTH = 64;
export const OTHER = 'other';
