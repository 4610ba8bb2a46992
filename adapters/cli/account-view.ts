import { keyState } from '../../src/account/key-state.js';
import { toCredits } from '../../src/domain/credits.js';
import { figure } from '../../src/domain/figures.js';
import { TIERS } from '../../src/domain/tiers.js';
import type { AccountRecord, CapPeriod, KeyRecord } from '../../src/ports/accounts.js';
import { MOST_LISTED_KEYS } from '../postgres/accounts/keys.js';
import { table } from './print.js';

/** Keys of an account, and whether it has more. */
export interface ListedKeys {
  readonly keys: readonly KeyRecord[];
  readonly more: boolean;
}

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

export const accountJson = (account: AccountRecord, { keys, more }: ListedKeys, nowMs: number) => ({
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
  more_keys: more,
});

/** The tier that has been paid for; an operator may have set another rate. */
export const tierFor = (paidUsd: number) => TIERS.findLast((tier) => paidUsd >= tier.paidUsd) ?? TIERS[0];

/** `500 per day`, `500 in total`. */
export const capWords = (cap: number, period: CapPeriod | null): string =>
  `${figure(cap)} ${period === 'day' || period === 'month' ? `per ${period}` : 'in total'}`;

function keyRow(key: KeyRecord, nowMs: number): string[] {
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

/** A table of keys, which says so if some are left out. */
export function keyTable({ keys, more }: ListedKeys, nowMs: number): string {
  if (keys.length === 0) return 'No keys.';
  const rows = table(
    ['key', 'name', 'state', 'spent', 'cap', 'expires'],
    keys.map((key) => keyRow(key, nowMs)),
  );
  return more
    ? `${rows}\n\nThere are more: at most ${MOST_LISTED_KEYS} keys of each mode are listed, and ended ones are left out first.`
    : rows;
}
