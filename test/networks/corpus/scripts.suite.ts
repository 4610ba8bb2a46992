import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { indexCorpus } from '../../../adapters/networks/corpus/import/index-corpus.js';
import type { Target } from '../../../adapters/postgres/sql.js';
import { LOCALES, localeDatabase } from '../../kit/postgres/locale-database.js';
import { type Corpus, corpusIn, idsOf } from './corpus-fixture.js';
import { WRITTEN } from './scripts.js';

const AUTHOR = 1_000_000;

/**
 * Every row of the table must be found, or not, with any locale of the database. `server` is called inside the suite.
 */
export function scriptsSuite(server: () => Target): void {
  describe.each(Object.keys(LOCALES))('locale %s', (locale) => {
    let corpus: Corpus | null = null;
    beforeAll(async () => {
      const database = await localeDatabase(server(), locale);
      if (database === null) return;
      corpus = corpusIn(database);
      await corpus.user({ id: AUTHOR, handle: 'Idris_INFO' });
      await corpus.user({ id: AUTHOR - 1, handle: 'IDRIS_info' });
      await corpus.tweet({ id: AUTHOR, text: 'tide', author_id: AUTHOR });
      for (const [index, { text }] of WRITTEN.entries()) await corpus.tweet({ id: index + 1, text });
      await indexCorpus(database.sql);
    });
    afterAll(() => corpus?.drop());

    it.for(['idris_info', 'IDRIS_INFO', 'Idris_Info'])(
      'finds the later account by its handle as %s',
      async (handle, { skip }) => {
        if (corpus === null) return skip('the server does not have this locale');
        const { network, context } = corpus;
        expect(await network.users([{ handle }], context)).toMatchObject([{ ok: { id: String(AUTHOR) } }]);
        const list = { kind: 'search', subject: `from:${handle} tide`, product: 'Latest' } as const;
        expect(idsOf(await network.page(list, null, context))).toEqual([String(AUTHOR)]);
      },
    );

    it.for(WRITTEN.map((written, index) => ({ ...written, id: String(index + 1) })))(
      'finds $name',
      async ({ id, found, notFound }, { skip }) => {
        if (corpus === null) return skip('the server does not have this locale');
        const { network } = corpus;
        // Does not index first as the test corpus does, because many searches at a time would wait for each other's
        // turn.
        const finds = async (q: string): Promise<boolean> => {
          const { signal } = new AbortController();
          return idsOf(
            await network.page({ kind: 'search', subject: q, product: 'Latest' }, null, { signal }),
          ).includes(id);
        };
        const answers = await Promise.all([...found, ...notFound].map(async (q) => [q, await finds(q)]));
        expect(answers).toEqual([...found.map((q) => [q, true]), ...notFound.map((q) => [q, false])]);
      },
    );
  });
}
