import type { SaleRecord } from '../../../src/billing/billing.js';
import type { AccountRecord, AuditEvent, KeyRecord } from '../../../src/ports/accounts.js';
import type { AlertRecord } from '../../../src/ports/alerts.js';
import type { GrantRecord } from '../../../src/ports/grants.js';
import type { Receipt, StatementEntry, UsageRow } from '../../../src/ports/ledger.js';
import type { SessionRecord } from '../../../src/ports/sessions.js';
import { ago, busyUsage, PREFIXES, receiptOf, uuid } from './fixture-usage.js';

/** Everything that one account's pages show. */
export interface Household {
  readonly account: AccountRecord;
  /** By day, endpoint and key. */
  readonly usage: readonly UsageRow[];
  readonly receipts: readonly Receipt[];
  readonly statement: readonly StatementEntry[];
  readonly sales: readonly SaleRecord[];
  readonly grants: readonly GrantRecord[];
  readonly alerts: readonly AlertRecord[];
  readonly sessions: readonly SessionRecord[];
  readonly log: readonly AuditEvent[];
  readonly open: boolean;
}

const LINUX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile Safari/604.1';

/** The session that looks. */
export const SESSION: SessionRecord = {
  sessionId: uuid(1),
  method: 'passkey',
  userAgent: LINUX,
  address: '203.0.113.7',
  createdAt: ago(3),
  seenAt: ago(0),
  expiresAt: ago(-27),
};

const account = (rest: Partial<AccountRecord>): AccountRecord => ({
  accountId: uuid(10),
  walletId: uuid(11),
  name: 'Harbour Research',
  email: 'ada@harbour.example',
  balance: 0,
  paidUsd: 0,
  qps: 1,
  frozen: false,
  testOf: null,
  refilledOn: null,
  keys: [],
  ...rest,
});

/** Just signed up. */
export const EMPTY: Household = {
  account: account({ name: 'ada@harbour.example' }),
  usage: [],
  receipts: [],
  statement: [],
  sales: [],
  grants: [],
  alerts: [],
  sessions: [SESSION],
  log: [{ at: ago(0.1), what: 'session.started', who: 'customer', address: '203.0.113.7', detail: { method: 'link' } }],
  open: true,
};

const key = (number: number, name: string, rest: Partial<KeyRecord> = {}): KeyRecord => ({
  keyId: uuid(100 + number),
  prefix: PREFIXES[number % 6] ?? '',
  name,
  createdAt: ago(80 - number * 9),
  cap: null,
  spent: 0,
  grantId: null,
  expiresAt: null,
  revokedAt: null,
  ...rest,
});

const KEYS: readonly KeyRecord[] = [
  key(0, 'Nightly crawl', { spent: 31_482_500 }),
  key(1, 'Dashboards', { spent: 8_120_250, cap: { amount: 500_000, period: 'day', spent: 431_250 } }),
  key(2, 'Notebook of Ada', { spent: 912_000, cap: { amount: 2_000_000, period: 'month', spent: 312_000 } }),
  key(3, 'Old importer', { spent: 4_000_000, expiresAt: ago(-2) }),
  key(4, 'Reading Room', {
    spent: 128_500,
    grantId: uuid(200),
    expiresAt: ago(-20),
    cap: { amount: 1_000_000, period: 'month', spent: 96_500 },
  }),
  key(5, 'Trial', { spent: 20_000, revokedAt: ago(40) }),
];

const sale = (number: number, rest: Partial<SaleRecord>): SaleRecord => ({
  saleId: uuid(300 + number),
  sessionId: `cs_test_${number}`,
  createdAt: ago(number * 12 + 1),
  paidAt: ago(number * 12 + 1),
  pack: 'builder',
  usd: 50,
  credits: 55_000,
  state: 'paid',
  url: null,
  refundedUsd: 0,
  reversed: 0,
  held: 0,
  disputed: null,
  ...rest,
});

const SALES: readonly SaleRecord[] = [
  sale(0, {
    state: 'open',
    paidAt: null,
    url: 'https://checkout.example/pay/cs_test_0',
    pack: 'growth',
    usd: 200,
    credits: 240_000,
  }),
  sale(1, {}),
  sale(2, { pack: 'starter', usd: 10, credits: 10_000, refundedUsd: 4.5, reversed: 4500 }),
  sale(3, { pack: 'starter', usd: 10, credits: 10_000, state: 'expired', paidAt: null }),
  sale(4, { pack: 'starter', usd: 10, credits: 10_000, disputed: 'won' }),
];

