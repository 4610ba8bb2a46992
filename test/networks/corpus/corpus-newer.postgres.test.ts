/** What is newer than an earlier answer, as rows are added in between. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { indexCorpus } from '../../../adapters/networks/corpus/import/index-corpus.js';
import { hasSince, LIST_KINDS, LISTS } from '../../../src/domain/lists.js';
import { PRODUCTS } from '../../../src/domain/model.js';
import { createEngine } from '../../kit/engine.js';
import { type Corpus, freshCorpus, range } from './corpus-fixture.js';

let corpus: Corpus;
beforeAll(async () => {
  corpus = await freshCorpus();
  await corpus.user({ id: 1 });
  await corpus.tweet({ id: 7 });
  for (const id of range(30, 100)) await add(id, new Date(Date.UTC(2026, 0, 1, 0, 0, id)));
});
afterAll(() => corpus?.drop());

/** Adds a tweet to every list here, with a picture and a film. */
const add = (id: number, at: Date): Promise<void> =>
  corpus.tweet({
    id,
    created_at: at.toISOString(),
    text: 'bread',
    in_reply_to_id: 7,
    quoted_id: 7,
    media: [
      { type: 'photo', url: 'https://example.org/1.jpg' },
      { type: 'video', url: 'https://example.org/1.mp4' },
    ],
  });

const WATCHED = LIST_KINDS.flatMap((kind) =>
  (kind === 'search' ? PRODUCTS : [undefined]).map((product) => ({ kind, product })),
).filter((list) => hasSince(list));

let last = 1000;

it.each(WATCHED.map((list) => [`${list.kind} ${list.product ?? ''}`, list] as const))(
  'returns new rows once, oldest first, and none if none came: %s',
  async (_name, { kind, product }) => {
    const engine = createEngine(corpus.network);
    // Later than everything the tests before have added.
    engine.clock.nowMs = Date.UTC(2026, 1, 1) + last * 60_000;
    const subject = { user: '1', tweet: '7', query: 'bread' }[LISTS[kind].subject];
    const readSince = async (since: string | null) => {
      await indexCorpus(corpus.sql);
      const { page, charge } = await engine.page({ kind, subject, count: 20, since, ...(product && { product }) });
      expect([page.gap, charge.amount > 0]).toEqual([since === null ? null : false, page.nodes.length > 0]);
      return { ids: page.nodes.map(({ id }) => id), since: page.sinceCursor() };
    };
    const first = await readSince(null);
    expect(first.ids).toHaveLength(20);
    engine.drop();
    const quiet = await readSince(first.since);
    expect(quiet.ids).toEqual([]);
    const added = range(25, last);
    last += 100;
    // In pairs with the same second.
    for (const id of added) await add(id, new Date(engine.clock.nowMs + Math.floor(id / 2) * 1000));
    engine.clock.nowMs += 3_600_000;
    engine.drop();
    const second = await readSince(quiet.since);
    const third = await readSince(second.since);
    expect([...second.ids, ...third.ids]).toEqual(added.map(String));
    engine.drop();
    expect((await readSince(third.since)).ids).toEqual([]);
  },
);
