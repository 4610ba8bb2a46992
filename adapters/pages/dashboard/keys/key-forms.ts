import { parseCredits } from '../../../../src/domain/credits.js';
import { badRequest } from '../../../../src/domain/errors.js';
import type { Mode } from '../../../../src/domain/mode.js';
import { DAY_MS, HOUR_MS } from '../../../../src/lib/durations.js';
import type { Cap, CapPeriod } from '../../../../src/ports/accounts.js';
import { readName } from '../frame/names.js';

/** The input exactly as it was typed. */
export interface KeyInput {
  readonly name: string;
  readonly period: string;
  readonly amount: string;
}

export const EMPTY_INPUT: KeyInput = { name: '', period: 'none', amount: '' };

const PERIODS: readonly CapPeriod[] = ['day', 'month', 'total'];

export const inputIn = (form: URLSearchParams): KeyInput => ({
  name: form.get('name') ?? '',
  period: form.get('period') ?? 'none',
  amount: form.get('amount') ?? '',
});

/** The mode of a new key: the page's own if the form names none. Throws `bad_request` for an unknown mode. */
export function keyModeIn(form: URLSearchParams, shown: Mode): Mode {
  const mode = form.get('mode') ?? shown;
  if (mode === 'live' || mode === 'test') return mode;
  throw badRequest('A key is for live or for test mode.', 'mode');
}

/** Throws `bad_request` with a message for the customer if the form is invalid. */
export function readKeyForm({ name, period, amount }: KeyInput): { name: string; cap: Cap | null } {
  const named = readName(name, 'Enter a name for the key; it appears in usage and in the log.');
  return { name: named, cap: parseKeyCap(period, amount) };
}

function parseKeyCap(period: string, amount: string): Cap | null {
  if (period === 'none') {
    if (amount.trim() === '') return null;
    throw badRequest('Choose a period for the cap: per day, per month, or in total.', 'period');
  }
  const known = PERIODS.find((one) => one === period);
  if (known === undefined) throw badRequest('The period of a cap must be a day, a month, or the total.', 'period');
  const credits = parseCredits(amount.trim().replaceAll(',', ''));
  if (credits === undefined || credits === 0) {
    throw badRequest(
      'The cap must be a number of credits greater than zero with at most three decimals, such as 500 or 12.5.',
      'amount',
    );
  }
  return { amount: credits, period: known };
}

/** The form's choices for how long a replaced key still works; `ms` are milliseconds. */
export const OVERLAPS = [
  { value: 'now', text: 'Revoke now', ms: 0 },
  { value: '1h', text: 'Keep for 1 hour', ms: HOUR_MS },
  { value: '24h', text: 'Keep for 24 hours', ms: DAY_MS },
  { value: '7d', text: 'Keep for 7 days', ms: 7 * DAY_MS },
  { value: '30d', text: 'Keep for 30 days', ms: 30 * DAY_MS },
] as const;

/** Throws `bad_request` for a choice that was not offered. */
export function parseOverlap(form: URLSearchParams): number {
  const choice = OVERLAPS.find(({ value }) => value === form.get('overlap'));
  if (choice === undefined) throw badRequest('Choose how long the old key keeps working.', 'overlap');
  return choice.ms;
}
