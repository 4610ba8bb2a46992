import { z } from 'zod';
import { parseCredits, type Thousandths, toCredits } from '../../../src/domain/credits.js';
import { figure } from '../../../src/domain/figures.js';

/** The most credits that the form grants at once: a larger amount is probably a typing mistake. */
const MOST_CREDITS = 10_000_000;

const LONGEST_REASON = 100;

/** Control characters and other invisible characters. */
const UNSHOWN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** The input exactly as it was typed. */
export interface GrantInput {
  readonly credits: string;
  readonly reason: string;
}

export const EMPTY_GRANT: GrantInput = { credits: '', reason: '' };

/** Messages for the operator, by field. */
export type GrantErrors = Partial<Record<keyof GrantInput, string>>;

export interface GrantRequest {
  readonly amount: Thousandths;
  readonly reason: string;
}

const grant = z.object({
  credits: z.string().transform((text, context): Thousandths => {
    const amount = parseCredits(text.trim().replaceAll(',', ''));
    if (amount !== undefined && amount > 0 && toCredits(amount) <= MOST_CREDITS) return amount;
    context.addIssue(
      `Enter a number of credits above 0 and up to ${figure(MOST_CREDITS)}, with at most three decimals, such as 250 or 12.5.`,
    );
    return z.NEVER;
  }),
  reason: z
    .string()
    .trim()
    .min(1, 'Enter a reason: the customer sees it on the statement.')
    .refine((text) => [...text].length <= LONGEST_REASON, `A reason can have at most ${LONGEST_REASON} characters.`)
    .refine((text) => !UNSHOWN.test(text), 'A reason must not contain invisible characters.'),
});

export const grantIn = (form: URLSearchParams): GrantInput => ({
  credits: form.get('credits') ?? '',
  reason: form.get('reason') ?? '',
});

/** What to grant, or what is wrong with each field. */
export function readGrant(typed: GrantInput): { readonly requested: GrantRequest } | { readonly errors: GrantErrors } {
  const { success, data, error } = grant.safeParse(typed);
  if (success) return { requested: { amount: data.credits, reason: data.reason } };
  const errors: { credits?: string; reason?: string } = {};
  for (const { path, message } of error.issues) {
    const field = path[0] === 'credits' ? 'credits' : 'reason';
    errors[field] ??= message;
  }
  return { errors };
}
