import { ServiceError } from '../../../src/domain/errors.js';
import type { WatchDelivery, WatchRecord } from '../../../src/ports/watches.js';
import type { Household } from './fixture.js';
import { ago, uuid } from './fixture-usage.js';

const refused = async (): Promise<never> => {
  throw new ServiceError('bad_request', 'A fixture does not change.');
};

/** One watch in each state, paid by the account's first key. An account without keys has no watches. */
export function watchesOf({ account: { accountId, keys } }: Household) {
  const [key] = keys;
  const watch = (number: number, rest: Partial<WatchRecord>): WatchRecord => ({
    ...{ accountId, watchId: uuid(600 + number), keyId: key?.keyId ?? '', keyPrefix: key?.prefix ?? '' },
    ...{ kind: 'timeline', subject: 'harbor_obs', product: null, count: 20, dailyLimit: null },
    webhookUrl: 'https://harbour.example/hooks/perch',
    ...{ state: 'active', reason: null, stateAt: ago(9), dueAt: null, createdAt: ago(9 + number), failed: null },
    ...{ number: 12, spent: 14_500, spentToday: 1_500, newestAt: ago(0.01), checkedAt: ago(0.0003), everyMs: 40_000 },
    ...rest,
  });
  const watches: readonly WatchRecord[] = [
    watch(1, {}),
    watch(2, {
      ...{ kind: 'search', subject: 'from:brindleferries delay', product: 'Latest', dailyLimit: 20_000 },
      ...{ state: 'waiting', reason: 'daily_limit', dueAt: ago(-0.4), spentToday: 20_000, spent: 220_000 },
    }),
    watch(3, { kind: 'replies', subject: '1898072654607286272', state: 'paused', reason: 'undelivered' }),
    watch(5, { state: 'paused', reason: 'key' }),
    watch(4, { kind: 'quotes', subject: '1898072654607286272', state: 'ended', checkedAt: null, everyMs: null }),
  ];
  const delivery = (number: number, rest: Partial<WatchDelivery>): WatchDelivery => ({
    ...{ deliveryId: uuid(700 + number), number, items: 2, charged: 1_500, tries: 1, status: 204, excerpt: null },
    ...{ target: 'https://harbour.example/hooks/perch', fault: null, createdAt: ago(0.2 * (13 - number)) },
    ...{ triedAt: ago(0.2 * (13 - number)), deliveredAt: ago(0.2 * (13 - number)), dueAt: null },
    body: JSON.stringify({ type: 'watch.items', timestamp: ago(0.2), data: { number, user: 'harbor_obs', items: 2 } }),
    ...rest,
  });
  const nodes = [
    delivery(12, { deliveredAt: null, status: 503, excerpt: 'Back soon.', tries: 3, dueAt: ago(-0.01) }),
    delivery(11, {}),
    delivery(10, { deliveredAt: null, status: null, fault: 'No answer within 10 seconds.', tries: 17 }),
  ];
  return {
    list: async () => (key === undefined ? [] : [...watches]),
    async get(_accountId: string, watchId: string) {
      const found = key && watches.find((one) => one.watchId === watchId);
      if (found === undefined) throw new ServiceError('not_found', 'This account has no such watch.');
      return found;
    },
    secretOf: () => `whsec_${'0'.repeat(43)}=`,
    deliveries: async () => ({ nodes, endCursor: '10' }),
    ...{ add: refused, change: refused, sendAgain: refused },
  };
}
