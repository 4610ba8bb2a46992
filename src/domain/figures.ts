import { type Thousandths, toCredits } from './credits.js';

const NUMBER = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });

/** `1,234.5`: at most three decimals (M3), with a thousands separator. */
export const figure = (value: number): string => NUMBER.format(value);

/** `1 key`, `2 keys`, `0.5 keys`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${figure(count)} ${count === 1 ? one : many}`;

/** `1 credit`, `0.5 credits`. */
export const inCredits = (credits: number): string => counted(credits, 'credit');

/** The same for an amount in thousandths. */
export const formatCredits = (amount: Thousandths): string => inCredits(toCredits(amount));
