import { toCredits } from '../domain/credits.js';
import { formatCredits } from '../domain/figures.js';
import { utcDay } from '../lib/durations.js';
import type { AlertLevel } from '../ports/alerts.js';
import type { NewDelivery } from '../ports/deliveries.js';
import type { Message } from '../ports/mail.js';
import { asDelivery } from './mail-delivery.js';

/** When and where a notice is written. */
export interface AlertContext {
  readonly nowMs: number;
  /** `2026-11-21`, UTC: the day that was looked at. */
  readonly day: string;
  /** The address of the dashboard. */
  readonly dashboard: string;
  /** Whether there is a mail server. */
  readonly mail: boolean;
}

type Watched = Pick<AlertLevel, 'kind' | 'amount' | 'balance' | 'full' | 'topupSeq' | 'spent'>;

/**
 * Names the crossing that an alert is in, or null. A balance crosses once after each top-up that raised it to the
 * amount or above; a day's spending crosses once a day.
 */
const reachedBy = ({ kind, amount, balance, full, topupSeq, spent }: Watched, day: string): string | null => {
  if (kind === 'day_spend_above') return spent > amount ? day : null;
  return balance < amount && full >= amount ? `top-up ${topupSeq}` : null;
};

/**
 * The crossing that the customer has not been told about yet; null if there is none. A day is not reported once a later
 * one was.
 */
export function pendingCrossing(level: Watched & Pick<AlertLevel, 'crossing'>, day: string): string | null {
  const crossing = reachedBy(level, day);
  const isLater = level.kind === 'day_spend_above' && level.crossing !== null && level.crossing > day;
  return crossing === level.crossing || isLater ? null : crossing;
}

/** One notice for each way in which the customer wants to be notified. */
export function alertNotices(level: AlertLevel, context: AlertContext): NewDelivery[] {
  const { byMail, email, webhookUrl } = level;
  return [
    ...(byMail && email !== null && context.mail ? [asDelivery(alertMail(level, email, context), context.nowMs)] : []),
    ...(webhookUrl === null ? [] : [webhookDelivery(webhookUrl, webhookEvent(level, context), context.nowMs)]),
  ];
}

/** Notices sent the same ways that say they are only a test. */
export function testNotices(
  { byMail, email, webhookUrl, alertId }: Pick<AlertLevel, 'byMail' | 'email' | 'webhookUrl' | 'alertId'>,
  { nowMs, dashboard, mail }: Omit<AlertContext, 'day'>,
): NewDelivery[] {
  const text = `This is what you asked for on your dashboard: a test of an alert. Nothing has happened.\n\n${dashboard}/alerts\n`;
  const event = { type: 'alert.test', timestamp: new Date(nowMs).toISOString(), data: { alert_id: alertId } };
  return [
    ...(byMail && email !== null && mail
      ? [asDelivery({ to: email, subject: 'Perch: test of an alert', text }, nowMs)]
      : []),
    ...(webhookUrl === null ? [] : [webhookDelivery(webhookUrl, event, nowMs)]),
  ];
}

const webhookDelivery = (target: string, event: object, dueAt: number): NewDelivery => ({
  channel: 'webhook',
  target,
  subject: null,
  body: JSON.stringify(event),
  dueAt,
});

/** As documented in docs/accounts.md. */
function webhookEvent(
  { kind, alertId, accountId, amount, balance, spent }: AlertLevel,
  { nowMs, day }: AlertContext,
): object {
  const data = { alert_id: alertId, account_id: accountId, limit: toCredits(amount), balance: toCredits(balance) };
  const timestamp = new Date(nowMs).toISOString();
  if (kind === 'balance_below') return { type: 'alert.balance_below', timestamp, data };
  return { type: 'alert.day_spend_above', timestamp, data: { ...data, day, spent: toCredits(spent) } };
}

function alertMail(
  { kind, amount, balance, spent }: AlertLevel,
  to: string,
  { nowMs, day, dashboard }: AlertContext,
): Message {
  const isBalance = kind === 'balance_below';
  const isToday = day === utcDay(nowMs);
  return {
    to,
    subject: isBalance
      ? `Perch: the balance is below ${formatCredits(amount)}`
      : `Perch: more than ${formatCredits(amount)} spent ${isToday ? 'today' : `on ${day}`}`,
    text: [
      isBalance
        ? `Your balance is ${formatCredits(balance)}. You asked to be notified when it falls below ${formatCredits(amount)}.`
        : `On ${day} (UTC) you ${isToday ? 'have ' : ''}spent ${formatCredits(spent)}${isToday ? ' so far' : ''}. You asked to be notified when a day goes above ${formatCredits(amount)}.`,
      '',
      isBalance ? 'Top it up here:' : 'See which keys and endpoints spend here:',
      isBalance ? `${dashboard}/credits` : `${dashboard}/usage`,
      '',
      `You get this once ${isBalance ? 'after each top-up' : 'a day'}. Change or remove the alert here: ${dashboard}/alerts`,
      '',
    ].join('\n'),
  };
}
