import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../../adapters/cli/workers/free-port.js';
import { measureWatches } from '../../../adapters/metrics/watches.js';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import { connect } from '../../../adapters/postgres/sql.js';
import { readOperations } from '../../../schema/operations.js';
import { watched as watchOf } from '../../customers/account/watched.js';
import { debitOf, openPayer } from '../../engine/ports/suites/ledger.suite.js';
import { createClient } from '../../kit/client.js';
import { until } from '../../kit/time/until.js';
import { type Family, readExposition } from './exposition.js';
import { startWatched, type Watched } from './service.js';

let watched: Watched;
let address: string;
beforeAll(async () => {
  const port = await freePort('127.0.0.1');
  watched = await startWatched({ env: { PERCH_METRICS_PORT: String(port) } });
  address = `http://127.0.0.1:${port}`;
});
afterAll(() => watched?.perch.close());

const scrape = async (): Promise<Map<string, Family>> =>
  readExposition(await (await fetch(`${address}/metrics`)).text());

/** The sum of all samples with this name and these labels. */
async function value(name: string, labels: Record<string, string> = {}): Promise<number> {
  const family = (await scrape()).get(name.replace(/_(?:count|sum)$/, '')) ?? (await scrape()).get(name);
  if (family === undefined) throw new Error(`There is no ${name}`);
  const own = family.samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, expected]) => sample.labels[label] === expected),
  );
  return own.reduce((sum, sample) => sum + sample.value, 0);
}

/** Runs a step, and waits until it has added this much to the metric. */
async function adds(step: () => Promise<unknown>, name: string, labels: Record<string, string>, expected: number) {
  const before = await value(name, labels);
  await step();
  await until(`${name} has grown`, async () => (await value(name, labels)) >= before + expected - 1e-9);
  expect((await value(name, labels)) - before).toBeCloseTo(expected);
}

