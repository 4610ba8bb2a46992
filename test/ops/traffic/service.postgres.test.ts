/** The sums of requests to a whole service, over every interface. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createTraffic } from '../../../adapters/postgres/figures/traffic.js';
import type { StatusTraffic, TrafficFigures } from '../../../src/ports/figures.js';
import { fillPeople } from '../../cluster/nodes/network.js';
import { fillInvented } from '../../kit/demo.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';
import { manualClock } from '../../kit/time/manual-clock.js';

let perch: TestPerch;
let figures: TrafficFigures;
let accountId: string;
const polls: (() => Promise<void>)[] = [];

beforeAll(async () => {
  perch = await startPerch({
    // Standing still, so that no limit is refilled.
    clock: manualClock(),
    prepare: async (database) => {
      await fillPeople(database);
      await fillInvented(database);
    },
    startPoll(task) {
      polls.push(task);
      return { close: async () => {} };
    },
  });
  const account = await perch.account({ credits: 100 });
  const slow = await perch.account({ credits: 100, qps: 1 });
  const poor = await perch.account({ credits: 0 });
  const test = await perch.testKey(account);
  accountId = slow.accountId;
  const get = async (path: string, key?: string) =>
    (await fetch(perch.url + path, { headers: key === undefined ? {} : { 'x-api-key': key } })).text();
  const post = async (path: string, body: unknown, key: string) =>
    (
      await fetch(perch.url + path, {
        method: 'POST',
        headers: {
          'x-api-key': key,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify(body),
      })
    ).text();
  for (let n = 0; n < 2; n += 1) await get('/v1/users/person_1', account.key);
  await get('/v1/users/nobody_at_all', account.key);
  await get('/v1/users/person_1', poor.key);
  await get('/v1/users/person_1');
  for (let n = 0; n < 3; n += 1) await get('/v1/users/person_1', slow.key);
  await get('/v1/users/person_1', test.key);
  await get('/terms-of-nothing');
  await post('/graphql', { query: 'query Mine { user(handle: "person_1") { name } }' }, account.key);
  const call = { name: 'user', arguments: { handle: 'person_1' } };
  await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }, account.key);
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
  // A request is recorded a moment after its answer has arrived.
  const countAll = async () => {
    for (const poll of polls) await poll();
    figures = await createTraffic(perch.database.sql).read(`${hourAgo.slice(0, 13)}:00:00Z`, { limits: 10 });
    expect(counted({})).toBe(12);
  };
  await vi.waitFor(countAll, { timeout: 10_000 });
});
afterAll(() => perch?.close());

const counted = (of: Partial<StatusTraffic>): number =>
  figures.statuses
    .filter((row) => Object.entries(of).every(([name, value]) => row[name as keyof StatusTraffic] === value))
    .reduce((sum, { requests }) => sum + requests, 0);

it('counts requests once, by interface, status and code', () => {
  expect(counted({ interface: 'rest', status: 200 })).toBe(3);
  expect(counted({ interface: 'rest', code: 'not_found' })).toBe(1);
  expect(counted({ interface: 'rest', status: 402, code: 'no_credits' })).toBe(1);
  expect(counted({ interface: 'rest', status: 401, code: 'missing_key' })).toBe(1);
  expect(counted({ interface: 'rest', status: 429, code: 'rate_limited' })).toBe(2);
  expect(counted({ interface: 'rest' })).toBe(8);
  expect(counted({ interface: 'graphql', status: 200 })).toBe(1);
  expect(counted({ interface: 'site', status: 404 })).toBe(1);
  expect(counted({ interface: 'mcp' })).toBe(1);
});

it('counts calls with a test key separately', () => {
  expect(counted({ interface: 'test' })).toBe(1);
});

it('sums up items and the cached share by operation, but not by names that callers choose', () => {
  const operation = (of: string, name: string) =>
    figures.operations.find((row) => row.interface === of && row.operation === name);
  expect(operation('rest', 'user')).toMatchObject({ items: 3, cacheHits: 2 });
  expect(operation('graphql', 'graphql')).toMatchObject({ requests: 1, refused: 0 });
  expect(figures.operations.map((row) => row.operation)).not.toContain('Mine');
});

it('records the account that reached a limit, with the limit', () => {
  expect(figures.limits).toContainEqual(expect.objectContaining({ accountId, limit: 'rate_limited', refusals: 2 }));
  expect(figures.limits.map(({ limit }) => limit)).toContain('no_credits');
});
