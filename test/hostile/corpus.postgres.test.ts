/** One customer's slow searches of the corpus, which hold its connections. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { loadCorpus } from '../../adapters/networks/corpus/import/load.js';
import { createClient } from '../kit/client.js';
import { startPerch, type TestPerch } from '../kit/perch.js';

let perch: TestPerch;
beforeEach(async () => {
  perch = await startPerch({
    prepare: async ({ sql }) => {
      const users = Array.from({ length: 20 }, (_, n) => ({ id: String(n + 1), handle: `gull${n}`, name: 'Gull' }));
      await loadCorpus(sql, users.map((user) => ({ kind: 'user', user })) as never[]);
    },
  });
});
afterEach(() => perch.close());

/** Statements in progress on connections that read the corpus. */
async function reading(): Promise<number> {
  const [row] = await perch.database.sql<{ reading: number }[]>`
    select count(*)::int as reading from pg_stat_activity
    where application_name = 'perch corpus' and state = 'active' and datname = current_database()`;
  return row?.reading ?? 0;
}

it('leaves connections for the look-ups and searches of another customer', async () => {
  const [heavy, light] = await Promise.all([perch.account(), perch.account()]);
  const [slow, other] = [createClient(perch.url, heavy.key), createClient(perch.url, light.key)];
  const searches: Promise<{ status: number }>[] = [];
  // A lock keeps each search on its connection, as a read of a large table would.
  await perch.database.sql.begin(async (tx) => {
    await tx`lock table search_index in access exclusive mode`;
    searches.push(...Array.from({ length: 40 }, (_, n) => slow.get(`/v1/tweets/search?q=word${n}`)));
    await vi.waitFor(async () => expect(await reading()).toBe(5), { timeout: 10_000 });
    for (let n = 0; n < 20; n += 1) {
      expect((await other.get(`/v1/users/gull${n}`)).status).toBe(200);
    }
    expect((await other.get('/v1/users/gull1/followers')).status).toBe(200);
    searches.push(other.get('/v1/tweets/search?q=other'));
    await vi.waitFor(async () => expect(await reading()).toBe(6), { timeout: 10_000 });
  });
  const statuses = (await Promise.all(searches)).map(({ status }) => status);
  expect(statuses).toEqual(statuses.map(() => 200));
});
