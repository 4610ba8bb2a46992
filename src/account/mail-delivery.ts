import type { NewDelivery } from '../ports/deliveries.js';
import type { Message } from '../ports/mail.js';

/** The end of a mail about a stopped watch: other watches may have stopped for the same reason. */
export const othersText = (dashboard: string): string =>
  `If other watches of the same key stop for this reason, you get one mail an hour for all of them. See all watches: ${dashboard}/watches`;

/** Turns a mail into a delivery to store. `dueAt`: Unix milliseconds. */
export const asDelivery = ({ to, subject, text }: Message, dueAt: number): NewDelivery => ({
  channel: 'mail',
  target: to,
  subject,
  body: text,
  dueAt,
});
