import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryCache } from '../../adapters/memory/cache.js';
import { createMemoryRateLimiter } from '../../adapters/memory/rate-limiter.js';
import { createMemoryTombstoneLog } from '../../adapters/memory/tombstones.js';
import { MissedKeys } from '../../adapters/redis/missed-keys.js';
import { PricedVariables } from '../../src/documents/priced-variables.js';
import { digestText } from '../../src/lib/digest.js';
import { Memories } from '../../src/lib/memories.js';
import { MEMORIES, type MemoryName, memoryRows } from '../../src/lib/memory-table.js';
import { QuotaSet } from '../../src/lib/quota-set.js';
import { AnswerCache } from '../../src/serve/answer-cache.js';
import { Rendered } from '../../src/serve/rendered.js';
import { keptAnswer } from '../engine/serve/kept-answer.js';
import { sendOld } from '../interfaces/mcp/raw.js';
import { ANYTHING_GOES } from '../kit/checks.js';
import { type Customers, customersOf } from '../kit/customers.js';
import { createScriptedNetwork, range } from '../kit/networks/scripted-network.js';
import { startPerch, type TestPerch } from '../kit/perch.js';
import { importsOf, isCode, readSources } from '../kit/sources.js';
import { collectGarbage } from '../kit/time/garbage.js';

const MIB = 1024 * 1024;
const clock = { now: () => 0 };

