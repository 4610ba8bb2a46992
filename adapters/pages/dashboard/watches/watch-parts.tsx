import type { AccountKey } from '../../../../src/ports/accounts.js';
import type { WatchReason, WatchRecord } from '../../../../src/ports/watches.js';
import { SelectField } from '../../kit/signed-in/fields.js';
import { Badge, type FormFault, Nothing, type Tone, When } from '../../kit/signed-in/parts.js';

const STATES: Readonly<Record<WatchRecord['state'], { readonly tone: Tone; readonly text: string }>> = {
  active: { tone: 'ok', text: 'Active' },
  waiting: { tone: 'warn', text: 'Waiting' },
  paused: { tone: 'bad', text: 'Paused' },
  ended: { tone: 'plain', text: 'Ended' },
};

const REASONS: Readonly<Record<WatchReason, string>> = {
  credits: 'no credits are left; it resumes within minutes once you have some',
  key_cap: 'its key has reached its spend cap; it resumes within minutes once there is room',
  daily_limit: 'it has reached its daily limit; it resumes after midnight UTC',
  frozen: 'the account is frozen; it resumes within minutes once that ends',
  backlog: 'your server has not accepted enough of its webhooks yet',
  by_hand: 'by a member of the account',
  key: 'its key no longer works, or may not read this',
  list: 'what it follows no longer exists, or is no longer shown',
  undelivered: 'your server accepted nothing for three days',
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

/** Which of the keys that may pay for a watch does. */
export const PayingKey = ({
  keys,
  keyId,
  fault = null,
}: {
  keys: readonly AccountKey[];
  keyId: string;
  fault?: FormFault | null;
}) => (
  <SelectField
    name="key"
    label="Paid by"
    value={keyId}
    options={keys.map(({ keyId, name, prefix }) => [keyId, `${name} (${prefix}…)`])}
    fault={fault}
  />
);

export const NoPayingKey = () => (
  <Nothing>
    A watch is paid for with a key. <a href="/dashboard/keys">Create one first.</a>
  </Nothing>
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
