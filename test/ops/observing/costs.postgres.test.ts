import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import { createCosts } from '../../../adapters/postgres/figures/costs.js';
import { HOUR_MS } from '../../../src/lib/durations.js';
import type { StartPoll } from '../../../src/lib/poll.js';
import type { Network } from '../../../src/ports/network.js';
import { createClient } from '../../kit/client.js';
import { openStream } from '../../kit/events.js';
import { createScriptedNetwork, range } from '../../kit/networks/scripted-network.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';

let perch: TestPerch | undefined;
afterEach(() => perch?.close());

/** A network that bills each profile and tweet that a call returns, as X does. */
const billing = (network: Network): Network => ({
  ...network,
  billing: { per: 'item', usd: { tweet: 0.005, user: 0.01 } },
  async users(refs, context) {
    const found = await network.users(refs, context);
    const items = found.filter((each) => 'ok' in each).length;
    if (items > 0) context.onBilled?.({ kind: 'user', items });
    return found;
  },
  async page(list, token, context) {
    const page = await network.page(list, token, context);
    if (page.users?.length) context.onBilled?.({ kind: 'user', items: page.users.length });
    if (page.tweets?.length) context.onBilled?.({ kind: 'tweet', items: page.tweets.length });
    return page;
  },
});

async function start() {
  const net = createScriptedNetwork();
  net.users(range(40));
  net.tweets(range(5), { authorId: '1' });
  net.list('timeline', '1', range(5).reverse().map(String));
  net.list('followers', '1', range(30, 2).map(String), { pageSize: 30 });
  const polls = new Map<number, (() => Promise<void>)[]>();
  const startPoll: StartPoll = (run, everyMs) => {
    polls.set(everyMs, [...(polls.get(everyMs) ?? []), run]);
    return { close: async () => {} };
  };
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
  perch = await startPerch({ network: billing(net.network), startPoll, log });
  const run = async (everyMs: number) => {
    for (const poll of polls.get(everyMs) ?? []) await poll();
  };
  const account = await perch.account();
  const costs = createCosts(perch.database.sql);
  return { perch, account, client: createClient(perch.url, account.key), run, lines, costs };
}

it('adds the cost of a read, including look-ups, to its operation and never to the receipt', async () => {
  const { client, run, costs, lines } = await start();
  const reply = await client.get('/v1/users/user1/followers?count=30');
  expect(reply.status).toBe(200);
  expect(JSON.stringify([reply.body, [...reply.headers]])).not.toMatch(/usd|cost_|billed/i);
  await client.get('/v1/users/user1/followers?count=30');
  expect(await costs.read('2000-01-01')).toEqual([]);
  await run(60_000);
  const [row] = await costs.read('2000-01-01');
  expect(row).toMatchObject({ network: 'scripted', operation: 'followers', answers: 2, items: 60, cacheHits: 30 });
  // A profile to resolve the handle, and a page of 30.
  expect(row).toMatchObject({ charged: 3000 + 1500, calls: 2, tweets: 0, users: 31, cost: 310_000 });
  await run(HOUR_MS);
  await run(HOUR_MS);
  const warnings = lines.filter((line) => line.includes('does not earn what it costs'));
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('followers does not earn');
});

it('divides the cost of a shared batch among its calls', async () => {
  const { perch: service, client, run, costs } = await start();
  await Promise.all([
    client.get('/v1/users/user2'),
    client.get('/v1/users/user3'),
    fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': (await service.account()).key },
      body: JSON.stringify({ query: 'query user { user(handle: "user4") { id } }' }),
    }),
  ]);
  await run(60_000);
  const rows = await costs.read('2000-01-01');
  expect(rows.map(({ operation, users, cost }) => [operation, users, cost])).toEqual([
    ['graphql', 1, 10_000],
    ['user', 2, 20_000],
  ]);
});

it('adds the cost of streams and subscriptions to what the operator sees for watching', async () => {
  const { perch: service, account, run, costs } = await start();
  const query = encodeURIComponent('subscription Mine { timeline(user: "user1") { nodes { id } } }');
  const own = await openStream(`${service.url}/graphql?query=${query}`, account.key, { accept: 'text/event-stream' });
  await own.next('next');
  own.leave();
  const stream = await openStream(`${service.url}/v1/live?user=user1`, account.key);
  await stream.next('position');
  stream.leave();
  await run(60_000);
  const rows = await costs.read('2000-01-01');
  expect(rows.map(({ operation, answers, items }) => [operation, answers, items]).sort()).toEqual([
    ['live-graphql', 1, 0],
    ['live-user-tweets', 1, 0],
  ]);
  expect(rows.find(({ operation }) => operation === 'live-graphql')).toMatchObject({ calls: 2, users: 1, tweets: 5 });
});
