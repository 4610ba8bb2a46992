import type { NewDelivery } from '../ports/deliveries.js';
import type { Message } from '../ports/mail.js';

/** At the end of a mail about one of several watches that stop together. */
export const othersText = (dashboard: string): string =>
  `If other watches of the same key stop for this reason, you get one mail an hour for all of them. See all watches: ${dashboard}/watches`;

/** A mail as it waits to be sent. `dueAt`: Unix milliseconds. */
export const asDelivery = ({ to, subject, text }: Message, dueAt: number): NewDelivery => ({
  channel: 'mail',
  target: to,
  subject,
  body: text,
  dueAt,
});
