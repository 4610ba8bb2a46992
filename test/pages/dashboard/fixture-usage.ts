import { itemPrice } from '../../../src/domain/prices.js';
import type { Receipt, UsageRow } from '../../../src/ports/ledger.js';

/** When the fixtures are looked at. */
export const NOW_MS = Date.parse('2026-11-21T12:00:00.000Z');
const DAY_MS = 86_400_000;

/** So many days before `NOW_MS`, RFC 3339. */
export const ago = (days: number): string => new Date(NOW_MS - days * DAY_MS).toISOString();

/** `00000000-0000-4000-8000-00000000002a` */
export const uuid = (number: number): string => `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;

/** What the fixtures' keys begin with. */
export const PREFIXES = ['8fK2xQ', 'Zr4Tn0', 'mB71aa', 'Qw9LpE', 'x0VdU3', 'h5Yc2J'].map((end) => `perch_live_${end}`);

const ENDPOINTS = ['user-tweets', 'search', 'followers', 'user', 'users-batch', 'thread', 'retweeters', 'ProfileCard'];

/** Always the same numbers from 0 to 1. */
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
      const keyPrefix = PREFIXES[index % 3] ?? '';
      rows.push({ day: ago(day).slice(0, 10), endpoint, keyPrefix, requests, items, cacheHits, amount });
    }
  }
  return rows;
}

export function receiptOf(number: number): Receipt {
  const tweets = 3 + ((number * 7) % 17);
  const held = (number * 5) % 9;
  const lines = [
    { path: 'user', unit: 'profile', cache: 'miss', items: 1, unitPrice: itemPrice('profile', 'miss') },
    { path: 'user.tweets', unit: 'tweet', cache: 'miss', items: tweets, unitPrice: itemPrice('tweet', 'miss') },
    { path: 'user.tweets', unit: 'tweet', cache: 'hit', items: held, unitPrice: itemPrice('tweet', 'hit') },
  ] as const;
  return {
    requestId: uuid(1000 + number),
    at: ago(number / 60),
    operation: ENDPOINTS[number % ENDPOINTS.length] ?? '',
    keyPrefix: PREFIXES[number % 3] ?? '',
    amount: lines.reduce((sum, line) => sum + line.items * line.unitPrice, 0),
    balanceAfter: 41_318_250 + number * 11_000,
    items: 1 + tweets + held,
    cacheHits: held,
    lines: lines.filter(({ items }) => items > 0),
  };
}
