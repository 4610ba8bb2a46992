/** Deliveries of alerts: what the list shows of each, and sending one again. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GuardedWebhooks } from '../../../adapters/client-documents/webhooks.js';
import { createMemoryRateLimiter } from '../../../adapters/memory/rate-limiter.js';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { createAlerts } from '../../../adapters/postgres/customers/alerts.js';
import { createDeliveries } from '../../../adapters/postgres/customers/deliveries.js';
import { writeDeliveries } from '../../../adapters/postgres/customers/new-deliveries.js';
import { Alerts } from '../../../src/account/alerts.js';
import { Deliveries } from '../../../src/account/deliveries.js';
import { processTime } from '../../../src/lib/monotonic.js';
import type { Message } from '../../../src/ports/mail.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';
import { manualClock } from '../../kit/time/manual-clock.js';
import { startWebhookHost, type WebhookHost } from './webhook-host.js';

const BY = { who: 'customer', address: '203.0.113.7' } as const;
let database: FreshDatabase;
let host: WebhookHost;
let clock = manualClock();

beforeAll(async () => {
  database = await freshDatabase();
  host = await startWebhookHost();
});
beforeEach(() => {
  clock = manualClock();
  host.received.length = 0;
});
afterAll(async () => {
  await host?.close();
  await database?.drop();
});

async function open() {
  const { sql } = database;
  const authUrl = () => 'https://perch.example';
  const common = { clock, time: processTime, secret: Buffer.alloc(32, 7), webhooks: host.webhooks, authUrl };
  const deliveries = new Deliveries({ ...common, store: createDeliveries(sql), mail: null, onFailure: () => {} });
  const limiter = createMemoryRateLimiter({ clock });
  const alerts = new Alerts({ ...common, store: createAlerts(sql), deliveries, limiter, mail: false });
  const account = async () => {
    const { accountId } = await createAccounts(sql).create({ name: 'Ada', email: null, paidUsd: 0, qpsOverride: null });
    return { accountId, email: null };
  };
  const ada = await account();
  const webhook = {
    kind: 'balance_below',
    amount: 5_000,
    byMail: false,
    webhookUrl: `${host.origin}/${ada.accountId}`,
  } as const;
  const { alertId } = await alerts.add(ada, webhook, BY);
  return { alerts, deliveries, ada, eve: await account(), alertId };
}

describe('a delivery', () => {
  it('is listed with its body, attempts, status and how the answer began', async () => {
    const { alerts, ada, eve, alertId } = await open();
    host.answer = (_request, response) => void response.writeHead(503).end(`Down for repairs. ${'x'.repeat(2_000)}`);
    await alerts.test(ada, alertId);
    const [delivery] = await alerts.deliveries(ada.accountId);
    expect(delivery).toMatchObject({
      ...{ alertId, channel: 'webhook', target: `${host.origin}/${ada.accountId}`, tries: 1, status: 503, fault: null },
      ...{ deliveredAt: null, dueAt: expect.any(String), triedAt: expect.any(String) },
    });
    expect(delivery?.body).toBe(host.received.find(({ url }) => url === `/${ada.accountId}`)?.body);
    expect(delivery?.excerpt).toMatch(/^Down for repairs\. x+$/);
    expect(delivery?.excerpt).toHaveLength(500);
    expect(await alerts.deliveries(eve.accountId)).toEqual([]);
  });

  it('is sent again at once, with the same id and body, whether it arrived or was given up', async () => {
    const { alerts, deliveries, ada, alertId } = await open();
    host.answer = (_request, response) => void response.writeHead(500).end();
    await alerts.test(ada, alertId);
    for (let half = 0; half < 60; half++) {
      clock.advance(30 * 60_000);
      await deliveries.run();
    }
    const [given] = await alerts.deliveries(ada.accountId);
    expect(given).toMatchObject({ tries: 10, dueAt: null, deliveredAt: null });
    host.answer = (_request, response) => void response.writeHead(200).end('thanks');
    for (let again = 1; again <= 2; again++) {
      await alerts.sendAgain(ada.accountId, given?.deliveryId ?? '');
      const [after] = await alerts.deliveries(ada.accountId);
      expect(after).toMatchObject({ tries: 10 + again, status: 200, excerpt: 'thanks', dueAt: null });
      expect(after?.deliveredAt).not.toBeNull();
    }
    // Deliveries that other tests left due are sent as well.
    const received = host.received.filter(({ url }) => url === `/${ada.accountId}`);
    expect(new Set(received.map(({ headers, body }) => `${headers['webhook-id']} ${body}`)).size).toBe(1);
    expect(received).toHaveLength(12);
  });

  it("refuses to send another account's delivery, and sends at most 20 an hour by hand", async () => {
    const { alerts, ada, eve, alertId } = await open();
    host.answer = (_request, response) => void response.writeHead(204).end();
    await alerts.test(ada, alertId);
    const [delivery] = await alerts.deliveries(ada.accountId);
    for (const id of [delivery?.deliveryId ?? '', 'nonsense']) {
      await expect(alerts.sendAgain(eve.accountId, id)).rejects.toMatchObject({ code: 'not_found' });
    }
    for (let again = 0; again < 19; again++) await alerts.sendAgain(ada.accountId, delivery?.deliveryId ?? '');
    await expect(alerts.sendAgain(ada.accountId, delivery?.deliveryId ?? '')).rejects.toMatchObject({
      code: 'rate_limited',
    });
  });
});

describe('mails', () => {
  /** Opens accounts with that many waiting mails each, written one account after the other. */
  async function waiting(fresh: FreshDatabase, counts: Readonly<Record<string, number>>) {
    const { sql } = fresh;
    for (const [name, count] of Object.entries(counts)) {
      const made = { name: 'Ada', email: null, paidUsd: 0, qpsOverride: null };
      const { accountId } = await createAccounts(sql).create(made);
      for (let mail = 0; mail < count; mail++) {
        const notice = { channel: 'mail', target: `${name}@example.org`, subject: 's', body: 'b' } as const;
        await writeDeliveries(sql, { accountId, alertId: null }, [{ ...notice, dueAt: clock.now() - 1_000 }]);
      }
    }
    const sent: string[] = [];
    const refused = new Set<string>();
    const send = async ({ to }: Message) => {
      sent.push(to[0] ?? '');
      if (refused.has(to)) throw new Error('no such mailbox');
    };
    const deliveries = new Deliveries({
      ...{ clock, time: processTime, secret: Buffer.alloc(32, 7), store: createDeliveries(sql), mail: { send } },
      ...{ webhooks: host.webhooks, authUrl: () => 'https://perch.example', onFailure: () => {} },
    });
    const run = async () => {
      sent.length = 0;
      await deliveries.run();
      return sent.join('');
    };
    return { run, refused };
  }

  it('are sent to each account in turn, however many one of them has', async () => {
    const fresh = await freshDatabase();
    const { run } = await waiting(fresh, { a: 6, b: 1, c: 2 });
    const sent = await run();
    expect([...sent].sort().join('')).toBe('aaaaaabcc');
    for (const account of ['b', 'c']) expect(sent.indexOf(account)).toBeLessThan(3);
    expect(await run()).toBe('');
    await fresh.drop();
  });

  it('that failed are sent after all that were never tried', async () => {
    const fresh = await freshDatabase();
    const { run, refused } = await waiting(fresh, { a: 2, b: 3 });
    refused.add('a@example.org');
    expect([...(await run())].sort().join('')).toBe('aabbb');
    clock.advance(60_000);
    await waiting(fresh, { c: 1, d: 1, e: 1, f: 1 });
    const sent = await run();
    expect([[...sent.slice(0, 4)].sort().join(''), sent.slice(4)]).toEqual(['cdef', 'aa']);
    await fresh.drop();
  });
});

