import { parseCredits, type Thousandths, toCredits } from '../../src/domain/credits.js';
import { badRequest } from '../../src/domain/errors.js';
import type { Cap, CapPeriod } from '../../src/ports/accounts.js';

/** As in the form; `none` means no cap. */
export interface CapFields {
  readonly amount: string;
  readonly period: string;
}

export const CAP_PERIODS = [
  { value: 'day', text: 'per day' },
  { value: 'month', text: 'per month' },
  { value: 'total', text: 'in total' },
  { value: 'none', text: 'no cap (the whole wallet)' },
] as const;

/** Credits a day: enough to work with, too little to regret. */
export const OFFERED = 100;

/** The initial suggestion: no more than half of the wallet a day, unless it is nearly empty. */
export function offeredCap(balance: Thousandths): CapFields {
  const half = Math.floor(toCredits(balance) / 2);
  return { amount: String(half < 1 ? OFFERED : Math.min(OFFERED, half)), period: 'day' };
}

/** Throws `bad_request`, with a message for the customer, when the fields are invalid. */
export function parseCap({ amount, period }: CapFields): Cap | null {
  if (period === 'none') return null;
  if (!CAP_PERIODS.some(({ value }) => value === period)) throw badRequest('Choose a period for the cap.', 'cap');
  const thousandths = parseCredits(amount.trim().replaceAll(',', ''));
  if (thousandths !== undefined && thousandths > 0) return { amount: thousandths, period: period as CapPeriod };
  throw badRequest('The cap must be a number of credits greater than 0, with at most three decimals.', 'cap');
}
