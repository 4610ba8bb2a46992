import { parseCredits } from '../../../../src/domain/credits.js';
import { badRequest } from '../../../../src/domain/errors.js';
import type { AlertKind, AlertSettings } from '../../../../src/ports/alerts.js';

/** The input exactly as it was typed. */
export interface AlertInput {
  readonly kind: string;
  readonly amount: string;
  readonly byMail: boolean;
  readonly webhookUrl: string;
}

export const ALERT_KINDS: Record<AlertKind, string> = {
  balance_below: 'The balance falls below',
  day_spend_above: 'A UTC day’s spending goes above',
};

export const emptyAlert = (canMail: boolean): AlertInput => ({
  kind: 'balance_below',
  amount: '',
  byMail: canMail,
  webhookUrl: '',
});

export const alertIn = (form: URLSearchParams): AlertInput => ({
  kind: form.get('kind') ?? '',
  amount: form.get('amount') ?? '',
  byMail: form.get('mail') === '1',
  webhookUrl: form.get('webhook_url') ?? '',
});

const isKind = (text: string): text is AlertKind => Object.hasOwn(ALERT_KINDS, text);

/** Throws `bad_request` with the field and a message for the customer. */
export function readAlertForm({ kind, amount, byMail, webhookUrl }: AlertInput): AlertSettings {
  if (!isKind(kind)) throw badRequest('Choose what the alert watches: the balance, or a day’s spending.', 'kind');
  const credits = parseCredits(amount.trim().replaceAll(',', ''));
  if (credits === undefined || credits === 0) {
    throw badRequest(
      'Enter a number of credits greater than zero with at most three decimals, such as 500 or 12.5.',
      'amount',
    );
  }
  return { kind, amount: credits, byMail, webhookUrl: webhookUrl.trim() === '' ? null : webhookUrl.trim() };
}