const entry = (number: number, rest: Partial<StatementEntry>): StatementEntry => ({
  requestId: uuid(400 + number),
  at: ago(number * 11 + 2),
  kind: 'purchase',
  amount: 55_000_000,
  balanceAfter: 61_240_500,
  reason: 'pack builder, $50',
  ...rest,
});

const STATEMENT: readonly StatementEntry[] = [
  entry(0, {}),
  entry(1, { kind: 'reversal', amount: -4_500_000, balanceAfter: 9_120_000, reason: 'refund of pack starter' }),
  entry(2, { amount: 10_000_000, balanceAfter: 13_620_000, reason: 'pack starter, $10' }),
  entry(3, { kind: 'return', amount: 10_000_000, balanceAfter: 12_000_000, reason: 'dispute won, pack starter' }),
  entry(4, { kind: 'grant', amount: 1_000_000, balanceAfter: 1_000_000, reason: 'welcome' }),
];

const grant = (number: number, rest: Partial<GrantRecord>): GrantRecord => ({
  grantId: uuid(200 + number),
  clientId: 'https://reading-room.example/oauth/client.json',
  clientName: 'Reading Room',
  createdAt: ago(34 + number * 9),
  revokedAt: null,
  keyPrefix: 'perch_live_x0VdU3',
  cap: { amount: 1_000_000, period: 'month', spent: 96_500 },
  spent: 128_500,
  ...rest,
});

const GRANTS: readonly GrantRecord[] = [
  grant(0, {}),
  grant(1, {
    clientId: 'b9d3e6c0a1',
    clientName: 'Desk assistant',
    cap: null,
    spent: 12_000,
    keyPrefix: 'perch_live_Lk20sd',
  }),
  grant(2, { clientName: 'Old notebook', revokedAt: ago(12), spent: 500 }),
];

const SESSIONS: readonly SessionRecord[] = [
  SESSION,
  { ...SESSION, sessionId: uuid(2), method: 'link', userAgent: IPHONE, address: '2001:db8::17', seenAt: ago(1) },
  { ...SESSION, sessionId: uuid(3), method: 'link', userAgent: null, address: null, seenAt: ago(5) },
];

const notice = (rest: Partial<AlertRecord['last'][number]>): AlertRecord['last'][number] => ({
  ...{ channel: 'mail', createdAt: ago(1), deliveredAt: ago(1), dueAt: null, status: null, fault: null },
  ...rest,
});

const ALERTS: readonly AlertRecord[] = [
  {
    ...{ alertId: uuid(500), kind: 'balance_below', amount: 5_000_000, byMail: true, webhookUrl: null },
    ...{ createdAt: ago(40), crossedAt: ago(1), last: [notice({})] },
  },
  {
    ...{ alertId: uuid(501), kind: 'day_spend_above', amount: 2_500_500, byMail: true },
    ...{ webhookUrl: 'https://harbour.example/webhooks/perch', createdAt: ago(30), crossedAt: ago(2) },
    last: [
      notice({ createdAt: ago(2), deliveredAt: null, fault: 'The mail server did not take it.' }),
      notice({ channel: 'webhook', deliveredAt: null, dueAt: ago(-0.1), status: 503 }),
    ],
  },
  {
    ...{ alertId: uuid(502), kind: 'day_spend_above', amount: 100_000, byMail: false },
    ...{ webhookUrl: 'https://harbour.example/hooks', createdAt: ago(1), crossedAt: null, last: [] },
  },
];

const event = (days: number, what: AuditEvent['what'], rest: Partial<AuditEvent> = {}): AuditEvent => ({
  at: ago(days),
  what,
  who: 'customer',
  address: '203.0.113.7',
  detail: {},
  ...rest,
});

