/**
 * Usage can be requested for days between these: nothing was read earlier, and dates have limits in several systems.
 */
export const FIRST_DAY = '2000-01-01';
export const LAST_DAY = '2100-01-01';

/** Whether it is a calendar day, such as `2026-11-21`, between the first and the last. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) &&
  new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true &&
  text >= FIRST_DAY &&
  text <= LAST_DAY;
