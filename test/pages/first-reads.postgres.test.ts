/** The samples of the pages name existing accounts, on an empty service and on one with imported data; on a demo. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadCorpus } from '../../adapters/networks/corpus/import/load.js';
import { COMET_THREAD_ID } from '../../demo/entry-points.js';
import { mintKey } from '../../src/access/key.js';
import { startPerch, type TestPerch } from '../kit/perch.js';
import { type ManualClock, manualClock } from '../kit/time/manual-clock.js';

const user = (id: string, handle: string, followers: number, isProtected = false) =>
  ({ kind: 'user', user: { id, handle, name: handle, followers_count: followers, protected: isProtected } }) as const;

describe('samples', () => {
  let perch: TestPerch;
  let clock: ManualClock;
  beforeAll(async () => {
    clock = manualClock();
    perch = await startPerch({ clock });
  });
  afterAll(() => perch?.close());

  const page = async (path: string) => (await fetch(perch.url + path, { headers: { accept: 'text/html' } })).text();

  /** The calls that the page of an operation would send. */
  const callsIn = (text: string): string =>
    [...text.matchAll(/<div class="sample">[\s\S]*?<\/div>|<(?:input|textarea) id="try-(?!key)[^>]*>/g)].join('\n');

  it('name the account with the most followers, a minute after the first import', async () => {
    for (const path of ['/', '/graphql']) {
      const text = await page(path);
      expect([path, text.includes('perch import')]).toEqual([path, true]);
      expect(text).toContain('harbor_obs');
    }
    expect(await page('/docs/api/userTweets')).toContain(
      'Nothing was imported yet, so only test keys find <code>harbor_obs</code>',
    );
    const rows = [user('1', 'quiet_quay', 3), user('2', 'town_crier', 900), user('3', 'behind_doors', 5000, true)];
    const tweet = { id: '77', authorId: '2', text: 'Hear ye', createdAt: '2026-11-20T09:00:00.000Z' };
    await loadCorpus(perch.database.sql, [...rows, { kind: 'tweet', tweet } as const]);
    clock.advance(61_000);
    for (const path of ['/', '/graphql']) {
      const text = await page(path);
      expect([path, text.includes('perch import')]).toEqual([path, false]);
      expect([path, text.includes('town_crier')]).toEqual([path, true]);
    }
    for (const path of ['userTweets', 'usersBatch', 'search']) {
      const text = await page(`/docs/api/${path}`);
      expect([path, callsIn(text).includes('town_crier')]).toEqual([path, true]);
      expect([path, callsIn(text).includes('harbor_obs')]).toEqual([path, false]);
      expect(text).toMatch(
        /Test keys read invented data\. With a test key, use <code>harbor_obs<\/code> instead of the handle\./,
      );
    }
    expect(callsIn(await page('/docs/api/tweet'))).toContain('/v1/tweets/77');
    // The hint appears only where a test key reads other data.
    expect(await page('/graphql')).toContain('Test keys read invented data. With a test key, use harbor_obs');
    expect(await page('/')).not.toContain('harbor_obs');
  });
});

it('offers the key of a demo on no page a minute after an import into the running service', async () => {
  const [clock, demoKey] = [manualClock(), mintKey(randomBytes)];
  const comet = { id: COMET_THREAD_ID, authorId: '4194304', text: 'A comet', createdAt: '2025-09-01T00:00:00.000Z' };
  const perch = await startPerch({
    clock,
    demoKey,
    prepare: async ({ sql }) => void (await loadCorpus(sql, [{ kind: 'tweet', tweet: comet }])),
  });
  try {
    const paths = ['/', '/graphql', '/docs/api/user'];
    const offers = () =>
      Promise.all(
        paths.map(async (path) => {
          const answer = await fetch(perch.url + path, { headers: { accept: 'text/html' } });
          return [(await answer.text()).includes(demoKey), answer.headers.get('cache-control') === 'no-store'];
        }),
      );
    expect(await offers()).toEqual(paths.map(() => [true, true]));
    await loadCorpus(perch.database.sql, [user('7', 'quayside', 3)]);
    clock.advance(61_000);
    expect(await offers()).toEqual(paths.map(() => [false, false]));
    for (const path of ['/graphql', '/docs/api/user']) {
      const answer = await fetch(perch.url + path, { headers: { accept: 'text/html' } });
      expect([path, await answer.text()]).toEqual([path, expect.stringContaining('quayside')]);
    }
  } finally {
    await perch.close();
  }
});
