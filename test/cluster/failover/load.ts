import { isDeepStrictEqual } from 'node:util';
import { expect, vi } from 'vitest';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import type { OpenAccount } from '../../kit/open-account.js';
import { type Books, openBooks } from '../faults/books.js';
import { get, untilRefused } from '../nodes/client.js';
import { handleOf } from '../nodes/network.js';
import type { Fleet } from '../nodes/nodes.js';

export const SLOW_MS = 240_000;
const CREDITS = 100_000;

export interface Load {
  readonly fleet: Fleet;
  readonly account: OpenAccount;
  readonly books: Books;
}

/** Requests hits and misses from every node, `width` at a time. Resolves once all succeed. End it with `books.stop`. */
export async function startLoad(fleet: Fleet, width = 12): Promise<Load> {
  const account = await fleet.account({ credits: CREDITS });
  const books = openBooks();
  const address = (n: number): string =>
    `${fleet.nodes[n % fleet.nodes.length]?.url}/v1/users/${handleOf(1 + (n % 40) + Math.floor(n / 200))}`;
  books.load(width, address, account.key);
  await well(books);
  return { fleet, account, books };
}

/** Waits until that many more answers have arrived and the last ones all succeeded. */
export async function well(books: Books, more = 100): Promise<void> {
  const from = books.answers();
  await vi.waitFor(
    () => {
      expect(books.answers()).toBeGreaterThan(from + more);
      expect(books.isWell()).toBe(true);
    },
    { timeout: 90_000, interval: 50 },
  );
}

/** Checks that failures have a status that invites another try, and that the ledger is sound. */
export async function expectSound({ books, fleet }: Load): Promise<void> {
  const { 200: delivered, ...others } = books.statuses();
  expect(delivered).toBeGreaterThan(200);
  expect(Object.keys(others).filter((status) => !['500', '503'].includes(status))).toEqual([]);
  expect((await createLedger(fleet.database.sql).check()).faults).toEqual([]);
  expect(await fleet.ledgerCheck()).toMatchObject({ ok: true });
}

/** Ends the load, and checks that the ledger has every delivered charge and no failed one. */
export async function settle(load: Load): Promise<void> {
  await load.books.stop();
  await load.books.compare(load.fleet.database.sql, { ...load.account, credits: CREDITS });
  await expectSound(load);
}

/** Revokes a separate key by a command, and checks that these nodes refuse it within five seconds (A9). */
export async function expectRevocation(fleet: Fleet, indexes: readonly number[]): Promise<void> {
  const { key } = await fleet.account();
  const urls = indexes.map((n) => fleet.nodes[n]?.url ?? '');
  for (const url of urls) expect((await get(`${url}/v1/me`, key)).status).toBe(200);
  await fleet.cli('key', 'revoke', key.slice(0, 17));
  expect(await untilRefused(urls, key)).toBeLessThan(5000);
}

/** Within the public limit of ten requests a second per address. */
const LOOK_MS = 500;

interface Nodes {
  readonly nodes: readonly { readonly url: string }[];
}

type RedisState = 'up' | 'away';

/** Waits until all nodes report this state of Redis, or the nodes, in order, these. Returns since when. */
export async function untilRedisIs({ nodes }: Nodes, is: RedisState | readonly RedisState[]): Promise<string[]> {
  const states = typeof is === 'string' ? nodes.map(() => is) : is;
  const looks = async () => {
    const seen = await Promise.all(nodes.map(async ({ url }) => (await get(`${url}/status`)).body.redis));
    expect(seen.map((redis) => redis?.state)).toEqual(states);
    return seen.map(({ since }) => since);
  };
  return vi.waitFor(looks, { timeout: 60_000, interval: LOOK_MS });
}

/**
 * The result of something done while all nodes see Redis. On a busy machine, a node may wait too long for Redis and
 * continue on its own for a moment. Then it is done again, with the next number, at most three times.
 */
export async function whileRedisIsUp<T>(fleet: Nodes, round: (nth: number) => Promise<T>): Promise<T> {
  for (let nth = 0; ; nth += 1) {
    const before = await untilRedisIs(fleet, 'up');
    const result = await round(nth);
    if (nth === 2 || isDeepStrictEqual(await untilRedisIs(fleet, 'up'), before)) return result;
  }
}