describe('the metrics', () => {
  it('are served at /metrics of their own port, and nowhere else', async () => {
    const reply = await fetch(`${address}/metrics`);
    expect(reply.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect((await fetch(`${address}/`)).status).toBe(404);
    expect((await fetch(`${address}/v1/me`)).status).toBe(404);
    expect((await fetch(`${address}/metrics`, { method: 'POST' })).status).toBe(405);
    expect((await watched.client.get('/metrics')).status).toBe(404);
  });

  it('follow the naming rules of Prometheus: counters end in _total, times are in seconds, all have help', async () => {
    await watched.client.get('/v1/users/user1');
    for (const [name, { type, help }] of await scrape()) {
      expect(help, name).toMatch(/\S/);
      expect(name.endsWith('_total'), name).toBe(type === 'counter');
      if (!name.startsWith('perch_')) continue;
      expect(name).toMatch(/^perch_[a-z]+(_[a-z]+)*$/);
      expect(name).not.toMatch(/_(?:ms|millis|milliseconds|mb|kb|percent)(?:_|$)/);
      if (/duration|wait/.test(name)) expect(name).toMatch(/_seconds(?:_total)?$/);
    }
  });

  it('count a read: request, duration, credits, items, upstream call, ledger commit', async () => {
    const read = () => watched.client.get('/v1/users/user2?fresh=true');
    const labels = { interface: 'rest', operation: 'user', status: '200', code: '' };
    await adds(read, 'perch_http_requests_total', labels, 1);
    await adds(read, 'perch_http_request_duration_seconds_count', { interface: 'rest', operation: 'user' }, 1);
    await adds(read, 'perch_credits_charged_total', { cache: 'bypass' }, 2);
    await adds(read, 'perch_items_delivered_total', { cache: 'bypass' }, 1);
    await adds(read, 'perch_upstream_calls_total', { family: 'fast' }, 1);
    await adds(read, 'perch_lookups_total', { family: 'fast', source: 'network' }, 1);
    await adds(read, 'perch_reads_calls_total', { operation: 'user' }, 1);
    await adds(read, 'perch_reads_credits_total', { operation: 'user' }, 2);
    await adds(read, 'perch_ledger_commit_debits_sum', {}, 1);
    await adds(read, 'perch_ledger_commit_duration_seconds_count', { result: 'ok' }, 1);
  });

  it('count failures by code, and those of the network by family', async () => {
    const read = () => {
      watched.net.fail(new Error('broken'));
      return watched.client.get('/v1/users/user3?fresh=true').finally(() => watched.net.heal());
    };
    await adds(read, 'perch_http_requests_total', { status: '503', code: 'upstream_error' }, 1);
    const before = await value('perch_upstream_failures_total', { family: 'fast' });
    await read();
    expect(await value('perch_upstream_failures_total', { family: 'fast' })).toBeGreaterThan(before);
  });

  it('count objects of the network that cannot be read (T20)', async () => {
    const { network } = watched.net;
    const { users } = network;
    const odd = vi.spyOn(network, 'users').mockImplementation((refs, context) => {
      context.onUnreadable?.(2, '/users: handle');
      return users(refs, context);
    });
    const read = () => watched.client.get('/v1/users/user4?fresh=true').finally(() => odd.mockRestore());
    await adds(read, 'perch_upstream_unreadable_total', { family: 'fast' }, 2);
  });

  it('count webhooks by subject and outcome', async () => {
    const address = 'https://127.0.0.1/';
    const deliver = async () => (await watchOf(watched.perch.database.sql, watched.account, address)).write(Date.now());
    await adds(deliver, 'perch_webhook_duration_seconds_count', { of: 'watch', outcome: 'failed' }, 1);
  });

  it('report watches, and deliveries that are still pending', async () => {
    const { sql } = watched.perch.database;
    const watch = await watchOf(sql, watched.account, 'https://127.0.0.1/');
    const active = { state: 'active', reason: '' };
    const waiting = { state: 'waiting', reason: 'credits' };
    const figures = async () => ({
      deliveries: await value('perch_watch_deliveries_pending'),
      active: await value('perch_watches', active),
      waiting: await value('perch_watches', waiting),
    });
    // The figures are cached for a second.
    const later = () => sleep(1_100);
    await later();
    const before = await figures();
    expect(await value('perch_webhooks_overdue_seconds')).toBeLessThan(60);
    await sql`update watches set state = 'waiting', reason = 'credits', due_at = now() + interval '1 day' where watch_id = ${watch.watchId}`;
    // Due later, so that they are not sent while other tests count sent ones.
    const inAnHour = Date.now() + 3_600_000;
    await watch.write(inAnHour);
    await watch.write(inAnHour);
    await later();
    expect(await figures()).toEqual({
      deliveries: before.deliveries + 2,
      active: before.active - 1,
      waiting: before.waiting + 1,
    });
  });

  it('count failed commits while Postgres is away, from a first zero, and none of their debits', async () => {
    const of = { result: 'failed' };
    expect(await value('perch_ledger_commit_duration_seconds_count', of)).toBe(0);
    const before = await value('perch_ledger_commit_debits_sum');
    const payer = await openPayer(createAccounts(watched.perch.database.sql));
    const nowhere = connect({ host: '/nonexistent', port: 5432, database: 'perch', username: 'perch' });
    const charge = () => expect(createLedger(nowhere).post(debitOf(payer, 1))).rejects.toThrow();
    await adds(charge, 'perch_ledger_commit_duration_seconds_count', of, 1);
    await nowhere.end();
    expect(await value('perch_ledger_commit_debits_sum')).toBe(before);
  });

  it('leave out the watches while Postgres hangs, without waiting or asking again', async () => {
    const registry = new Registry();
    let asked = 0;
    measureWatches([registry], () => {
      asked += 1;
      return new Promise(() => {});
    });
    expect(await registry.metrics()).not.toMatch(/^perch_w/m);
    await sleep(1_100);
    expect(await registry.metrics()).not.toMatch(/^perch_w/m);
    expect(asked).toBe(1);
  });

  it('count callers above their rate limit', async () => {
    const { key } = await watched.perch.account({ qps: 1 });
    const slow = createClient(watched.perch.url, key);
    const both = async () => void (await Promise.all([slow.get('/v1/me'), slow.get('/v1/me')]));
    await adds(both, 'perch_http_rate_limited_total', { policy: 'account' }, 1);
  });

  it('report sessions, the queue and the process', async () => {
    expect(await value('perch_sessions', { state: 'ok' })).toBe(1);
    expect(await value('perch_upstream_queue_length')).toBe(0);
    await watched.client.get('/v1/users/user1?fresh=true');
    const users = { family: 'fast', kind: 'users' };
    expect(await value('perch_upstream_in_flight', users)).toBe(0);
    expect(await value('perch_upstream_in_flight_limit', users)).toBe(16);
    expect(await value('perch_http_requests_in_flight')).toBe(0);
    expect(await value('perch_build_info')).toBe(1);
    expect(await value('process_resident_memory_bytes')).toBeGreaterThan(1e7);
  });

  it('get no new time series from callers', async () => {
    const names = async () =>
      new Set([...(await scrape()).values()].flatMap(({ samples }) => samples.map(({ labels }) => labels.operation)));
    const send = async (n: number) => {
      await watched.client.post('/graphql', { query: `query Mine${n} { me { balance } }` });
      await watched.client.get(`/v1/nothing/${n}`);
      await watched.client.get(`/nothing/${n}`);
      await watched.client.send('GET', `/v1/users/user${n}?a${n}=1`);
    };
    for (let n = 0; n < 5; n += 1) await send(n);
    await until('ad hoc ones are counted', async () => (await names()).has('ad hoc'));
    const known = new Set([...Object.keys(readOperations()), 'ad hoc', 'none', undefined]);
    expect([...(await names())].filter((name) => !known.has(name))).toEqual([]);
    const text = await (await fetch(`${address}/metrics`)).text();
    expect(text).not.toContain(watched.account.accountId);
    expect(text).not.toMatch(/Mine\d|nothing/);
  });
});

it('fail the start with the name of a port that is taken', async () => {
  const taken = address.replace(/.*:/, '');
  await expect(startWatched({ env: { PERCH_METRICS_PORT: taken } })).rejects.toThrow(`PERCH_METRICS_PORT ${taken}`);
});
