import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Target } from '../../../adapters/postgres/sql.js';
import { LOCALES, localeDatabase } from '../../kit/postgres/locale-database.js';
import { type Corpus, corpusIn, idsOf } from './corpus-fixture.js';
import { WRITTEN } from './scripts.js';

/** Everything of the table is found, or not, whatever the locale of the database is. `server` is called in the suite. */
export function scriptsSuite(server: () => Target): void {
  describe.each(Object.keys(LOCALES))('locale %s', (locale) => {
    let corpus: Corpus | null = null;
    beforeAll(async () => {
      const database = await localeDatabase(server(), locale);
      if (database === null) return;
      corpus = corpusIn(database);
      for (const [index, { text }] of WRITTEN.entries()) await corpus.tweet({ id: index + 1, text });
    });
    afterAll(() => corpus?.drop());

    it.for(WRITTEN.map((written, index) => ({ ...written, id: String(index + 1) })))(
      'finds $name',
      async ({ id, found, notFound }, { skip }) => {
        if (corpus === null) return skip('the server does not have this locale');
        const { search } = corpus;
        const finds = async (q: string): Promise<boolean> => idsOf(await search(q)).includes(id);
        const answers = await Promise.all([...found, ...notFound].map(async (q) => [q, await finds(q)]));
        expect(answers).toEqual([...found.map((q) => [q, true]), ...notFound.map((q) => [q, false])]);
      },
    );
  });
}
