import { itemPrice } from '../../../src/domain/prices.js';
import type { CapPeriod } from '../../../src/ports/accounts.js';
import type { Receipt, UsageRow } from '../../../src/ports/ledger.js';

/** The present of the fixtures. */
export const NOW_MS = Date.parse('2026-11-21T12:00:00.000Z');
const DAY_MS = 86_400_000;

/** The time that many days before `NOW_MS`, in RFC 3339. */
export const ago = (days: number): string => new Date(NOW_MS - days * DAY_MS).toISOString();

/** `00000000-0000-4000-8000-00000000002a` */
export const uuid = (number: number): string => `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;

/** The prefixes of the fixtures' keys. */
export const PREFIXES = ['8fK2xQ', 'Zr4Tn0', 'mB71aa', 'Qw9LpE', 'x0VdU3', 'h5Yc2J', 'Lk20sd'].map(
  (end) => `perch_live_${end}`,
);

const ENDPOINTS = ['user-tweets', 'search', 'followers', 'user', 'users-batch', 'thread', 'retweeters', 'ProfileCard'];

/** Ages of the keys in days, in the order of `PREFIXES`. The fourth key was rotated into the first. */
export const KEY_AGES = [5, 85, 62, 90, 34, 90, 43] as const;
const [NIGHTLY_AGE, DASHBOARDS_AGE, NOTEBOOK_AGE, , ROOM_AGE, , DESK_AGE] = KEY_AGES;

/** The number of the key that read an endpoint that many days ago. The key worked on that day. */
function keyOf(endpoint: number, day: number): number {
  if (endpoint % 3 === 0) return day < NIGHTLY_AGE ? 0 : 3;
  if (endpoint === 1 || endpoint === 4) return day < DASHBOARDS_AGE ? 1 : 5;
  if (endpoint !== 7) return day < NOTEBOOK_AGE ? 2 : 5;
  if (day < ROOM_AGE && day % 2 === 0) return 4;
  return day < DESK_AGE ? 6 : 5;
}

/** Pseudo-random numbers from 0 to 1, the same on every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

/** Eight endpoints over 90 days, fewer at weekends. */
export function busyUsage(): UsageRow[] {
  const next = numbers(7);
  const rows: UsageRow[] = [];
  for (let day = 89; day >= 0; day -= 1) {
    const weekday = new Date(NOW_MS - day * DAY_MS).getUTCDay();
    const pace = (weekday === 0 || weekday === 6 ? 0.35 : 1) * (0.6 + (89 - day) / 150);
    for (const [index, endpoint] of ENDPOINTS.entries()) {
      const requests = Math.floor((next() * 90 * pace) / (index + 1));
      if (requests === 0) continue;
      const items = requests * (4 + Math.floor(next() * 9));
      const cacheHits = Math.floor(items * (0.2 + next() * 0.4));
      const price = endpoint === 'followers' ? 100 : 1000;
      const amount = (items - cacheHits) * price + (cacheHits * price) / 2;
      const keyPrefix = PREFIXES[keyOf(index, day)] ?? '';
      rows.push({ day: ago(day).slice(0, 10), endpoint, keyPrefix, requests, items, cacheHits, amount });
    }
  }
  return rows;
}

const USAGE = busyUsage();

/** What was spent before the day that lies that many days back, or in all. */
export const spentBefore = (days = Number.NEGATIVE_INFINITY, keyPrefix?: string): number =>
  USAGE.filter(
    (row) =>
      (days === Number.NEGATIVE_INFINITY || (row.day ?? '') < ago(days).slice(0, 10)) &&
      (keyPrefix === undefined || row.keyPrefix === keyPrefix),
  ).reduce((sum, { amount }) => sum + amount, 0);

/** What a key spent in its cap's current period. */
export function spentInPeriod(period: CapPeriod, keyPrefix: string): number {
  const begins = { day: ago(0).slice(0, 10), month: ago(0).slice(0, 7), total: '' }[period];
  return USAGE.filter((row) => row.keyPrefix === keyPrefix && (row.day ?? '').startsWith(begins)).reduce(
    (sum, { amount }) => sum + amount,
    0,
  );
}

/** All credits on the statement, less those spent. */
export const BALANCE = 71_500_000 - spentBefore();

const amountOf = ({ lines }: Pick<Receipt, 'lines'>): number =>
  lines.reduce((sum, line) => sum + line.items * line.unitPrice, 0);

function linesOf(number: number): Receipt['lines'] {
  const [tweets, cached] = [3 + ((number * 7) % 17), (number * 5) % 9];
  return (
    [
      { path: 'user', unit: 'profile', cache: 'miss', items: 1, unitPrice: itemPrice('profile', 'miss') },
      { path: 'user.tweets', unit: 'tweet', cache: 'miss', items: tweets, unitPrice: itemPrice('tweet', 'miss') },
      { path: 'user.tweets', unit: 'tweet', cache: 'hit', items: cached, unitPrice: itemPrice('tweet', 'hit') },
    ] as const
  ).filter(({ items }) => items > 0);
}

/** Number 0 is the newest; each further one is half an hour older. */
export function receiptOf(number: number): Receipt {
  const lines = linesOf(number);
  const endpoint = number % ENDPOINTS.length;
  const later = Array.from({ length: number }, (_, nth) => amountOf({ lines: linesOf(nth) }));
  return {
    requestId: uuid(1000 + number),
    at: ago(number / 48),
    operation: ENDPOINTS[endpoint] ?? '',
    keyPrefix: PREFIXES[keyOf(endpoint, number <= 24 ? 0 : 1)] ?? '',
    amount: amountOf({ lines }),
    balanceAfter: later.reduce((sum, amount) => sum + amount, BALANCE),
    items: lines.reduce((sum, { items }) => sum + items, 0),
    cacheHits: lines.reduce((sum, { cache, items }) => sum + (cache === 'hit' ? items : 0), 0),
    lines,
  };
}
