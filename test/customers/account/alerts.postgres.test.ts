/** Alerts that customers set: each crossing raises one, it is delivered eventually, and their number is bounded. */
import { v7 } from 'uuid';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryRateLimiter } from '../../../adapters/memory/rate-limiter.js';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { createAuditLog } from '../../../adapters/postgres/accounts/audit.js';
import { createAlerts, createNotices } from '../../../adapters/postgres/customers/alerts.js';
import { createDeliveries } from '../../../adapters/postgres/customers/deliveries.js';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import { QueryLimiter } from '../../../adapters/postgres/ledger/query-limiter.js';
import { Alerts } from '../../../src/account/alerts.js';
import { Deliveries } from '../../../src/account/deliveries.js';
import { SpendingWatch } from '../../../src/account/spending-watch.js';
import { processTime } from '../../../src/lib/monotonic.js';
import type { AlertSettings } from '../../../src/ports/alerts.js';
import type { Message } from '../../../src/ports/mail.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';
import { untilDayHasAMinute } from '../../kit/time/day.js';
import { manualClock } from '../../kit/time/manual-clock.js';
import { startWebhookHost, type WebhookHost } from './webhook-host.js';

const BY = { who: 'customer', address: '203.0.113.7' } as const;
const SECRET = Buffer.alloc(32, 7);
const DAY_MS = 86_400_000;

let database: FreshDatabase;
let host: WebhookHost;
let clock = manualClock();
const sent: Message[] = [];
const failures: unknown[] = [];
const nodes: SpendingWatch[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  host = await startWebhookHost();
});
beforeEach(async () => {
  await untilDayHasAMinute();
  // A new clock, because debits have the day of the database.
  clock = manualClock();
  sent.length = 0;
  host.received.length = 0;
  host.answer = (_request, response) => void response.writeHead(204).end();
}, 120_000);
afterEach(() => {
  expect(failures).toEqual([]);
});
afterAll(async () => {
  await Promise.all(nodes.map((each) => each.close()));
  await host?.close();
  await database?.drop();
});

const common = () => ({
  ...{ clock, time: processTime, secret: SECRET, webhooks: host.webhooks, authUrl: () => 'https://perch.example' },
  onFailure: (error: unknown) => void failures.push(error),
});

/** One process of the service. */
function node() {
  const { sql } = database;
  const mail = { send: async (message: Message) => void sent.push(message) };
  const deliveries = new Deliveries({ ...common(), store: createDeliveries(sql), mail });
  const store = createAlerts(sql);
  const watch = new SpendingWatch({
    ...common(),
    ...{ notices: createNotices(sql), alerts: store, deliveries, mail: true, everyMs: 3_600_000 },
  });
  nodes.push(watch);
  const alerts = new Alerts({
    ...common(),
    store,
    deliveries,
    limiter: createMemoryRateLimiter({ clock }),
    mail: true,
  });
  return { watch, alerts };
}

let accounts = 0;
async function customer(credits: number, email: string | null = `b${++accounts}@example.org`) {
  const { sql } = database;
  const { accountId, walletId } = await createAccounts(sql).create({
    name: 'Ada',
    email,
    paidUsd: 0,
    qpsOverride: null,
  });
  const ledger = createLedger(sql);
  const prefix = `perch_live_${accountId.slice(0, 6)}`;
  const hash = Buffer.from(accountId.replaceAll('-', '').repeat(2), 'hex');
  const { keyId } = await createAccounts(sql).addKey({ accountId, hash, prefix, name: 'Reader', cap: null });
  const topUp = (amount: number) => ledger.grant({ requestId: v7(), accountId, amount: amount * 1000, reason: 'test' });
  if (credits > 0) await topUp(credits);
  return {
    ...{ accountId, email, topUp },
    async spend(amount: number) {
      const line = { path: 'tweet', unit: 'tweet', cache: 'miss', items: amount, unitPrice: 1000 } as const;
      const debit = { operation: 'tweet', amount: amount * 1000, items: amount, cacheHits: 0, lines: [line] };
      await ledger.post({ requestId: v7(), accountId, walletId, keyId, uncapped: null, ...debit });
    },
  };
}

const settings = (rest: Partial<AlertSettings> = {}): AlertSettings => ({
  ...{ kind: 'balance_below', amount: 500_000, byMail: true, webhookUrl: null },
  ...rest,
});
/** The subjects of the mailed alerts. */
const mailedSubjects = () =>
  sent
    .splice(0)
    .map(({ subject }) => subject)
    .filter((subject) => /below|spent/.test(subject));
const events = () => host.received.splice(0).map(({ body }) => JSON.parse(body));

