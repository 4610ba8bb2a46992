import { type KeyState, keyState } from '../../../../src/account/key-state.js';
import type { AccountKey, Cap, CapPeriod } from '../../../../src/ports/accounts.js';
import { capitalized, formatAmount } from './formats.js';
import { Badge, Bar, type Tone } from './parts.js';

export const PERIOD_WORDS: Record<CapPeriod, string> = { day: 'per day', month: 'per month', total: 'in total' };

const TONES: Record<KeyState, Tone> = { active: 'ok', expiring: 'warn', expired: 'plain', revoked: 'bad' };

export const StateBadge = (props: { record: AccountKey; nowMs: number; replaced?: boolean }) => {
  const state = keyState(props.record, props.nowMs, props.replaced);
  return <Badge tone={TONES[state]}>{capitalized(state)}</Badge>;
};

/** How much of a cap was spent in its period, as a bar and as text. */
export const CapMeter = ({ cap }: { cap: (Cap & { readonly spent: number }) | null }) =>
  cap === null ? (
    <span class="soft">no cap</span>
  ) : (
    <span class="cap">
      <Bar
        label={`${formatAmount(cap.spent)} of ${formatAmount(cap.amount)} credits spent`}
        value={cap.spent}
        max={cap.amount}
      />
      <span class="small">
        {formatAmount(cap.spent)} of {formatAmount(cap.amount)} {PERIOD_WORDS[cap.period]}
      </span>
    </span>
  );
