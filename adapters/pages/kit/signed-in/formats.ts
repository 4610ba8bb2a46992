import { type Thousandths, toCredits } from '../../../../src/domain/credits.js';
import { figure } from '../../../../src/domain/figures.js';

/** `1,234.5`, from thousandths. */
export const formatAmount = (amount: Thousandths): string => figure(toCredits(amount));

/** With an initial capital. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `$12`, `$12.50`, from cents. */
export const dollars = (cents: number): string => {
  const [whole = '0', rest = '00'] = (cents / 100).toFixed(2).split('.');
  return `$${figure(Number(whole))}${rest === '00' ? '' : `.${rest}`}`;
};
