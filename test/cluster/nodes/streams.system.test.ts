/** Two processes that follow the same list: the network is asked once for both, and each charges its own followers. */
import { expect, it } from 'vitest';
import { openStream } from '../../kit/events.js';
import { withFaults } from '../../kit/networks/faults.js';
import { createScriptedNetwork } from '../../kit/networks/scripted-network.js';
import { startPerch } from '../../kit/perch.js';
import { describeOnRedis } from '../../kit/redis/redis.js';
import { whileRedisIsUp } from '../failover/load.js';

const FOLLOWERS = 10;

describeOnRedis('streams of two processes', (redis) => {
  it('ask the network about once an interval for all, charge each once, and resume what the other began', async () => {
    const net = createScriptedNetwork();
    net.user({ id: '7', handle: 'seven' });
    const shown: string[] = [];
    const post = (id: string): void => {
      net.tweet({ id, authorId: '7', createdAt: new Date().toISOString() });
      shown.unshift(id);
      net.list('timeline', '7', shown, { pageSize: 40 });
    };
    post('100');
    const faults = withFaults(net.network);
    const perch = await startPerch({ network: faults.network, env: { REDIS_URL: redis().urls.join() } });
    const other = await perch.another();
    try {
      const account = await perch.account();
      const streams = await Promise.all(
        [perch.url, other.url].flatMap((url) =>
          Array.from({ length: FOLLOWERS }, () => openStream(`${url}/v1/live?user=seven`, account.key)),
        ),
      );
      await Promise.all(streams.map((stream) => stream.next('position')));
      const pages = () => faults.calls.filter(({ what }) => what === 'page').length;
      const { intervals, reads } = await whileRedisIsUp({ nodes: [perch, other] }, async (nth) => {
        const [before, began] = [pages(), performance.now()];
        for (let n = 1; n <= 4; n += 1) {
          const id = String(100 + 4 * nth + n);
          post(id);
          for (const stream of streams) expect(await stream.next('items')).toMatchObject({ data: { data: [{ id }] } });
        }
        return { intervals: (performance.now() - began) / 5000, reads: pages() - before };
      });
      expect(reads).toBeGreaterThanOrEqual(4);
      // Two processes that don't share would read twice as often.
      expect(reads).toBeLessThanOrEqual(1.5 * intervals + 1);
      post('201');
      const begun = await Promise.all(streams.map((stream) => stream.next('items')));
      const [first, ...others] = streams;
      first?.leave();
      post('202');
      const resumed = await openStream(`${other.url}/v1/live?user=seven`, account.key, {
        'last-event-id': begun[0]?.id ?? '',
      });
      for (const stream of [...others, resumed]) {
        expect(await stream.next('items')).toMatchObject({ data: { data: [{ id: '202' }] } });
      }
      for (const stream of [...others, resumed]) stream.leave();
      const [charged] = await perch.database.sql<{ debits: number; items: number }[]>`
        select count(*)::int as debits, sum(items)::int as items from debits`;
      const news = (shown.length - 1) * streams.length;
      expect(charged).toEqual({ debits: news, items: news });
    } finally {
      await other.close();
      await perch.close();
    }
  }, 240_000);
});
