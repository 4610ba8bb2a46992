import { FIRST_DAY, isDay, LAST_DAY } from '../../../../src/account/usage-cursor.js';
import { badRequest } from '../../../../src/domain/errors.js';
import { HOURLY_DAYS, USAGE_GROUPS, type UsageGroup } from '../../../../src/domain/usage.js';
import { HOUR_MS, utcDay } from '../../../../src/lib/durations.js';
import { addDays, daysIn, type Range } from '../../charts/chart-data.js';

export const PRESETS = [7, 30, 90] as const;
/** The longest range, in days. */
const LONGEST = 366;

/** The selected range and groups; the default is the last 30 days, by day. */
export interface UsageSelection extends Range {
  readonly groups: readonly UsageGroup[];
}

/** The last `days` days, including today. */
export const lastDays = (days: number, nowMs: number): Range => {
  const to = utcDay(nowMs);
  return { from: addDays(to, 1 - days), to };
};

/**
 * Reads `from`, `to` (dates, inclusive, UTC) and `group` (repeated, or comma-separated). Throws `bad_request` with a
 * message for people.
 */
export function readUsageParams(query: URLSearchParams, nowMs: number): UsageSelection {
  const recent = lastDays(30, nowMs);
  const to = dayIn(query, 'to') ?? recent.to;
  const from = dayIn(query, 'from') ?? addDays(to, -29);
  const groups = parseGroups(query);
  const kept = lastDays(HOURLY_DAYS, nowMs).from;
  if (groups.includes('hour') && from < kept) {
    throw badRequest(`Usage by hour is kept for ${HOURLY_DAYS} days: choose a first day from ${kept} on.`, 'from');
  }
  if (from > to) throw badRequest(`The first day (${from}) is later than the last (${to}).`, 'from');
  if (daysIn({ from, to }) > LONGEST) throw badRequest(`Choose at most ${LONGEST} days.`, 'from');
  return { from, to, groups };
}

function parseGroups(query: URLSearchParams): readonly UsageGroup[] {
  const named = query
    .getAll('group')
    .flatMap((text) => text.split(','))
    .filter((text) => text !== '');
  const other = named.find((name) => !(USAGE_GROUPS as readonly string[]).includes(name));
  if (other !== undefined) throw badRequest('Usage can be grouped by day, hour, endpoint and key.', 'group');
  const groups = USAGE_GROUPS.filter((group) => named.includes(group));
  return groups.length === 0 ? ['day'] : groups;
}

function dayIn(query: URLSearchParams, name: 'from' | 'to'): string | null {
  const text = query.get(name) ?? '';
  if (text === '') return null;
  if (isDay(text)) return text;
  const which = name === 'from' ? 'first' : 'last';
  throw badRequest(`The ${which} day must be a date like 2026-11-21, from ${FIRST_DAY} to ${LAST_DAY}.`, name);
}

/** As a query string, without the question mark. */
export const usageQuery = ({ from, to, groups }: UsageSelection): string =>
  new URLSearchParams({ from, to, group: groups.join(',') }).toString();

/** The numbers of hours that an hourly chart offers. */
export const HOURS = [24, 48] as const;
export type Hours = (typeof HOURS)[number];

export const hoursIn = (query: URLSearchParams): Hours | null =>
  HOURS.find((hours) => String(hours) === query.get('hours')) ?? null;

/** The last hours including the current one, written as in usage rows. */
export const lastHours = (hours: Hours, nowMs: number): readonly string[] => {
  const last = Math.floor(nowMs / HOUR_MS);
  return Array.from({ length: hours }, (_, index) => {
    const at = new Date((last - hours + 1 + index) * HOUR_MS).toISOString();
    return at.replace('.000Z', 'Z');
  });
};

/** The days that contain those hours. */
export const daysOfHours = (hours: readonly string[]): Range => ({
  from: (hours[0] ?? '').slice(0, 10),
  to: (hours.at(-1) ?? '').slice(0, 10),
});

/** A range as the ledger expects it, with an exclusive end; people mean the whole last day. */
export const moments = ({ from, to }: Range): Range => ({
  from: `${from}T00:00:00Z`,
  to: `${addDays(to, 1)}T00:00:00Z`,
});
