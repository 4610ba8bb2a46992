/** Processes that follow watches are killed and stopped: what was posted is delivered once, and charged once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { loadCorpus } from '../../../adapters/networks/corpus/import/load.js';
import { addWatch } from '../../interfaces/live/add-watch.js';
import { describeOnRedis } from '../../kit/redis/redis.js';
import { fillPeople, handleOf } from './network.js';
import { openFleet } from './nodes.js';

const WATCHES = 20;
const SLOW_MS = 300_000;

interface Delivered {
  readonly watchId: string;
  readonly deliveryId: string;
  readonly number: number;
  readonly charged: number;
  readonly body: string;
}

describeOnRedis('watches of several processes', (redis) => {
  it(
    'deliver all that was posted, once, while their processes are killed and stopped',
    async () => {
      const fleet = await openFleet({ nodes: 2, redisUrl: redis().urls.join(), prepare: fillPeople });
      const { sql } = fleet.database;
      let next = 5_000_000;
      const posted: string[] = [];
      const post = async (): Promise<void> => {
        next += 1;
        const tweet = { id: String(next), text: 'news', authorId: '1', createdAt: new Date().toISOString() };
        await loadCorpus(sql, [{ kind: 'tweet', tweet }]);
        posted.push(tweet.id);
      };
      const deliveries = () => sql<Delivered[]>`
      select watch_id as "watchId", delivery_id as "deliveryId", number, charged_thousandths as charged, body
      from deliveries where number is not null order by watch_id, number`;
      const arrived = async (count: number): Promise<void> => {
        const found = async () => {
          const ids = (await deliveries()).flatMap(({ watchId, body }) =>
            itemsOf(body).map((id) => `${watchId} ${id}`),
          );
          return new Set(ids).size;
        };
        await expect.poll(found, { timeout: 90_000, interval: 200 }).toBe(count * WATCHES);
      };
      try {
        fleet.nodes[1]?.started.process.kill('SIGKILL');
        // A list that has nothing new is read seldom.
        await post();
        posted.pop();
        const account = await fleet.account();
        const page = await fetch(`${fleet.nodes[0]?.url}/v1/users/${handleOf(1)}/tweets`, {
          headers: { 'x-api-key': account.key },
        });
        const { since_cursor: since } = (await page.json()) as { since_cursor: string };
        const before = await charges();
        for (let nth = 0; nth < WATCHES; nth += 1) {
          await addWatch(sql, fleet.secrets.cursor, { ...account, since, subject: handleOf(1), count: 1 + (nth % 3) });
        }
        await post();
        await arrived(1);
        // The one that was there first gives half of them to the other; each kill leaves all of them to one, until it is back.
        let index = 0;
        await fleet.restart(1);
        const sizes = async () =>
          (await sql`select count(*)::int as size from watches group by holder`).map(({ size }) => size);
        await expect.poll(sizes, { timeout: 30_000 }).toEqual([WATCHES / 2, WATCHES / 2]);
        for (const [nth, ms] of [40, 700, 2_300].entries()) {
          await post();
          await post();
          // At whatever moment of reading, charging and writing.
          await sleep(4_000 + ms);
          fleet.nodes[index]?.started.process.kill('SIGKILL');
          await post();
          await arrived(1 + 3 * (nth + 1));
          await fleet.restart(index);
          index = 1 - index;
        }
        const stoppedAt = performance.now();
        fleet.nodes[index]?.started.process.kill('SIGTERM');
        await fleet.nodes[index]?.started.end;
        await post();
        await arrived(11);
        // At once, not when the time is over for which they were held.
        expect(performance.now() - stoppedAt).toBeLessThan(22_000);
        const all = await deliveries();
        for (const own of groupedBy(all).values()) {
          expect(own.flatMap(({ body }) => itemsOf(body))).toEqual(posted);
          expect(own.map(({ number }) => number)).toEqual(own.map((_, nth) => nth + 1));
        }
        const charged = (await charges()).slice(before.length);
        const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);
        expect(charged.sort(byId)).toEqual(
          all.map(({ deliveryId, charged: amount }) => ({ id: deliveryId, amount })).sort(byId),
        );
        const [sums] = await sql`select sum(number)::int as number, sum(spent_thousandths)::int as spent from watches`;
        expect(sums).toEqual({ number: all.length, spent: all.reduce((sum, one) => sum + one.charged, 0) });
        expect(await fleet.ledgerCheck()).toMatchObject({ ok: true });
      } finally {
        await fleet.close();
      }

      async function charges() {
        return [
          ...(await sql<{ id: string; amount: number }[]>`
          select request_id as id, amount_thousandths as amount from debits order by at, seq`),
        ];
      }
    },
    SLOW_MS,
  );
});

const itemsOf = (body: string): string[] =>
  (JSON.parse(body) as { data: { data: { id: string }[] } }).data.data.map(({ id }) => id);

function groupedBy(all: readonly Delivered[]): Map<string, Delivered[]> {
  const groups = new Map<string, Delivered[]>();
  for (const one of all) groups.set(one.watchId, [...(groups.get(one.watchId) ?? []), one]);
  return groups;
}
