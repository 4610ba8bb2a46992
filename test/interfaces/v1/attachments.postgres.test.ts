import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadCorpus } from '../../../adapters/networks/corpus/import/load.js';
import { parseRows } from '../../../adapters/networks/corpus/import/objects/objects.js';
import type { ImportSummary } from '../../../adapters/networks/corpus/import/summary.js';
import type { CorpusRow } from '../../../adapters/networks/corpus/rows.js';
import { record } from '../../kit/client.js';
import { type Customers, customersOf } from '../../kit/customers.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';

const TWEET = {
  id: '7100',
  text: 'Which tide?',
  created_at: '2026-01-02T03:04:05.000Z',
  author_id: '7001',
  media: [
    { type: 'photo', url: 'https://a.example/p.jpg', width: 2, height: 1, alt_text: 'A ferry & a gull' },
    { type: 'photo', url: 'https://a.example/q.jpg' },
  ],
  audio: [{ url: 'https://a.example/horn.ogg', alt_text: 'Fog horn' }, { url: 'https://a.example/bell.ogg' }],
  poll: { options: [{ text: 'Spring', votes: 3 }, { text: 'Neap' }], ends_at: '2026-01-03T00:00:00.000Z' },
  articles: [{ title: 'On tides', url: 'https://a.example/tides' }, { title: 'Untraced' }],
};

describe('alternative texts, sounds, polls and articles (T22)', () => {
  let perch: TestPerch;
  let customers: Customers;
  let load: (value: object) => Promise<ImportSummary>;
  beforeAll(async () => {
    perch = await startPerch({
      async prepare({ sql }) {
        load = (value) => loadCorpus(sql, parseRows(value, { expected: 'tweet' }) as CorpusRow[]);
        await load(TWEET);
      },
    });
    customers = customersOf(perch);
  });
  afterAll(() => perch?.close());

  it('are imported from a file, served, and unchanged when what was served is imported again', async () => {
    const reader = await customers.customer();
    const served = record(await reader.get('/v1/tweets/7100'));
    expect(served).toMatchObject(TWEET);
    expect((await load(served)).tweets).toEqual({ read: 1, added: 0, changed: 0 });
  });

  it('are free in GraphQL once the tweet is paid for', async () => {
    const reader = await customers.customer();
    const query = `{ tweet(id: "7100") { media { altText } audio { url altText } poll { options { text votes } endsAt } articles { title url } } }`;
    const { body } = await reader.post('/graphql', { query });
    expect(body).toMatchObject({
      data: {
        tweet: {
          media: [{ altText: 'A ferry & a gull' }, { altText: null }],
          audio: [{ altText: 'Fog horn' }, { altText: null }],
          poll: {
            options: [
              { text: 'Spring', votes: 3 },
              { text: 'Neap', votes: null },
            ],
            endsAt: TWEET.poll.ends_at,
          },
          articles: [{ title: 'On tides' }, { title: 'Untraced', url: null }],
        },
      },
    });
    // One line on the receipt: the tweet, whether or not it was cached.
    expect(body).toMatchObject({ extensions: { credits: { breakdown: [{ path: 'tweet', items: 1 }] } } });
  });
});
