import type { NewDelivery } from '../ports/deliveries.js';
import type { Message } from '../ports/mail.js';

/** A mail as it waits to be sent. `dueAt`: Unix milliseconds. */
export const asDelivery = ({ to, subject, text }: Message, dueAt: number): NewDelivery => ({
  channel: 'mail',
  target: to,
  subject,
  body: text,
  dueAt,
});
