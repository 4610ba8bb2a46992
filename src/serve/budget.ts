import { parseCredits, type Thousandths } from '../domain/credits.js';
import { badRequest } from '../domain/errors.js';

/**
 * The caller's own budget, from a parameter or a header; null if neither was sent. Throws `bad_request` if either is
 * not an amount of credits, or if they differ.
 */
export function budgetFrom(parameter: unknown, header: string | string[] | undefined): Thousandths | null {
  const [first, second] = [parameter, header]
    .filter((value) => value !== undefined)
    .map((value) => creditsFrom(value, 'max_credits'));
  if (first !== undefined && second !== undefined && first !== second) {
    throw badRequest('max_credits and X-Max-Credits differ: send only one.', 'max_credits');
  }
  return first ?? second ?? null;
}

/** An amount of credits. Throws `bad_request` with the parameter's name. */
export function creditsFrom(value: unknown, name: string): Thousandths {
  const text = typeof value === 'number' ? String(value) : value;
  const parsed = typeof text === 'string' ? parseCredits(text) : undefined;
  if (parsed !== undefined) return parsed;
  throw badRequest(`${name} must be a number of credits with at most three decimals, such as 12.5.`, name);
}
