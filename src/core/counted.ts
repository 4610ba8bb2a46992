import { type Thousandths, toCredits } from './credits.js';

/** A number as people read it, with at most three decimals. */
export const formatted = (amount: number): string => amount.toLocaleString('en-US', { maximumFractionDigits: 3 });

/** `1 request`, `2 requests`. */
export const counted = (amount: number, one: string, many = `${one}s`): string =>
  `${formatted(amount)} ${amount === 1 ? one : many}`;

/** `1 credit`, `0.5 credits`. */
export const creditsOf = (amount: Thousandths): string => counted(toCredits(amount), 'credit');
