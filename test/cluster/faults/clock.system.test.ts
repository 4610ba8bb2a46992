/** The clock of one node of two jumps by days, either way: reads continue, charges are right, no caller is shut out. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/lib/durations.js';
import { type Customer, type Customers, customersOf } from '../../kit/customers.js';
import { createScriptedNetwork } from '../../kit/networks/scripted-network.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';
import { describeOnRedis } from '../../kit/redis/redis.js';

describeOnRedis('a clock that jumps', (redis) => {
  let perch: TestPerch;
  let customers: Customers;
  let other: { url: string; close(): Promise<void> };
  let jumpMs = 0;
  beforeAll(async () => {
    const net = createScriptedNetwork({});
    for (let id = 1; id <= 50; id += 1) net.user({ id: String(id), handle: `user${id}` });
    const clock = { now: () => Date.now() + jumpMs };
    const env = { REDIS_URL: redis().urls[0] ?? '', PERCH_PACE_FAST: '50' };
    perch = await startPerch({ network: net.network, clock, env });
    other = await perch.another();
    customers = customersOf(perch);
  });
  afterAll(async () => {
    await other?.close();
    await perch?.close();
  });

  const readAll = async (customer: Customer, from: number): Promise<number[]> => {
    const replies = [];
    for (let id = from; id < from + 5; id += 1) replies.push(await customer.get(`/v1/users/user${id}`));
    return replies.map(({ status }) => status);
  };

  it.each([
    ['forward by a day', DAY_MS],
    ['back by a day', -DAY_MS],
    ['back by an hour', -DAY_MS / 24],
  ])('%s', async (_what, ms) => {
    const customer = await customers.customer({ qps: 100 });
    jumpMs = 0;
    expect(await readAll(customer, 1)).toEqual(Array(5).fill(200));
    const startedAt = performance.now();
    jumpMs = ms;
    // Checks cached and new objects, the rate limit and the key again.
    expect(await readAll(customer, 1)).toEqual(Array(5).fill(200));
    expect(await readAll(customer, 20)).toEqual(Array(5).fill(200));
    jumpMs = 0;
    expect(await readAll(customer, 1)).toEqual(Array(5).fill(200));
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await customers.settle();
  });
});
