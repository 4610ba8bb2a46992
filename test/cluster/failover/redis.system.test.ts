/** A Redis Cluster loses a master under load, and its replica takes over. */
import { afterEach, expect, it, vi } from 'vitest';
import { describeOnReplicatedCluster } from '../../kit/redis/redis.js';
import { fillPeople } from '../nodes/network.js';
import { type Fleet, openFleet } from '../nodes/nodes.js';
import { expectRevocation, type Load, SLOW_MS, settle, startLoad, untilRedisIs, well } from './load.js';

describeOnReplicatedCluster('a Redis Cluster', (redis) => {
  let fleet: Fleet | undefined;
  let load: Load | undefined;
  afterEach(async () => {
    await load?.books.stop();
    await fleet?.close();
  });

  it('fails over to a replica without a failed read, is used by every node again, and keeps exact books', {
    timeout: SLOW_MS,
  }, async () => {
    fleet = await openFleet({ redisUrl: redis().urls.join(','), prepare: fillPeople });
    const opened = fleet;
    load = await startLoad(opened);
    const { books } = load;
    await untilRedisIs(opened, 'up');
    await redis().kill(1);
    await vi.waitFor(
      async () => {
        const nodes = String(await redis().sendTo(1, 'CLUSTER', 'NODES'));
        const masters = nodes.split('\n').filter((line) => / (?:myself,)?master - /.test(line));
        expect(masters).toHaveLength(3);
      },
      { timeout: 60_000, interval: 100 },
    );
    await untilRedisIs(opened, 'up');
    await well(books, 300);
    await expectRevocation(opened, [0, 1, 2]);
    await settle(load);
    expect(books.statuses()).toEqual({ 200: books.answers() });
    expect(books.broken()).toEqual({});
  });
});
