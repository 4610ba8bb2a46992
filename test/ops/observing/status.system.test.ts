import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import type { Network } from '../../../src/ports/network.js';
import { upstreamFault } from '../../kit/networks/faults.js';
import { createScriptedNetwork } from '../../kit/networks/scripted-network.js';
import { describeOnRedis } from '../../kit/redis/redis.js';
import { until } from '../../kit/time/until.js';
import { startWatched, type Watched } from './service.js';

let watched: Watched | undefined;
afterEach(() => watched?.perch.close());

/** A network with two sessions, some of which may be broken, each with its own fault. */
function twoSessions(broken: Record<string, Error>): Network {
  const { network, users } = createScriptedNetwork();
  users([1]);
  const check = ({ session }: { session?: string }): void => {
    const fault = broken[session ?? ''];
    if (fault) throw fault;
  };
  return {
    ...network,
    sessions: ['first', 'second'],
    async users(refs, context) {
      check(context);
      return network.users(refs, context);
    },
    async page(list, token, context) {
      check(context);
      return network.page(list, token, context);
    },
  };
}

/** Reads the status, which may be requested ten times a second. */
async function status(): Promise<unknown> {
  for (;;) {
    const reply = await watched?.client.get('/status');
    if (reply?.status === 200) return reply.body;
    await sleep(150);
  }
}

it('shows which sessions rest and until when: degraded while some do, down when all do (H10, U32)', async () => {
  const rest = upstreamFault('no_account', 600);
  const broken: Record<string, Error> = {};
  watched = await startWatched({ network: twoSessions(broken) });
  expect(await status()).toMatchObject({
    status: 'ok',
    redis: { state: 'not used', since: null },
    processes: null,
    draining: false,
    sessions: [
      { name: 'first', state: 'ok', closed: [] },
      { name: 'second', state: 'ok', closed: [] },
    ],
  });
  broken.first = rest;
  await until('the first rests', async () => {
    await watched?.client.get('/v1/users/user1?fresh=true');
    return JSON.stringify(await status()).includes('"resting"');
  });
  expect(await status()).toMatchObject({ status: 'degraded', sessions: [{ state: 'resting' }, { state: 'ok' }] });
  broken.second = rest;
  await watched.client.get('/v1/users/user1?fresh=true');
  expect(await status()).toMatchObject({
    status: 'down',
    families: [
      { state: 'down', failures: 2 },
      { state: 'down', failures: 0, queueLength: 0 },
    ],
    sessions: [{ state: 'resting', closed: [{ kind: '*', why: 'resting', until: expect.stringMatching(/Z$/) }] }, {}],
  });
});

describeOnRedis('the status of Redis', (redis) => {
  it('shows Redis as up with its processes, or since when it is away while reads continue', async () => {
    const [url = ''] = redis().urls;
    watched = await startWatched({ env: { REDIS_URL: url } });
    const up = { status: 'ok', redis: { state: 'up', since: expect.stringMatching(/Z$/) }, processes: 1 };
    // On a busy machine it may be away for a moment.
    await vi.waitFor(async () => expect(await status()).toMatchObject(up), { timeout: 20_000 });
    await redis().kill();
    await until('Redis is away', async () => JSON.stringify(await status()).includes('"away"'));
    expect((await watched.client.get('/v1/users/user1')).status).toBe(200);
    expect(await status()).toMatchObject({ status: 'degraded', families: [{ state: 'ok' }, { state: 'ok' }] });
  });
});
