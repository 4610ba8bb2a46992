import { parseCredits, type Thousandths, toCredits } from '../../src/domain/credits.js';
import { badRequest } from '../../src/domain/errors.js';
import type { Cap, CapPeriod } from '../../src/ports/accounts.js';

/** As in the form; `none` means no cap. */
export interface CapFields {
  readonly amount: string;
  readonly period: string;
}

export const PERIODS = [
  { value: 'month', text: 'per month' },
  { value: 'day', text: 'per day' },
  { value: 'total', text: 'in total' },
  { value: 'none', text: 'no cap (the whole wallet)' },
] as const;

/** Credits: enough to work with, too little to regret. */
const OFFERED = 1000;

/** The initial suggestion: no more than the wallet holds, unless it is empty. */
export function offeredCap(balance: Thousandths): CapFields {
  const whole = Math.floor(toCredits(balance));
  return { amount: String(whole < 1 ? OFFERED : Math.min(OFFERED, whole)), period: 'month' };
}

/** Throws `bad_request`, with a message for the customer, when the fields are invalid. */
export function parseCap({ amount, period }: CapFields): Cap | null {
  if (period === 'none') return null;
  if (!PERIODS.some(({ value }) => value === period)) throw badRequest('Choose a period for the cap.', 'cap');
  const thousandths = parseCredits(amount.trim().replaceAll(',', ''));
  if (thousandths !== undefined && thousandths > 0) return { amount: thousandths, period: period as CapPeriod };
  throw badRequest('The cap must be a number of credits greater than 0, with at most three decimals.', 'cap');
}
