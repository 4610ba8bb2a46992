/** A node, Redis, or the line to Postgres fails under load: the rest continues, and the books agree with clients. */
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import type { OpenAccount } from '../../kit/open-account.js';
import { describeOnRedis } from '../../kit/redis/redis.js';
import { untilRedisIs } from '../failover/load.js';
import { fillPeople, handleOf } from '../nodes/network.js';
import { type Fleet, openFleet } from '../nodes/nodes.js';
import { type Books, openBooks } from './books.js';

const SLOW_MS = 180_000;
const CREDITS = 100_000;

interface UnderLoad {
  readonly fleet: Fleet;
  readonly books: Books;
  readonly account: OpenAccount;
  /** The length of each node's output so far. */
  readonly saidBefore: readonly number[];
}

describeOnRedis('under load', (redis) => {
  let fleet: Fleet | undefined;
  let books: Books | undefined;
  /** One fleet for all: whatever fails is well again at the end of its test. If it is not, the next one has its own. */
  afterEach(async ({ task }) => {
    await books?.stop();
    if (task.result?.state !== 'fail') return;
    await fleet?.close();
    fleet = undefined;
  });
  afterAll(async () => {
    if (fleet) expect(await fleet.ledgerCheck()).toMatchObject({ ok: true });
    await fleet?.close();
  }, SLOW_MS);

  /** Three nodes under load of hits and misses; resolves once all goes well. */
  async function underLoad(): Promise<UnderLoad> {
    fleet ??= await openFleet({ nodes: 3, redisUrl: redis().urls[0] ?? '', prepare: fillPeople });
    const opened = fleet;
    const account = await opened.account({ credits: CREDITS });
    const kept = openBooks();
    books = kept;
    const address = (n: number): string =>
      `${opened.nodes[n % opened.nodes.length]?.url}/v1/users/${handleOf(1 + (n % 40) + Math.floor(n / 200))}`;
    kept.load(24, address, account.key);
    await well(kept, 100);
    const saidBefore = opened.nodes.map(({ started }) => started.said.stderr.length);
    // On a busy machine a node may have lost Redis by itself, and would then not report that it is unreachable.
    await untilRedisIs(opened, 'up');
    return { fleet: opened, books: kept, account, saidBefore };
  }

  /** Waits until so many more answers have come and the last ones were all delivered. */
  async function well(kept: Books, more = 100): Promise<void> {
    const from = kept.answers();
    await vi.waitFor(
      () => {
        expect(kept.answers()).toBeGreaterThan(from + more);
        expect(kept.isWell()).toBe(true);
      },
      { timeout: 60_000, interval: 50 },
    );
  }

  async function settle(at: UnderLoad): Promise<void> {
    await at.books.stop();
    await at.books.compare(at.fleet.database.sql, { ...at.account, credits: CREDITS });
    expect((await createLedger(at.fleet.database.sql).check()).faults).toEqual([]);
  }

  it('charges what was delivered and nothing that failed when a node is killed and returns', {
    timeout: SLOW_MS,
  }, async () => {
    const at = await underLoad();
    at.fleet.nodes[1]?.started.process.kill('SIGKILL');
    // Two thirds of the requests go to the other nodes.
    const from = at.books.answers();
    await vi.waitFor(() => expect(at.books.answers()).toBeGreaterThan(from + 200), { timeout: 60_000 });
    await at.fleet.restart(1);
    await well(at.books);
    expect(Object.keys(at.books.statuses())).toEqual(['200']);
    await settle(at);
  });

  it('fails no read and loses no charge when Redis is killed and restarted empty', { timeout: SLOW_MS }, async () => {
    const at = await underLoad();
    await redis().kill();
    await well(at.books);
    await untilRedisIs(at.fleet, 'away');
    await redis().restart();
    await untilRedisIs(at.fleet, 'up');
    await well(at.books);
    expect(Object.keys(at.books.statuses())).toEqual(['200']);
    expect(at.books.broken()).toEqual({});
    // Lines of the log are written after a moment.
    await vi.waitFor(() => {
      for (const [index, { started }] of at.fleet.nodes.entries()) {
        expect(started.said.stderr.slice(at.saidBefore[index])).toMatch(/Redis is unreachable/);
      }
    });
    await settle(at);
  });

  it('fails and delays no read when Redis hangs', { timeout: SLOW_MS }, async () => {
    const at = await underLoad();
    redis().pause();
    try {
      await well(at.books, 200);
    } finally {
      redis().resume();
    }
    await well(at.books, 200);
    expect(Object.keys(at.books.statuses())).toEqual(['200']);
    expect(at.books.broken()).toEqual({});
    await settle(at);
  });

  it('reads slowly but correctly when Postgres is slow', { timeout: SLOW_MS }, async () => {
    const at = await underLoad();
    at.fleet.line.slow(150);
    await well(at.books, 100);
    at.fleet.line.slow(0);
    await well(at.books);
    expect(Object.keys(at.books.statuses())).toEqual(['200']);
    await settle(at);
  });

  it('charges nothing for failures, and recovers, when Postgres hangs and loses every connection', {
    timeout: SLOW_MS,
  }, async () => {
    const at = await underLoad();
    at.fleet.line.hang();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    at.fleet.line.cut();
    at.fleet.line.resume();
    await well(at.books, 200);
    const { 200: delivered, ...others } = at.books.statuses();
    expect(delivered).toBeGreaterThan(100);
    expect(Object.keys(others).filter((status) => !['500', '503'].includes(status))).toEqual([]);
    await settle(at);
  });
});
