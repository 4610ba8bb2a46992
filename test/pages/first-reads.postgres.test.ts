/** The samples of the pages read accounts that are there: of an empty service, and of one with data of its own. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadCorpus } from '../../adapters/networks/corpus/import/load.js';
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

  it('name the account that most follow, a minute after the first was imported', async () => {
    for (const path of ['/', '/graphql']) {
      const text = await page(path);
      expect([path, text.includes('perch import')]).toEqual([path, true]);
      expect(text).toContain('harbor_obs');
    }
    const rows = [user('1', 'quiet_quay', 3), user('2', 'town_crier', 900), user('3', 'behind_doors', 5000, true)];
    await loadCorpus(perch.database.sql, rows);
    clock.advance(61_000);
    for (const path of ['/', '/graphql']) {
      const text = await page(path);
      expect([path, text.includes('perch import')]).toEqual([path, false]);
      expect([path, text.includes('town_crier')]).toEqual([path, true]);
    }
    // Only where a test key reads something else.
    expect(await page('/graphql')).toContain('Test keys read invented data: there, put harbor_obs');
    expect(await page('/')).not.toContain('harbor_obs');
  });
});
