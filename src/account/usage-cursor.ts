import { malformedCursor, ServiceError } from '../domain/errors.js';
import { MAX_CURSOR_LENGTH } from '../domain/fields.js';
import type { UsageGroup } from '../domain/usage.js';
import type { UsageRow } from '../ports/ledger.js';

/**
 * The first and last day that usage can be requested for: nothing was read earlier, and several systems limit dates.
 */
export const FIRST_DAY = '2000-01-01';
export const LAST_DAY = '2100-01-01';

/** Whether it is a calendar day, such as `2026-11-21`, between the first and the last. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) &&
  new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true &&
  text >= FIRST_DAY &&
  text <= LAST_DAY;

/** The valid form of each group's values. A forged cursor can only start elsewhere in the caller's own rows. */
const RIGHT: Record<UsageGroup, (text: string) => boolean> = {
  day: isDay,
  hour: (text) => /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):00:00Z$/.test(text) && isDay(text.slice(0, 10)),
  endpoint: (text) => /^[^\p{Cc}]{1,64}$/u.test(text),
  key: (text) => /^[\w-]{1,64}$/.test(text),
};

/**
 * A cursor for the rows after this one. `query`: the request's parameters, so that another query's cursor is recognised.
 */
export function usageCursor(query: string, group: readonly UsageGroup[], row: UsageRow): string {
  const values = { day: row.day, hour: row.hour, endpoint: row.endpoint, key: row.keyPrefix };
  return pack([query, ...group.map((one) => values[one] ?? '')]);
}

/**
 * The values of the row to continue after. Throws `bad_request` if it is not one of Perch's cursors, or belongs to
 * another query.
 */
export function readUsageCursor(query: string, group: readonly UsageGroup[], cursor: string): string[] {
  const [cursorQuery, ...values] = unpack(cursor);
  if (cursorQuery === undefined) throw malformedCursor();
  if (cursorQuery !== query) {
    const message = 'This cursor belongs to a different query: use it with the same from, to and group.';
    throw new ServiceError('bad_request', message, { param: 'cursor', reason: 'cursor_other_list' });
  }
  const right = values.length === group.length && group.every((one, nth) => RIGHT[one](values[nth] ?? ''));
  if (!right) throw malformedCursor();
  return values;
}

const pack = (parts: readonly string[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url');

/** Empty if it is not a cursor. */
function unpack(cursor: string): string[] {
  if (cursor.length > MAX_CURSOR_LENGTH) return [];
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const isWellFormed =
      Array.isArray(parts) && parts.every((part) => typeof part === 'string') && pack(parts) === cursor;
    return isWellFormed ? parts : [];
  } catch {
    return [];
  }
}