describe('an alert', () => {
  it('of a balance is sent once for each fall after a top-up', async () => {
    const [{ watch, alerts }, ada] = [node(), await customer(1000)];
    await alerts.add(ada, settings(), BY);
    const spend = async (credits: number) => {
      await ada.spend(credits);
      watch.spent(ada.accountId);
      await watch.run();
      return mailedSubjects();
    };
    expect(await spend(500)).toEqual([]);
    expect(await spend(1)).toEqual(['Perch: the balance is below 500 credits']);
    expect(await spend(1)).toEqual([]);
    // The balance is still below the limit.
    await ada.topUp(1);
    expect(await spend(1)).toEqual([]);
    await ada.topUp(100);
    expect(await spend(1)).toEqual([]);
    expect(await spend(200)).toEqual(['Perch: the balance is below 500 credits']);
  });

  it("of a day's spending is sent once on that day with the amount, and again on another day", async () => {
    const [{ watch, alerts }, ada] = [node(), await customer(1000)];
    await alerts.add(ada, settings({ kind: 'day_spend_above', amount: 100_000, webhookUrl: `${host.origin}/day` }), BY);
    const look = async () => {
      watch.spent(ada.accountId);
      await watch.run();
      return events();
    };
    await ada.spend(100);
    expect(await look()).toEqual([]);
    await ada.spend(20);
    const day = new Date(clock.now()).toISOString().slice(0, 10);
    expect(await look()).toMatchObject([
      {
        type: 'alert.day_spend_above',
        data: { account_id: ada.accountId, limit: 100, spent: 120, balance: 880, day },
      },
    ]);
    expect(mailedSubjects()).toEqual(['Perch: more than 100 credits spent today']);
    await ada.spend(20);
    expect(await look()).toEqual([]);
    // Debits that are already summed up count as well.
    await createLedger(database.sql).runMaintenance();
    await database.sql`update alerts set crossing = '2026-01-01' where account_id = ${ada.accountId}`;
    expect(await look()).toMatchObject([{ data: { spent: 140 } }]);
  });

  it("of a day's spending is sent after midnight if the day's last charges crossed it, but not after the next day's", async () => {
    const [{ watch, alerts }, ada] = [node(), await customer(1000)];
    await alerts.add(ada, settings({ kind: 'day_spend_above', amount: 100_000, webhookUrl: `${host.origin}/day` }), BY);
    const today = clock.now();
    const [day, nextDay] = [today, today + DAY_MS].map((ms) => new Date(ms).toISOString().slice(0, 10));
    const lookAfter = async () => {
      clock.advance(Date.parse(`${nextDay}T00:00:10Z`) - today);
      await watch.run();
      return events();
    };
    await ada.spend(120);
    watch.spent(ada.accountId);
    expect(await lookAfter()).toMatchObject([{ type: 'alert.day_spend_above', data: { limit: 100, spent: 120, day } }]);
    expect(mailedSubjects()).toEqual([`Perch: more than 100 credits spent on ${day}`]);
    // The charge was recorded before midnight, and its answer was sent after it.
    await database.sql`update alerts set crossing = null where account_id = ${ada.accountId}`;
    watch.spent(ada.accountId);
    await watch.run();
    expect(events()).toMatchObject([{ data: { day } }]);
    await database.sql`update alerts set crossing = ${nextDay ?? ''} where account_id = ${ada.accountId}`;
    watch.spent(ada.accountId);
    await watch.run();
    expect(events()).toEqual([]);
  });

  it('of the spending of a day is not raised for the day before it was set', async () => {
    const [{ watch, alerts }, ada] = [node(), await customer(1000)];
    await ada.spend(120);
    watch.spent(ada.accountId);
    clock.advance(DAY_MS - (clock.now() % DAY_MS) + 1000);
    await alerts.add(ada, settings({ kind: 'day_spend_above', amount: 100_000, webhookUrl: `${host.origin}/day` }), BY);
    await watch.run();
    expect(events()).toEqual([]);
  });

  it('does not fire again until the balance recovers and drops again', async () => {
    const [{ watch, alerts }, ada] = [node(), await customer(1000)];
    await ada.spend(600);
    await alerts.add(ada, settings(), BY);
    await ada.spend(1);
    watch.spent(ada.accountId);
    await watch.run();
    expect(mailedSubjects()).toEqual([]);
  });

  it('is sent once if ten processes see the crossing at once', async () => {
    const ada = await customer(1000);
    const ten = Array.from({ length: 10 }, node);
    await ten[0]?.alerts.add(ada, settings({ webhookUrl: `${host.origin}/ten` }), BY);
    await ada.spend(600);
    for (const { watch } of ten) watch.spent(ada.accountId);
    await Promise.all(ten.map(({ watch }) => watch.run()));
    expect(events()).toHaveLength(1);
    expect(mailedSubjects()).toHaveLength(1);
  });
});