/** Memory in use, without what only waits to be collected. */
function usedBytes(): number {
  collectGarbage();
  // Buffers are swept in the background; only the next collection waits for that.
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const id = (n: number): string => `${n}`.padStart(700, '7');
const handle = (n: number): string => `${n}${'h'.repeat(250)}@${'d'.repeat(250)}`;
/** One flat text, of a length at which V8 compares texts only by their length. */
const text = (n: number, length = 60_000): string => Buffer.from(`${n}`.padStart(length, 'x')).toString();

interface Filled {
  readonly memory: { readonly bytes: number };
  readonly fill: (n: number) => unknown;
}

/** Memories whose maps have this bound, and are counted in `memories`. */
const bounded = (memories: Memories, maxBytes: number): Memories =>
  Object.assign(new Memories(), {
    map: (name: MemoryName, options: object) => memories.map(name, { ...options, maxBytes }),
  });

const ANY_OPERATION = {
  id: 'operation',
  coerce: (variables: Record<string, unknown>) => variables,
  worst: () => ({ amount: 1, items: 1, fresh: false, notServed: null, refused: () => null }),
};

/** Each with a bound of a mebibyte, and its longest entries. */
const FILLED: Readonly<Record<string, (maxBytes: number) => Filled>> = {
  answers: (maxBytes) => {
    const memories = new Memories();
    // The cache is full all the time. What it dropped must not live on in the answers made from it.
    const cache = createMemoryCache({ clock, maxBytes });
    const answers = new AnswerCache(cache, { version: 0 } as never, bounded(memories, maxBytes));
    const fill = async (n: number) => {
      const call = digestText(text(n, 20_000));
      const dependency = { key: `page:${n}`, value: { items: [{ id: text(n, 20_000) }] } };
      await cache.set(dependency.key, { value: dependency.value, fetchedAt: 0 }, 1e6);
      answers.store(call, keptAnswer(new Rendered(Buffer.alloc(10))), {
        dependencies: [dependency],
        tombstonesVersion: 0,
      });
    };
    return {
      memory: {
        get bytes() {
          return memories.states()[0]?.bytes ?? 0;
        },
      },
      fill,
    };
  },
  priced_variables: (maxBytes) => {
    const memories = new Memories();
    const priced = new PricedVariables(ANYTHING_GOES, bounded(memories, maxBytes));
    return {
      memory: {
        get bytes() {
          return memories.states()[0]?.bytes ?? 0;
        },
      },
      fill: (n) => priced.of(ANY_OPERATION, { pad: text(n, 8000) }, (work) => work()),
    };
  },
  cache: (maxBytes) => {
    const memories = new Memories();
    const cache = createMemoryCache({ clock, memories, maxBytes });
    const fill = (n: number) =>
      cache.set(`page:${text(n, 2000)}`, { value: { items: [{ id: id(n) }] }, fetchedAt: 0 }, 1e6, [
        `user:${id(n)}`,
        `handle:${handle(n)}`,
      ]);
    return {
      memory: {
        get bytes() {
          return memories.states()[0]?.bytes ?? 0;
        },
      },
      fill,
    };
  },
  rates: (maxBytes) => {
    const memories = new Memories();
    const limiter = createMemoryRateLimiter({ clock, memories, maxBytes });
    const fill = (n: number) => limiter.take(`public:${text(n, 16_000)}`, 10);
    return {
      memory: {
        get bytes() {
          return memories.states()[0]?.bytes ?? 0;
        },
      },
      fill,
    };
  },
  gone: (maxBytes) => {
    const memory = new QuotaSet({ maxBytes, ttlMs: 1e6, clock });
    return { memory, fill: (n) => memory.add(`account ${n % 30}`, `handle:${handle(n)}`) };
  },
  tombstones: (maxBytes) => {
    const memories = new Memories();
    const tombstones = createMemoryTombstoneLog({ clock, memories, maxBytes });
    const fill = (n: number) => tombstones.add([{ key: `user:${id(n)}`, gone: true, by: `account ${n % 30}` }]);
    return {
      memory: {
        get bytes() {
          return memories.states()[0]?.bytes ?? 0;
        },
      },
      fill,
    };
  },
  missed_keys: (maxBytes) => {
    const memory = new MissedKeys({ onChange: () => () => false } as never, new Memories(), maxBytes);
    return { memory, fill: (n) => memory.add([`perch:user:${id(n)}`]) };
  },
};

describe('every memory', () => {
  it.each(Object.entries(FILLED))(
    '%s stays within its bytes when filled with the longest entries',
    async (_name, open) => {
      const maxBytes = 2 * MIB;
      const before = usedBytes();
      const { memory, fill } = open(maxBytes);
      for (const n of range(20_000)) {
        await fill(n);
        // As between requests: what one turn of the event loop reads from a weak reference lives until the turn ends.
        if (n % 100 === 0) await new Promise(setImmediate);
        if (memory.bytes > maxBytes) expect(memory.bytes).toBeLessThanOrEqual(maxBytes);
      }
      expect(memory.bytes).toBeGreaterThan(maxBytes / 2);
      await new Promise(setImmediate);
      // Forty times as much was put in; what else this process does meanwhile is small.
      expect(usedBytes() - before).toBeLessThan(maxBytes + 8 * MIB);
      await fill(0);
    },
  );

  it('is in the table with its bound and what happens beyond it, and in the state under the same name', () => {
    const rows = memoryRows();
    for (const { name, contents: holds, limit } of rows) {
      expect(holds, name).toMatch(/\.$/);
      expect(limit, name).not.toBe('');
    }
    const memories = new Memories();
    for (const name of Object.keys(MEMORIES) as MemoryName[]) memories.map(name);
    expect(memories.states().map(({ name, maxBytes }) => [name, maxBytes])).toEqual(
      Object.entries(MEMORIES).map(([name, { limitBytes }]) => [name, limitBytes]),
    );
  });

  it('is made through the table, because nothing else creates an LRU', () => {
    const house = readSources(['src', 'adapters', 'schema']).filter(isCode);
    const users = house.flatMap(importsOf).filter(({ to }) => to === 'lru-cache');
    expect(users.map(({ from }) => from)).toEqual(['src/lib/bounded-map.ts']);
  });

  it('looks up long texts of equal length as fast as short ones', () => {
    const priced = new PricedVariables(ANYTHING_GOES);
    const keep = (length: number): number => {
      const calls = range(1500).map((n) => text(n, length));
      const begin = performance.now();
      for (const pad of calls) priced.of(ANY_OPERATION, { pad }, (work) => work());
      return performance.now() - begin;
    };
    keep(100);
    // The time to digest them; without digests, each would be compared with all before it.
    expect(keep(8000)).toBeLessThan(5000);
  });
});

const PADDED = `query ($pad: ID!) {
  user(handle: "user1") { id handle }
  tweets(ids: [$pad]) @skip(if: true) { nodes { id } }
}`;

describe.each(['yoga', 'mercurius'] as const)('the whole service, over %s', (graphql) => {
  let perch: TestPerch;
  let customers: Customers;
  beforeAll(async () => {
    const net = createScriptedNetwork();
    net.users(range(3));
    perch = await startPerch({ network: net.network, graphql });
    customers = customersOf(perch);
  });
  afterAll(() => perch.close());

  it('keeps no caller’s text: variables of 60 KB that nothing uses (row 5)', async () => {
    const reader = await customers.customer();
    const send = (n: number) => reader.post('/graphql', { query: PADDED, variables: { pad: text(n) } });
    for (const n of range(20)) await send(n);
    const before = usedBytes();
    for (const n of range(500, 100)) expect([200, 400]).toContain((await send(n)).status);
    // 30 MB of keys.
    expect(usedBytes() - before).toBeLessThan(12 * MIB);
  });

  it('keeps the longest ids, handles, queries and cursors within bounds, over REST and MCP', async () => {
    const reader = await customers.customer();
    const url = new URL('/mcp', perch.url);
    const tool = (name: string, args: object) =>
      sendOld(url, reader.account.key, { method: 'tools/call', params: { name, arguments: args } });
    const all = (n: number) => [
      reader.get(`/v1/tweets/${id(n)}`),
      reader.get(`/v1/users/${handle(n)}`),
      reader.get(`/v1/search/tweets?q=${text(n, 1024)}`),
      reader.get(`/v1/users/user1/followers?cursor=${text(n, 512)}`),
      tool('get_tweet', { id: id(n) }),
      tool('get_user', { handle: handle(n) }),
      tool('search_tweets', { q: text(n, 1024) }),
    ];
    const send = async (n: number) => {
      for (const { status } of await Promise.all(all(n))) expect(status).toBeLessThan(500);
    };
    for (const n of range(20)) await send(n);
    const before = usedBytes();
    for (const n of range(200, 100)) await send(n);
    expect(usedBytes() - before).toBeLessThan(12 * MIB);
  });
});
