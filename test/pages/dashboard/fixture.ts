import type { SaleRecord } from '../../../src/billing/billing.js';
import type { Role } from '../../../src/domain/audit.js';
import { DAY_MS } from '../../../src/lib/durations.js';
import type { AccountRecord, AuditEvent, CapPeriod, KeyRecord } from '../../../src/ports/accounts.js';
import type { AlertRecord } from '../../../src/ports/alerts.js';
import type { DeliveryRecord } from '../../../src/ports/deliveries.js';
import type { GrantRecord } from '../../../src/ports/grants.js';
import type { Receipt, StatementEntry, UsageRow } from '../../../src/ports/ledger.js';
import type { SessionRecord } from '../../../src/ports/sessions.js';
import {
  ago,
  BALANCE,
  busyUsage,
  KEY_AGES,
  NOW_MS,
  PREFIXES,
  receiptOf,
  spentBefore,
  spentInPeriod,
  uuid,
} from './fixture-usage.js';

/** With what its keys have spent. */
export interface HouseholdAccount extends AccountRecord {
  readonly keys: readonly KeyRecord[];
}

/** Everything that one account's pages show. */
export interface Household {
  readonly account: HouseholdAccount;
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
  /** The role of the person who looks; the owner by default. */
  readonly role?: Role;
}

const LINUX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile Safari/604.1';

/** The session that requests the pages. */
export const SESSION: SessionRecord = {
  sessionId: uuid(1),
  method: 'passkey',
  userAgent: LINUX,
  address: '203.0.113.7',
  createdAt: ago(3),
  seenAt: ago(0),
  expiresAt: ago(-27),
};

