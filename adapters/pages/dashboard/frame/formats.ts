import { type Thousandths, toCredits } from '../../../../src/domain/credits.js';
import { figure, inCredits } from '../../../../src/domain/figures.js';
import type { CapPeriod, KeyRecord } from '../../../../src/ports/accounts.js';

/** `1,234.5`, from thousandths. */
export const amountOf = (amount: Thousandths): string => figure(toCredits(amount));

/** `1 credit`, `1,234.5 credits`, from thousandths. */
export const creditsOf = (amount: Thousandths): string => inCredits(toCredits(amount));

/** With an initial capital. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `$12`, `$12.50`, from cents. */
export const dollars = (cents: number): string => {
  const [whole = '0', rest = '00'] = (cents / 100).toFixed(2).split('.');
  return `$${figure(Number(whole))}${rest === '00' ? '' : `.${rest}`}`;
};

export const PERIODS: Record<CapPeriod, string> = { day: 'per day', month: 'per month', total: 'in total' };

/** `live`; `ending`: replaced, and still working for a while (A10); `ended`, `revoked`: no longer working. */
export type KeyState = 'live' | 'ending' | 'ended' | 'revoked';

/** `replaced`: its client has a newer one. */
export function keyState(
  key: Pick<KeyRecord, 'revokedAt' | 'expiresAt' | 'grantId'>,
  nowMs: number,
  replaced = false,
): KeyState {
  if (key.revokedAt !== null) return 'revoked';
  if (key.expiresAt === null) return 'live';
  if (Date.parse(key.expiresAt) <= nowMs) return 'ended';
  // A client's key always has an end; it is renewed before then (A14).
  return key.grantId === null || replaced ? 'ending' : 'live';
}

export const KEY_STATES: Record<KeyState, string> = {
  live: 'Active',
  ending: 'Expiring',
  ended: 'Expired',
  revoked: 'Revoked',
};

const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdg\//, 'Edge'],
  [/\b(?:OPR|Opera)\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** `Firefox on Linux`; for an unknown browser its own description, at most 60 characters. */
export function browserName(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return 'Unknown browser';
  const named = (list: readonly [RegExp, string][]) => list.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = named(BROWSERS);
  const system = named(SYSTEMS);
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  return userAgent.length > 60 ? `${userAgent.slice(0, 59)}…` : userAgent;
}
