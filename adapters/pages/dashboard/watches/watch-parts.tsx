import type { WatchReason, WatchRecord } from '../../../../src/ports/watches.js';
import { Badge, type Tone, When } from '../../kit/signed-in/parts.js';

const STATES: Readonly<Record<WatchRecord['state'], { readonly tone: Tone; readonly text: string }>> = {
  active: { tone: 'ok', text: 'Active' },
  waiting: { tone: 'warn', text: 'Waiting' },
  paused: { tone: 'bad', text: 'Paused' },
  ended: { tone: 'plain', text: 'Ended' },
};

const REASONS: Readonly<Record<WatchReason, string>> = {
  credits: 'no credits are left: it goes on within minutes once there are some',
  key_cap: 'its key has reached its spend cap: it goes on within minutes once there is room',
  daily_limit: 'it has spent its daily limit: it goes on after midnight UTC',
  backlog: 'too much of it has not been taken by your server yet',
  by_hand: 'by a member of the account',
  key: 'its key does not work any more, or may not read this',
  list: 'what it follows is gone, or is not shown any more',
  undelivered: 'your server took nothing for three days',
};

export const State = ({ watch: { state } }: { watch: WatchRecord }) => (
  <Badge tone={STATES[state].tone}>{STATES[state].text}</Badge>
);

/** Why the watch has stopped. */
export const Reason = ({ watch: { state, reason } }: { watch: WatchRecord }) =>
  reason === null ? null : (
    <span class="soft block small">
      {STATES[state].text}: {REASONS[reason]}.
    </span>
  );

/** "every 40 s, last 2026-11-27 10:00". */
export const LastChecked = ({ watch: { state, checkedAt, everyMs, failed } }: { watch: WatchRecord }) => {
  if (checkedAt === null || everyMs === null) return <span class="soft">not yet</span>;
  return (
    <span>
      {state === 'active' ? `every ${everyText(everyMs)}, last ` : 'last '}
      <When at={checkedAt} />
      {failed === null ? null : (
        <>
          {' '}
          <Badge tone="warn">{failed}</Badge>
        </>
      )}
    </span>
  );
};

const everyText = (ms: number): string => {
  const seconds = Math.round(ms / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
};