const account = (rest: Partial<HouseholdAccount>): HouseholdAccount => ({
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
  log: [
    {
      eventId: '1',
      at: ago(0.1),
      what: 'session.started',
      who: 'customer',
      by: null,
      address: '203.0.113.7',
      detail: { method: 'link' },
    },
  ],
  open: true,
};

const key = (number: number, name: string, rest: Partial<KeyRecord> = {}): KeyRecord => ({
  keyId: uuid(100 + number),
  prefix: PREFIXES[number] ?? '',
  name,
  createdAt: ago(KEY_AGES[number] ?? 0),
  cap: null,
  spent: spentBefore(undefined, PREFIXES[number]),
  grantId: null,
  ...{ expiresAt: null, isReplaced: false, scopes: null, allowedFrom: null },
  revokedAt: null,
  ...rest,
});

/** A cap, with the amount that the key of that number has spent of it. */
const cap = (number: number, amount: number, period: CapPeriod) => ({
  ...{ amount, period, spent: spentInPeriod(period, PREFIXES[number] ?? '') },
});

const KEYS: readonly KeyRecord[] = [
  key(0, 'Nightly crawl'),
  key(1, 'Dashboards', { cap: cap(1, 500_000, 'day') }),
  key(2, 'Notebook of Ada', {
    ...{ scopes: ['profiles', 'timeline', 'search'], allowedFrom: ['203.0.113.0/24', '2001:db8::/32'] },
    ...{ expiresAt: ago(-60), cap: cap(2, 2_000_000, 'month') },
  }),
  key(3, 'Nightly crawl', { expiresAt: ago(-2), isReplaced: true }),
  key(4, 'Reading Room', { grantId: uuid(200), expiresAt: ago(-20), cap: cap(4, 1_000_000, 'month') }),
  key(5, 'Trial', { revokedAt: ago(40) }),
  key(6, 'Desk assistant', { grantId: uuid(201), expiresAt: ago(-12) }),
];

const sale = (number: number, days: number, rest: Partial<SaleRecord> = {}): SaleRecord => ({
  saleId: uuid(300 + number),
  sessionId: `cs_test_${number}`,
  createdAt: ago(days),
  paidAt: ago(days),
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

const STARTER = { pack: 'starter', usd: 10, credits: 10_000 } as const;

const SALES: readonly SaleRecord[] = [
  sale(0, 1, {
    state: 'open',
    paidAt: null,
    url: 'https://checkout.example/pay/cs_test_0',
    pack: 'growth',
    usd: 200,
    credits: 240_000,
  }),
  sale(2, 13, { ...STARTER, refundedUsd: 4.5, reversed: 4500 }),
  sale(3, 37, { ...STARTER, state: 'expired', paidAt: null }),
  sale(1, 78),
  sale(4, 91, { ...STARTER, disputed: 'won' }),
];

const entry = (number: number, days: number, rest: Partial<StatementEntry>): StatementEntry => ({
  requestId: uuid(400 + number),
  at: ago(days),
  kind: 'purchase',
  amount: 10_000_000,
  balanceAfter: 0,
  reason: 'pack starter, $10',
  ...rest,
});

/** Newest first, each with the balance after it: the credits added until then, less those spent. */
const STATEMENT: readonly StatementEntry[] = [
  entry(0, 10, { kind: 'reversal', amount: -4_500_000, reason: 'refund of pack starter' }),
  entry(1, 13, {}),
  entry(2, 60, { kind: 'return', reason: 'dispute won, pack starter' }),
  entry(3, 70, { kind: 'hold', amount: -10_000_000, reason: 'dispute opened, pack starter' }),
  entry(4, 78, { amount: 55_000_000, reason: 'pack builder, $50' }),
  entry(5, 91, {}),
  entry(6, 92, { kind: 'grant', amount: 1_000_000, reason: 'welcome' }),
].map((one, nth, all) => ({
  ...one,
  balanceAfter:
    all.slice(nth).reduce((sum, { amount }) => sum + amount, 0) - spentBefore((NOW_MS - Date.parse(one.at)) / DAY_MS),
}));

const grant = (number: number, rest: Partial<GrantRecord>): GrantRecord => ({
  grantId: uuid(200 + number),
  clientId: 'https://reading-room.example/oauth/client.json',
  clientName: 'Reading Room',
  createdAt: ago(34 + number * 9),
  revokedAt: null,
  isConnected: true,
  keyPrefix: PREFIXES[4] ?? '',
  cap: cap(4, 1_000_000, 'month'),
  spent: spentBefore(undefined, PREFIXES[4]),
  ...rest,
});

const GRANTS: readonly GrantRecord[] = [
  grant(0, {}),
  grant(1, {
    clientId: 'b9d3e6c0a1',
    clientName: 'Desk assistant',
    cap: null,
    spent: spentBefore(undefined, PREFIXES[6]),
    keyPrefix: PREFIXES[6] ?? '',
  }),
  grant(2, {
    ...{ clientName: 'Old notebook', revokedAt: ago(12), isConnected: false },
    ...{ spent: 0, cap: null, keyPrefix: 'perch_live_u81BcE' },
  }),
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
    ...{ alertId: uuid(500), kind: 'balance_below', amount: 29_000_000, byMail: true, webhookUrl: null },
    ...{ createdAt: ago(40), crossedAt: ago(1), last: [notice({})] },
  },
  {
    ...{ alertId: uuid(501), kind: 'day_spend_above', amount: 500_000, byMail: true },
    ...{ webhookUrl: 'https://harbour.example/webhooks/perch', createdAt: ago(30), crossedAt: ago(1) },
    last: [
      notice({ deliveredAt: null, fault: 'The mail server did not accept it.' }),
      notice({ channel: 'webhook', deliveredAt: null, dueAt: ago(-0.1), status: 503 }),
    ],
  },
  {
    ...{ alertId: uuid(502), kind: 'day_spend_above', amount: 1_000_000, byMail: false },
    ...{ webhookUrl: 'https://harbour.example/hooks', createdAt: ago(1), crossedAt: null, last: [] },
  },
];

const sent = (nth: number, rest: Partial<DeliveryRecord>): DeliveryRecord => ({
  ...{ deliveryId: uuid(520 + nth), alertId: uuid(501), channel: 'webhook', subject: null },
  target: 'https://harbour.example/webhooks/perch',
  body: '{"type":"alert.day_spend_above","timestamp":"2026-11-21T14:03:20.000Z","data":{"limit":500,"spent":500.5}}',
  ...{ createdAt: ago(nth), triedAt: ago(nth), deliveredAt: ago(nth), dueAt: null, tries: 1 },
  ...{ status: 200, excerpt: 'ok', fault: null },
  ...rest,
});

export const DELIVERIES: readonly DeliveryRecord[] = [
  sent(0, { deliveredAt: null, dueAt: ago(-0.1), tries: 3, status: 503, excerpt: '<h1>Service unavailable</h1>' }),
  sent(1, {}),
  sent(2, {
    ...{ channel: 'mail', target: 'ada@harbour.example', subject: 'Perch: more than 500 credits spent today' },
    ...{ body: 'On 2026-11-19 (UTC) you have spent 500.5 credits so far.', status: null, excerpt: null },
  }),
  sent(3, { deliveredAt: null, tries: 10, status: null, excerpt: null, fault: 'No answer within 10 seconds.' }),
  sent(4, {
    body: '<script>alert(1)</script>',
    excerpt: `${'W'.repeat(400)}<script>`,
    target: `https://a.example/${'W'.repeat(300)}`,
  }),
];

const event = (days: number, what: AuditEvent['what'], rest: Partial<AuditEvent> = {}): AuditEvent => ({
  eventId: String(1e6 - days * 1e3),
  at: ago(days),
  what,
  who: 'customer',
  by: null,
  address: '203.0.113.7',
  detail: {},
  ...rest,
});

const LOG: readonly AuditEvent[] = [
  event(0.2, 'key.changed', {
    detail: { key_prefix: 'perch_live_Zr4Tn0', name: 'Dashboards', cap_thousandths: 500_000, cap_period: 'day' },
  }),
  event(3, 'session.started', { detail: { method: 'passkey' } }),
  event(5, 'key.rotated', {
    detail: { key_prefix: 'perch_live_Qw9LpE', new_key_prefix: 'perch_live_8fK2xQ', old_ends_at: ago(-2) },
  }),
  event(9, 'client.refreshed', { who: 'client', detail: { client: 'Reading Room', key_prefix: 'perch_live_x0VdU3' } }),
  event(34, 'client.allowed', {
    detail: { client: 'Reading Room', redirect_uri: 'http://127.0.0.1:33418/cb', cap: 1000, period: 'month' },
  }),
  event(60, 'passkey.added', { detail: { name: 'Laptop' } }),
  event(78, 'credits.bought', {
    who: 'payments',
    address: null,
    detail: { pack: 'builder', usd: 50, credits: 55_000, sale_id: uuid(301) },
  }),
  event(78.1, 'checkout.opened', { detail: { pack: 'builder', usd: 50, sale_id: uuid(301) } }),
  event(92, 'credits.granted', { who: 'operator', address: null, detail: { credits: 1000, reason: 'welcome' } }),
  event(92, 'account.created', { who: 'operator', address: null }),
];

/** Eight endpoints over 90 days, and everything else that an account can have. */
export const BUSY: Household = {
  account: account({ balance: BALANCE, paidUsd: 70, qps: 50, keys: KEYS }),
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
  account: account({ balance: 0, paidUsd: 70, qps: 50, keys: KEYS, frozen: true }),
  sales: SALES.map((one) => (one.pack === 'builder' ? { ...one, disputed: 'lost', reversed: BALANCE / 1000 } : one)),
  statement: [entry(7, 0, { kind: 'reversal', amount: -BALANCE, reason: 'dispute lost, pack builder' }), ...STATEMENT],
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

/** Hostile names and texts in every place where somebody else can choose them. */
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
  statement: NAMES.map((reason, index) => entry(index, index, { reason })),
  grants: NAMES.map((clientName, index) => grant(index, { clientName, clientId: clientName })),
  alerts: NAMES.map((name, index) => ({
    ...{ alertId: uuid(510 + index), kind: 'day_spend_above', amount: 9_007_199_254_740_991, byMail: true },
    ...{ webhookUrl: `https://a.example/${name}`, createdAt: ago(1), crossedAt: ago(1), last: [] },
  })),
  sessions: [SESSION, ...NAMES.map((userAgent, index) => ({ ...SESSION, sessionId: uuid(50 + index), userAgent }))],
  log: NAMES.map((name, index) => event(index, 'key.created', { detail: { name, other: name } })),
};