describe('a webhook that is not received', () => {
  it('is sent again with the same id for a day, then given up, and the alert shows the result', async () => {
    const [{ watch, alerts }, ada] = [node(), await customer(1000)];
    const { alertId } = await alerts.add(ada, settings({ byMail: false, webhookUrl: `${host.origin}/down` }), BY);
    host.answer = (_request, response) => void response.writeHead(503).end();
    await ada.spend(600);
    watch.spent(ada.accountId);
    await watch.run();
    const last = async () => (await alerts.list(ada.accountId)).find((one) => one.alertId === alertId)?.last;
    expect(await last()).toMatchObject([{ channel: 'webhook', status: 503, deliveredAt: null }]);
    await watch.run();
    expect(host.received).toHaveLength(1);
    for (let half = 0; half < 60; half++) {
      clock.advance(30 * 60_000);
      await watch.run();
    }
    expect(host.received).toHaveLength(10);
    expect(new Set(host.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await last()).toMatchObject([{ status: 503, deliveredAt: null, dueAt: null }]);
  });

  it('arrives once the server is back', async () => {
    const [{ watch, alerts }, ada] = [node(), await customer(1000)];
    await alerts.add(ada, settings({ byMail: false, webhookUrl: `${host.origin}/back` }), BY);
    host.answer = (request) => void request.socket.destroy();
    await ada.spend(600);
    watch.spent(ada.accountId);
    await watch.run();
    expect((await alerts.list(ada.accountId))[0]?.last).toMatchObject([{ fault: 'The address could not be reached.' }]);
    host.answer = (_request, response) => void response.writeHead(200).end('ok');
    clock.advance(30_000);
    await watch.run();
    expect((await alerts.list(ada.accountId))[0]?.last).toMatchObject([{ status: 200, fault: null, dueAt: null }]);
  });
});

describe('setting alerts', () => {
  it.each([
    [{ byMail: false }, 'channel'],
    [{ webhookUrl: 'https://elsewhere.test/' }, 'webhook_url'],
    [{ webhookUrl: 'http://hooks.test/' }, 'webhook_url'],
  ])('refuses %o with an error at %s', async (rest, param) => {
    const [{ alerts }, ada] = [node(), await customer(0)];
    await expect(alerts.add(ada, settings(rest), BY)).rejects.toMatchObject({ code: 'bad_request', detail: { param } });
    expect(await alerts.list(ada.accountId)).toEqual([]);
  });

  it('refuses mail for an account without a mail address', async () => {
    const [{ alerts }, ada] = [node(), await customer(0, null)];
    await expect(alerts.add(ada, settings(), BY)).rejects.toMatchObject({ detail: { param: 'channel' } });
  });

  it('allows ten at most, however many are set at once', async () => {
    const [{ alerts }, ada] = [node(), await customer(0)];
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => alerts.add(ada, settings(), BY)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(await alerts.list(ada.accountId)).toHaveLength(10);
  });

  it('checks addresses up to thirty times an hour, and none for an account with ten alerts', async () => {
    const [{ alerts }, ada, eve] = [node(), await customer(0), await customer(0)];
    const wrong = settings({ webhookUrl: 'https://elsewhere.test/' });
    for (let nth = 0; nth < 10; nth++) await alerts.add(eve, settings(), BY);
    await expect(alerts.add(eve, wrong, BY)).rejects.toMatchObject({ detail: { param: 'kind' } });
    for (let nth = 0; nth < 30; nth++) {
      await expect(alerts.add(ada, wrong, BY)).rejects.toMatchObject({ code: 'bad_request' });
    }
    const refused = { code: 'rate_limited', detail: { param: 'webhook_url' } };
    await expect(alerts.add(ada, wrong, BY)).rejects.toMatchObject(refused);
  });

  it('sends test alerts up to twenty times an hour, and only to their owner', async () => {
    const [{ alerts }, ada, eve] = [node(), await customer(0), await customer(0)];
    const { alertId } = await alerts.add(ada, settings({ webhookUrl: `${host.origin}/test` }), BY);
    await alerts.test(ada, alertId);
    expect(events()).toMatchObject([{ type: 'alert.test', data: { alert_id: alertId } }]);
    expect(sent.map(({ to, subject }) => [to, subject])).toEqual([[ada.email, 'Perch: test of an alert']]);
    await expect(alerts.test(eve, alertId)).rejects.toMatchObject({ code: 'not_found' });
    await alerts.remove(eve.accountId, alertId, BY);
    for (let again = 0; again < 19; again++) await alerts.test(ada, alertId);
    await expect(alerts.test(ada, alertId)).rejects.toMatchObject({ code: 'rate_limited' });
    await alerts.remove(ada.accountId, alertId, BY);
    expect(await alerts.list(ada.accountId)).toEqual([]);
    const log = await createAuditLog(new QueryLimiter(database.sql)).list(ada.accountId, 10);
    expect(log.map(({ what }) => what)).toEqual(expect.arrayContaining(['alert.added', 'alert.removed']));
  });

  it('deletes notices after 30 days', async () => {
    const [{ watch, alerts }, ada] = [node(), await customer(0)];
    const { alertId } = await alerts.add(ada, settings(), BY);
    await alerts.test(ada, alertId);
    const kept = async () => (await database.sql`select from deliveries where account_id = ${ada.accountId}`).count;
    expect(await kept()).toBe(1);
    clock.advance(31 * 86_400_000);
    await watch.run();
    expect(await kept()).toBe(0);
  });
});