describe('without a mail server', () => {
  it('says so where email could be chosen', async () => {
    const { alerts, ada } = await open();
    const nothing = { kind: 'balance_below', amount: 5_000, byMail: false, webhookUrl: null } as const;
    await expect(alerts.add({ ...ada, email: 'a@example.org' }, nothing, BY)).rejects.toMatchObject({
      ...{ message: 'Enter the URL of a webhook: this server sends no email.', detail: { param: 'webhook_url' } },
    });
  });
});

describe('a webhook of this machine', () => {
  it('is accepted and sent only on a demo that only this machine can reach', async () => {
    const received: string[] = [];
    const server = createServer((request, response) => {
      request.on('data', (part: Buffer) => received.push(part.toString()));
      request.on('end', () => response.end('here'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const [demo, service] = [
      new GuardedWebhooks({ userAgent: 'Perch-Test/1', loopback: true }),
      new GuardedWebhooks({ userAgent: 'Perch-Test/1' }),
    ];
    try {
      for (const name of ['127.0.0.1', 'localhost']) {
        const url = `http://${name}:${port}/hook`;
        await demo.check(url, 'account');
        expect(await demo.send(url, {}, '{"a":1}')).toEqual({ status: 200, excerpt: 'here', fault: null });
        await expect(service.check(url, 'account')).rejects.toMatchObject({ code: 'bad_request' });
        expect(await service.send(url, {}, '{}')).toMatchObject({ status: null });
      }
      await expect(demo.check('http://10.0.0.1/', 'account')).rejects.toMatchObject({ code: 'bad_request' });
      await expect(demo.check('http://localhost.example/', 'account')).rejects.toMatchObject({
        code: 'bad_request',
        message: expect.stringContaining('http://localhost'),
      });
      expect(received).toEqual(['{"a":1}', '{"a":1}']);
    } finally {
      await Promise.all([demo.close(), service.close()]);
      server.close();
      server.closeAllConnections();
    }
  });
});
