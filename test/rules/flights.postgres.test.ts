import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Reply } from '../kit/client.js';
import type { Customer } from '../kit/customers.js';
import { upstreamFault } from '../kit/networks/faults.js';
import { range } from '../kit/networks/scripted-network.js';
import { type Service, startService } from './support/service.js';

const PATHS = ['/v1/users/user1', '/v1/tweets/501', '/v1/users/1/tweets?count=2'];
const cacheOf = ({ body }: Reply): string => body.cache;

describe('identical reads at the same time (M7, M8)', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({
      fill(net) {
        const author = net.user({ id: '1' });
        net.tweets(range(5, 500), { author });
        net.list('timeline', '1', range(5, 500).reverse().map(String));
      },
    });
  });
  afterAll(() => service.close());

  /** Sends one call per reader, and lets the network answer once all of them are waiting for it. */
  async function together(
    readers: readonly Customer[],
    paths: readonly string[],
    expectedCalls: number,
  ): Promise<Reply[]> {
    const { net, perch } = service;
    const calls = net.calls.length;
    const open = net.hold();
    // Each new wallet is looked up. After that, a call reaches the network without another asynchronous step.
    const balances = vi.spyOn(perch.ledger, 'balance');
    const replies = readers.map((reader, i) => reader.get(paths[i] ?? ''));
    await net.called(calls + expectedCalls);
    const found = () => balances.mock.settledResults.filter(({ type }) => type === 'fulfilled').length;
    await vi.waitFor(() => expect(found()).toBe(readers.length), { timeout: 10_000 });
    for (const _turn of range(5)) await new Promise(setImmediate);
    balances.mockRestore();
    open();
    return Promise.all(replies);
  }

  const readers = async (count: number): Promise<Customer[]> => {
    service.clock.forget();
    return Promise.all(range(count).map(() => service.customer()));
  };

  it.each(PATHS)('M7: cause one read of %s; the first caller pays full price, the others half', async (path) => {
    const { net } = service;
    const calls = net.calls.length;
    const replies = await together(await readers(5), Array(5).fill(path), 1);
    expect(net.calls).toHaveLength(calls + 1);
    expect(replies.map(cacheOf).sort()).toEqual(['hit', 'hit', 'hit', 'hit', 'miss']);
    const items = replies[0]?.body.items ?? 0;
    for (const { body } of replies) expect(body.credits_charged).toBe(body.cache === 'miss' ? items : items / 2);
  });

  it('M7: all get the error, free, if the one read fails', async () => {
    const all = await readers(4);
    service.net.fail(upstreamFault('upstream_error'));
    const replies = await together(all, Array(4).fill('/v1/users/user1'), 1).finally(() => service.net.heal());
    expect(replies.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
    for (const reader of all) expect(await reader.balance()).toBe(1000);
  });

  it.each(PATHS)('M8: never join with fresh: %s is read for each fresh caller, at double price', async (path) => {
    const all = await readers(3);
    const fresh = `${path}${path.includes('?') ? '&' : '?'}fresh=true`;
    const calls = service.net.calls.length;
    const { net } = service;
    // Two fresh reads of one object may share an upstream call, but neither joins the plain read before them.
    const open = net.hold();
    const plain = all[0]?.get(path);
    await net.called(calls + 1);
    const second = all[1]?.get(fresh);
    await net.called(calls + 2);
    open();
    const replies = await Promise.all([plain, second]);
    expect(replies.map((reply) => reply?.body.cache)).toEqual(['miss', 'bypass']);
    const items = replies[0]?.body.items ?? 0;
    expect(replies.map((reply) => reply?.body.credits_charged)).toEqual([items, items * 2]);
    const third = await all[2]?.get(fresh);
    expect(third?.body).toMatchObject({ cache: 'bypass', credits_charged: items * 2 });
    expect(net.calls).toHaveLength(calls + 3);
  });
});
