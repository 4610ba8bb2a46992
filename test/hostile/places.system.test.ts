import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MOUNTS } from '../interfaces/graphql/service.js';
import { createScriptedNetwork, range, type ScriptedNetwork } from '../kit/networks/scripted-network.js';
import { startPerch, type TestPerch } from '../kit/perch.js';
import { type Received, type Sender, senderFrom } from './sender.js';

const DEADLINE_MS = 4000;
/**
 * Places for requests at work. One account has at most 16, of which 8 may wait for the network: fewer than the failures
 * in a row that pause reads for everybody.
 */
const PLACES = 64;
const MINE = PLACES / 2 / 4;
const FLOOD = 60;
/** Allowed on a machine that runs other tests at the same time; alone it takes a tenth of this. */
const PROMPT_MS = { healthz: 300, cached: 500 };

const MCP = {
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-11-25',
};

/** One cold read over each interface. */
const READS: readonly [string, (sender: Sender, n: number) => Promise<Received>][] = [
  ['REST', (sender, n) => sender.get(`/v1/users/user${n}`)],
  ['GraphQL', (sender, n) => sender.post('/graphql', { query: `{ user(handle: "user${n}") { id } }` })],
  [
    'MCP',
    (sender, n) => {
      const params = { name: 'get_user', arguments: { handle: `user${n}` } };
      return sender.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, MCP);
    },
  ],
];

