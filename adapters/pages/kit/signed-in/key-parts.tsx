import type { Cap, CapPeriod, KeyRecord } from '../../../../src/ports/accounts.js';
import { formatAmount } from './formats.js';
import { Badge, Bar, type Tone } from './parts.js';

export const PERIODS: Record<CapPeriod, string> = { day: 'per day', month: 'per month', total: 'in total' };

/** `live`; `ending`: replaced, and still working for a while; `ended`, `revoked`: no longer working. */
type KeyState = 'live' | 'ending' | 'ended' | 'revoked';

/** `replaced`: its client has a newer one. */
export function keyState(
  key: Pick<KeyRecord, 'revokedAt' | 'expiresAt' | 'grantId'>,
  nowMs: number,
  replaced = false,
): KeyState {
  if (key.revokedAt !== null) return 'revoked';
  if (key.expiresAt === null) return 'live';
  if (Date.parse(key.expiresAt) <= nowMs) return 'ended';
  // A client's key always has an end; it is renewed before then.
  return key.grantId === null || replaced ? 'ending' : 'live';
}

const KEY_STATES: Record<KeyState, string> = {
  live: 'Active',
  ending: 'Expiring',
  ended: 'Expired',
  revoked: 'Revoked',
};

const TONES: Record<KeyState, Tone> = { live: 'ok', ending: 'warn', ended: 'plain', revoked: 'bad' };

export const StateBadge = (props: { record: KeyRecord; nowMs: number; replaced?: boolean }) => {
  const state = keyState(props.record, props.nowMs, props.replaced);
  return <Badge tone={TONES[state]}>{KEY_STATES[state]}</Badge>;
};

/** The part of a cap spent in its period, as a bar and as text. */
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
        {formatAmount(cap.spent)} of {formatAmount(cap.amount)} {PERIODS[cap.period]}
      </span>
    </span>
  );
