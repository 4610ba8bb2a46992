import { toCredits } from '../../src/domain/credits.js';
import { TIERS } from '../../src/domain/tiers.js';
import type { AccountRecord, KeyRecord } from '../../src/ports/accounts.js';

/** Whether a key works: `rotating` still does, until `expires_at`. */
export type KeyState = 'live' | 'rotating' | 'ended' | 'revoked';

export function keyStateAt({ revokedAt, expiresAt }: KeyRecord, nowMs: number): KeyState {
  if (revokedAt !== null && Date.parse(revokedAt) <= nowMs) return 'revoked';
  if (expiresAt === null) return 'live';
  return Date.parse(expiresAt) <= nowMs ? 'ended' : 'rotating';
}

/** A key as JSON shows it; amounts are credits. */
export const keyJson = (key: KeyRecord, nowMs: number) => ({
  key_prefix: key.prefix,
  name: key.name,
  state: keyStateAt(key, nowMs),
  spent: toCredits(key.spent),
  cap: key.cap === null ? null : toCredits(key.cap.amount),
  cap_period: key.cap?.period ?? null,
  cap_spent: key.cap === null ? null : toCredits(key.cap.spent),
  created_at: key.createdAt,
  expires_at: key.expiresAt,
  revoked_at: key.revokedAt,
});

export const accountJson = (account: AccountRecord, nowMs: number) => ({
  account_id: account.accountId,
  wallet_id: account.walletId,
  name: account.name,
  email: account.email,
  frozen: account.frozen,
  balance: toCredits(account.balance),
  paid_usd: account.paidUsd,
  rate_limit_qps: account.qps,
  tier: { paid_usd: tierFor(account.paidUsd).paidUsd, requests_per_second: tierFor(account.paidUsd).requestsPerSecond },
  keys: account.keys.map((key) => keyJson(key, nowMs)),
});

/** The tier that has been paid for; an operator may have set another rate. */
export const tierFor = (paidUsd: number) => TIERS.findLast((tier) => paidUsd >= tier.paidUsd) ?? TIERS[0];

export const KEY_HEADER = ['key', 'name', 'state', 'spent', 'cap', 'until'] as const;

export function keyRow(key: KeyRecord, nowMs: number): string[] {
  const { key_prefix, name, state, spent, cap, cap_period, revoked_at, expires_at } = keyJson(key, nowMs);
  return [
    `${key_prefix}…`,
    name,
    state,
    String(spent),
    cap === null ? '-' : cap_period === 'total' ? String(cap) : `${cap} per ${cap_period}`,
    revoked_at ?? expires_at ?? '-',
  ];
}
