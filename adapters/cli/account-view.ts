import { keyState } from '../../src/account/key-state.js';
import { toCredits } from '../../src/domain/credits.js';
import { figure } from '../../src/domain/figures.js';
import { TIERS } from '../../src/domain/tiers.js';
import type { AccountRecord, CapPeriod, KeyRecord } from '../../src/ports/accounts.js';

/** A key as JSON shows it; amounts are credits. */
export const keyJson = (key: KeyRecord, nowMs: number) => ({
  key_prefix: key.prefix,
  name: key.name,
  state: keyState(key, nowMs),
  spent: toCredits(key.spent),
  cap: key.cap === null ? null : toCredits(key.cap.amount),
  cap_period: key.cap?.period ?? null,
  cap_spent: key.cap === null ? null : toCredits(key.cap.spent),
  created_at: key.createdAt,
  expires_at: key.expiresAt,
  scopes: key.scopes,
  allowed_from: key.allowedFrom,
  revoked_at: key.revokedAt,
});

export const accountJson = (account: AccountRecord, keys: readonly KeyRecord[], nowMs: number) => ({
  account_id: account.accountId,
  wallet_id: account.walletId,
  name: account.name,
  email: account.email,
  frozen: account.frozen,
  balance: toCredits(account.balance),
  paid_usd: account.paidUsd,
  rate_limit_qps: account.qps,
  tier: { paid_usd: tierFor(account.paidUsd).paidUsd, requests_per_second: tierFor(account.paidUsd).requestsPerSecond },
  keys: keys.map((key) => keyJson(key, nowMs)),
});

/** The tier that has been paid for; an operator may have set another rate. */
export const tierFor = (paidUsd: number) => TIERS.findLast((tier) => paidUsd >= tier.paidUsd) ?? TIERS[0];

/** `500 per day`, `500 in total`. */
export const capWords = (cap: number, period: CapPeriod | null): string =>
  `${figure(cap)} ${period === 'day' || period === 'month' ? `per ${period}` : 'in total'}`;

export const KEY_HEADER = ['key', 'name', 'state', 'spent', 'cap', 'expires'] as const;

export function keyRow(key: KeyRecord, nowMs: number): string[] {
  const { key_prefix, name, state, spent, cap, cap_period, revoked_at, expires_at } = keyJson(key, nowMs);
  return [
    `${key_prefix}…`,
    name,
    revoked_at === null ? state : `${state} ${revoked_at}`,
    figure(spent),
    cap === null ? 'no cap' : capWords(cap, cap_period),
    expires_at ?? 'never',
  ];
}