const LOG: readonly AuditEvent[] = [
  event(0.2, 'key.changed', {
    detail: { key_prefix: 'perch_live_Zr4Tn0', name: 'Dashboards', cap_thousandths: 500_000, cap_period: 'day' },
  }),
  event(2, 'credits.bought', {
    who: 'payments',
    address: null,
    detail: { pack: 'builder', usd: 50, credits: 55_000, sale_id: uuid(301) },
  }),
  event(2.1, 'checkout.opened', { detail: { pack: 'builder', usd: 50, sale_id: uuid(301) } }),
  event(3, 'session.started', { detail: { method: 'passkey' } }),
  event(5, 'key.rotated', {
    detail: { key_prefix: 'perch_live_Qw9LpE', new_key_prefix: 'perch_live_8fK2xQ', old_ends_at: ago(-2) },
  }),
  event(9, 'client.refreshed', { who: 'client', detail: { client: 'Reading Room', key_prefix: 'perch_live_x0VdU3' } }),
  event(34, 'client.allowed', {
    detail: { client: 'Reading Room', redirect_uri: 'http://127.0.0.1:33418/cb', cap: 1000, period: 'month' },
  }),
  event(60, 'passkey.added', { detail: { name: 'Laptop' } }),
  event(80, 'credits.granted', { who: 'operator', address: null, detail: { credits: 1000, reason: 'welcome' } }),
  event(80, 'account.created', { who: 'operator', address: null }),
];

/** Eight endpoints over 90 days, and everything else there can be. */
export const BUSY: Household = {
  account: account({ balance: 41_318_250, paidUsd: 60, qps: 50, keys: KEYS }),
  usage: busyUsage(),
  receipts: Array.from({ length: 50 }, (_, index) => receiptOf(index)),
  statement: STATEMENT,
  sales: SALES,
  grants: GRANTS,
  alerts: ALERTS,
  sessions: SESSIONS,
  log: LOG,
  open: true,
};

/** A lost dispute, an empty wallet, and no checkout on this server. */
export const FROZEN: Household = {
  ...BUSY,
  account: account({ balance: 0, paidUsd: 60, qps: 50, keys: KEYS, frozen: true }),
  sales: [sale(5, { disputed: 'lost', reversed: 41_318.25 }), ...SALES],
  log: [event(0, 'account.frozen', { who: 'payments', address: null, detail: { why: 'dispute lost' } }), ...LOG],
  open: false,
};

export const HOSTILE_NAMES = {
  script: '<script>alert(1)</script><img src=x onerror=alert(2)>',
  long: 'W'.repeat(400),
  rtl: '\u05e9\u05dc\u05d5\u05dd \u0645\u0641\u062a\u0627\u062d',
  emoji: '\u{1f426}\u{1f3f4}\u200d\u2620\ufe0f\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
  quotes: `"'></td><style>*{display:none}</style>`,
};

const NAMES = Object.values(HOSTILE_NAMES);

/** Names and words that others chose, and chose badly. */
export const HOSTILE: Household = {
  ...BUSY,
  account: account({
    name: HOSTILE_NAMES.script,
    email: `${'a'.repeat(64)}@${'long.'.repeat(36)}example`,
    balance: 9_007_199_254_740_991,
    paidUsd: 1_000_000,
    qps: 5000,
    keys: NAMES.map((name, index) => key(index, name, { spent: 9_007_199_254_740_991 })),
  }),
  usage: NAMES.map((endpoint) => ({
    ...{ day: ago(1).slice(0, 10), endpoint, keyPrefix: 'perch_live_8fK2xQ' },
    ...{ requests: 1, items: 1, cacheHits: 0, amount: 1_000_000_000 },
  })),
  receipts: NAMES.map((operation, index) => ({ ...receiptOf(index), operation })),
  statement: NAMES.map((reason, index) => entry(index, { reason })),
  grants: NAMES.map((clientName, index) => grant(index, { clientName, clientId: clientName })),
  alerts: NAMES.map((name, index) => ({
    ...{ alertId: uuid(510 + index), kind: 'day_spend_above', amount: 9_007_199_254_740_991, byMail: true },
    ...{ webhookUrl: `https://a.example/${name}`, createdAt: ago(1), crossedAt: ago(1), last: [] },
  })),
  sessions: [SESSION, ...NAMES.map((userAgent, index) => ({ ...SESSION, sessionId: uuid(50 + index), userAgent }))],
  log: NAMES.map((name, index) => event(index, 'key.created', { detail: { name, other: name } })),
};
