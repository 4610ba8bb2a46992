import type { DeliveryResult, NewDelivery, UndeliveredWatch } from '../ports/deliveries.js';
import { asDelivery, othersText } from './mail-delivery.js';

/** Mails the owner of a watch that it was paused because its webhook accepted nothing. */
export function undeliveredNotices(
  { watchId, kind, subject, webhookUrl, email }: UndeliveredWatch,
  { status, fault }: DeliveryResult,
  { atMs, dashboard }: { readonly atMs: number; readonly dashboard: string },
): NewDelivery[] {
  if (email === null) return [];
  const last = status === null ? (fault ?? 'There was no answer.') : `The last answer was ${status}.`;
  const text = [
    status === GONE
      ? `The webhook of one of your Perch watches answered 410 Gone, so the watch was paused.`
      : `The webhook of one of your Perch watches accepted nothing for three days, so the watch was paused. ${last}`,
    '',
    `It follows: ${kind} of ${subject}`,
    `Webhook: ${webhookUrl}`,
    '',
    'Items that it found are kept for 30 days. When you resume the watch, they are sent first, and it continues where it stopped:',
    `${dashboard}/watches/${watchId}`,
    '',
    othersText(dashboard),
    '',
  ];
  return [asDelivery({ to: email, subject: 'Perch: a watch was paused', text: text.join('\n') }, atMs)];
}

const GONE = 410;
