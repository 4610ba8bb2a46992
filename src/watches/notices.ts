import { othersText } from '../account/mail-delivery.js';
import type { WatchReason, WatchStop } from '../ports/watches.js';

/** Why Perch stops a watch while it follows it. */
export type StopReason = Exclude<WatchReason, 'by_hand' | 'undelivered'>;

/** What the owner is told. A backlog is left out, because it passes without the owner's help. */
const TEXTS: Readonly<Record<Exclude<StopReason, 'backlog'>, string>> = {
  credits: 'it waits because no credits are left. It resumes where it stopped, soon after you buy some',
  key_cap:
    'it waits because its key has reached its spend cap. It resumes where it stopped, once there is room under the cap',
  daily_limit: 'it waits because it has reached its daily limit. It resumes where it stopped, after midnight UTC',
  frozen:
    'it waits because its account is frozen: a payment was disputed, or the operator froze it. It resumes where it stopped, soon after that ends',
  key: 'it was paused because its key no longer works or may not read this. When you resume it with another key, it continues where it stopped',
  list: 'it was paused because what it follows no longer exists or is no longer shown. When you resume it, it continues where it stopped',
};

export interface StoppedWatch {
  readonly watchId: string;
  /** What it follows, in the words of its interface: `{ user: 'harbor_obs' }`. */
  readonly follows: Readonly<Record<string, string>>;
  readonly state: WatchStop['state'];
  readonly reason: StopReason;
  readonly dueAt: number | null;
  readonly at: number;
  /** The address of the dashboard; null: there is no mail server. */
  readonly dashboard: string | null;
}

/** A mail to the account's owner, at most one an hour for each key and reason, and an event to the watch's webhook. */
export function stopNotices({
  watchId,
  follows,
  state,
  reason,
  dueAt,
  at,
  dashboard,
}: StoppedWatch): WatchStop['notices'] {
  if (reason === 'backlog') return [];
  const event = {
    type: `watch.${state}`,
    timestamp: new Date(at).toISOString(),
    data: {
      watch_id: watchId,
      ...follows,
      reason,
      ...(dueAt !== null && { resumes_at: new Date(dueAt).toISOString() }),
    },
  };
  const [[name, subject] = []] = Object.entries(follows);
  const text = [
    `One of your Perch watches has stopped: ${TEXTS[reason]}.`,
    '',
    `It follows: ${name} ${subject}`,
    ...(dashboard === null ? [] : [`${dashboard}/watches/${watchId}`, '', othersText(dashboard)]),
    '',
  ].join('\n');
  const title = state === 'paused' ? 'Perch: a watch was paused' : 'Perch: a watch waits';
  return [
    ...(dashboard === null ? [] : [{ channel: 'mail', subject: title, body: text } as const]),
    { channel: 'webhook', subject: null, body: JSON.stringify(event) },
  ];
}