describe.each(MOUNTS)('while the network hangs, with GraphQL by %s', (graphql) => {
  let perch: TestPerch;
  let net: ScriptedNetwork;
  let senders: Sender[];
  let flood: Promise<Received>[];
  beforeEach(async () => {
    net = createScriptedNetwork({});
    net.users(range(2000));
    const env = { PERCH_MAX_IN_FLIGHT: String(PLACES), PERCH_DEADLINE_MS: String(DEADLINE_MS) };
    perch = await startPerch({ network: net.network, graphql, env });
    [senders, flood] = [[], []];
  });
  afterEach(async () => {
    await Promise.allSettled(flood);
    for (const sender of senders) sender.close();
    await perch.close();
  });

  const sender = (address: string, key: string | null): Sender => {
    const made = senderFrom(perch.url, address, key);
    senders.push(made);
    return made;
  };
  const customer = async (address: string): Promise<Sender> => sender(address, (await perch.account()).key);

  /** Reads of another account meanwhile: none is refused, or late. */
  async function innocentsAreServed(innocent: Sender, rounds = 3): Promise<void> {
    const nobody = sender('127.0.0.9', null);
    for (let round = 0; round < rounds; round += 1) {
      const [health, cached, page, introspected, free] = await Promise.all([
        quickest(() => nobody.get('/healthz'), PROMPT_MS.healthz),
        quickest(() => innocent.get('/v1/users/user1'), PROMPT_MS.cached),
        nobody.get('/'),
        nobody.post('/graphql', { query: '{ __typename }' }),
        innocent.get('/v1/me'),
      ]);
      expect([health, cached, page, introspected, free].map(({ status }) => status)).toEqual(Array(5).fill(200));
      expect(health.ms).toBeLessThan(PROMPT_MS.healthz);
      expect(cached.ms).toBeLessThan(PROMPT_MS.cached);
      await sleep(200);
    }
  }

  it.each(READS)('refuses one account that floods it by %s alone, and says when to retry', async (_, read) => {
    const [hog, innocent] = [await customer('127.0.0.2'), await customer('127.0.0.3')];
    expect((await innocent.get('/v1/users/user1')).status).toBe(200);
    // A key that was not seen yet counts for its address until it is looked up.
    expect((await hog.get('/v1/me')).status).toBe(200);
    // Loads what an interface loads at its first message; until then, messages count for the address.
    await read(innocent, 2);
    const open = net.hold();
    try {
      flood = range(FLOOD, 100).map((n) => read(hog, n));
      const refused = await firstOf(flood, FLOOD - MINE);
      const refusedAt = performance.now();
      // The account's own refusals, none of them charged.
      for (const { text, headers } of refused) {
        expect(text).toContain('account_busy');
        expect(text).toContain('nothing was charged');
        expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
        expect(Number(headers['retry-after'])).toBeLessThanOrEqual(DEADLINE_MS / 1000);
      }
      const seconds = Number(refused.at(-1)?.headers['retry-after']);
      await innocentsAreServed(innocent);
      const cold = innocent.get('/v1/users/user900');
      // A caller that waits as long as the refusal says is admitted, though the network still hangs.
      await sleep(Math.max(0, seconds * 1000 - (performance.now() - refusedAt)) + 300);
      const again = read(hog, 500);
      flood.push(again);
      expect(await outcomeWithin(again, 500)).toBe('at work');
      open();
      expect((await again).text).not.toContain('account_busy');
      expect((await cold).text).not.toContain('busy');
      expect((await innocent.get('/v1/users/user901')).status).toBe(200);
    } finally {
      open();
    }
  });

  it('answers a refused account alike by REST and GraphQL: 503, its reason, the bound, Retry-After', async () => {
    const hog = await customer('127.0.0.2');
    const open = net.hold();
    try {
      flood = range(MINE, 100).map((n) => hog.get(`/v1/users/user${n}`));
      await net.called(1);
      await sleep(200);
      const rest = await hog.get('/v1/users/user200');
      expect(rest.status).toBe(503);
      expect(rest.body).toMatchObject({
        error: {
          code: 'upstream_rate_limited',
          reason: 'account_busy',
          message: expect.stringContaining(`${MINE} requests`),
        },
        credits_charged: 0,
      });
      expect(rest.headers['retry-after']).toBe(String(rest.body.error.retry_after));
      const gql = await hog.post('/graphql', {
        query: '{ a: user(handle: "user201") { id } b: user(handle: "user202") { id } }',
      });
      expect(gql.status).toBe(503);
      expect(gql.body.errors[0].extensions).toMatchObject({ code: 'upstream_rate_limited', reason: 'account_busy' });
    } finally {
      open();
    }
  });

  it('leaves places for an eleventh account, cached and cold, while ten flood it together', async () => {
    const hogs = await Promise.all(range(10).map(() => customer('127.0.0.2')));
    const innocent = await customer('127.0.0.3');
    expect((await innocent.get('/v1/users/user1')).status).toBe(200);
    for (const hog of hogs) expect((await hog.get('/v1/me')).status).toBe(200);
    const open = net.hold();
    try {
      flood = hogs.flatMap((hog, h) => range(12, 100 + 20 * h).map((n) => hog.get(`/v1/users/user${n}`)));
      await firstOf(flood, 60);
      await innocentsAreServed(innocent);
      const cold = innocent.get('/v1/users/user900');
      expect(await outcomeWithin(cold, 200)).toBe('at work');
      open();
      expect((await cold).status).toBe(200);
      const reasons = (await Promise.all(flood)).map(({ body }) => body.error?.reason);
      expect(reasons.filter((reason) => reason === 'account_busy').length).toBeGreaterThanOrEqual(60);
      expect(reasons).not.toContain('overloaded');
    } finally {
      open();
    }
  });

  it('serves many customers behind one address', async () => {
    const customers = await Promise.all(range(12).map(() => customer('127.0.0.2')));
    const open = net.hold();
    try {
      flood = customers.map((each, n) => each.get(`/v1/users/user${100 + n}`));
      await net.called(1);
      await sleep(300);
      const cached = await Promise.all(customers.map((each) => each.get('/v1/me')));
      expect(cached.map(({ status }) => status)).toEqual(Array(12).fill(200));
      open();
      expect((await Promise.all(flood)).map(({ status }) => status)).toEqual(Array(12).fill(200));
    } finally {
      open();
    }
  });
});

/** The fastest of a few tries, without what else this machine did meanwhile. */
async function quickest(send: () => Promise<Received>, boundMs: number): Promise<Received> {
  for (let tries = 1; ; tries += 1) {
    const received = await send();
    if (received.status !== 200 || received.ms < boundMs || tries === 4) return received;
  }
}

/** The answers that come first. */
function firstOf(all: readonly Promise<Received>[], count: number): Promise<Received[]> {
  const first: Received[] = [];
  return new Promise((resolve, reject) => {
    for (const one of all) {
      one.then((received) => {
        first.push(received);
        if (first.length === count) resolve([...first]);
      }, reject);
    }
  });
}

const outcomeWithin = (answer: Promise<Received>, ms: number): Promise<string> =>
  Promise.race([answer.then(({ text }) => text), sleep(ms, 'at work')]);
