/** What is imported is true: texts stay unchanged, and no import removes what an earlier one knew. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isCutOf, isCutOfSql } from '../../../adapters/networks/corpus/import/cut-text.js';
import { importPaths } from '../../../adapters/networks/corpus/import/import-paths.js';
import { startPerch, type TestAccount, type TestPerch } from '../../kit/perch.js';
import { lines, type Scratch, scratchFolder } from './import-support.js';

const CREATED = '2020-01-01T00:00:00.000Z';

let perch: TestPerch;
let account: TestAccount;
let scratch: Scratch;
beforeAll(async () => {
  [perch, scratch] = await Promise.all([startPerch(), scratchFolder()]);
  account = await perch.account({ credits: 1_000_000 });
});
afterAll(() => Promise.all([perch.close(), scratch.remove()]));

interface Parts {
  readonly media?: readonly object[];
  readonly audio?: readonly object[];
  readonly poll?: { readonly options: readonly object[] };
  readonly articles?: readonly object[];
}

interface Served extends Parts {
  readonly id: string;
  readonly text: string;
  readonly author: { readonly name: string; readonly bio?: string };
}

const byId = (one: { id: string }, other: { id: string }): number => one.id.localeCompare(other.id);

/** Empty texts are left out. */
const partsOf = ({ media, audio, poll, articles }: Parts): unknown =>
  JSON.parse(
    JSON.stringify({ media, audio, poll, articles }, (name, value) =>
      value === '' && name !== 'text' && name !== 'title' ? undefined : value,
    ),
  );

let files = 0;
async function imported(content: string, name = 'rows.ndjson') {
  files += 1;
  const summary = await importPaths(perch.database.sql, [await scratch.write(`${files}/${name}`, content)]);
  expect(summary.faults.first).toEqual([]);
  return summary;
}

async function get(path: string): Promise<{ data: Record<string, unknown>[] & Record<string, unknown> }> {
  const answer = await fetch(`${perch.url}${path}`, { headers: { 'x-api-key': account.key } });
  expect(answer.status).toBe(200);
  return (await answer.json()) as never;
}

/** A timeline as `perch export` writes it: one object of the answer on each line. */
const exported = async (id: number): Promise<string> =>
  lines(...(await get(`/v1/users/${id}/tweets?count=100&fresh=true`)).data);

describe('export, import, export', () => {
  const text = fc
    .array(
      fc.oneof(
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom(
          '&amp;',
          '&lt;br&gt;',
          '&amp;lt;',
          '&#39;',
          '&',
          '…',
          'RT @a: ',
          'https://t.co/x ',
          '\u2028',
          '\r\n',
          '\t',
          '\\n',
          '"',
          '\uFEFF',
        ),
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join(''));

  const link = fc.option(text, { nil: undefined }).map((path) => path && `https://example.org/${path}`);
  const parts = fc.record(
    {
      media: fc.array(fc.record({ type: fc.constant('photo'), url: link, alt_text: text }, { requiredKeys: ['type'] })),
      audio: fc.array(fc.record({ url: link, alt_text: text }, { requiredKeys: [] })),
      poll: fc.record(
        {
          options: fc.array(fc.record({ text, votes: fc.nat() }, { requiredKeys: ['text'] })),
          ends_at: fc.constant(CREATED),
        },
        { requiredKeys: ['options'] },
      ),
      articles: fc.array(fc.record({ title: text, url: link }, { requiredKeys: ['title'] })),
    },
    { requiredKeys: [] },
  );

  it('gives the same lines for all texts, in posts and in their parts', async () => {
    let author = 1_000;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(text, parts), { minLength: 20, maxLength: 80 }),
        text,
        text,
        async (posts, name, bio) => {
          author += 1;
          const id = String(author);
          const tweets = posts.map(([each, inside], index) => ({
            ...inside,
            id: `${author}${index + 100}`,
            text: each,
            created_at: CREATED,
            author_id: id,
          }));
          await imported(lines({ id, handle: `h${id}`, name, bio, location: bio }, ...tweets));
          const first = await exported(author);
          const served = first
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as Served);
          expect(new Map(served.map((each) => [each.id, each.text]))).toEqual(
            new Map(tweets.map((each) => [each.id, each.text])),
          );
          expect(served.toSorted(byId).map(partsOf)).toEqual(tweets.toSorted(byId).map(partsOf));
          expect(served[0]?.author.name).toBe(name);
          expect(served[0]?.author.bio ?? '').toBe(bio);
          await imported(first);
          expect(await exported(author)).toBe(first);
          expect(await imported(first)).toMatchObject({ users: { changed: 0 }, tweets: { added: 0, changed: 0 } });
        },
      ),
      { numRuns: 10 },
    );
  });
});

describe('an import takes nothing away', () => {
  const references = [{ type: 'retweeted', id: '400' }];
  const retweet = {
    id: '401',
    text: 'RT @someone: zugzwang',
    author_id: '7501',
    created_at: CREATED,
    edit_history_tweet_ids: ['401'],
  };
  const reply = { ...retweet, id: '402', text: '@someone zugzwang', edit_history_tweet_ids: ['402'] };
  const flags = async (id: string) => {
    const { is_retweet, is_quote, is_reply, retweeted_id } = (await get(`/v1/tweets/${id}?fresh=true`)).data;
    return { is_retweet, is_quote, is_reply, retweeted_id };
  };

  it('that was not requested: a page with few fields, before or after one with all', async () => {
    const full = {
      data: [{ ...retweet, referenced_tweets: references }, reply],
      includes: { users: [{ id: '7501', username: 'few', name: 'Few' }] },
    };
    const few = { data: [retweet, reply] };
    await imported(JSON.stringify(few), 'few.json');
    expect(await flags('401')).toEqual({});
    await imported(JSON.stringify(full), 'full.json');
    const known = { is_retweet: true, is_quote: false, is_reply: false, retweeted_id: '400' };
    expect(await flags('401')).toEqual(known);
    // The request asked for references, and the reply has none, so both are known.
    expect(await flags('402')).toEqual({ is_retweet: false, is_quote: false, is_reply: false });
    expect((await imported(JSON.stringify(few), 'few.json')).tweets).toMatchObject({ added: 0, changed: 0 });
    expect(await flags('401')).toEqual(known);
  });

  it('even if a later file lacks an alternative text and the end of a poll', async () => {
    const url = 'https://img.example/1.jpg';
    const attachments = { media_keys: ['3_1'], poll_ids: ['5'] };
    const page = (id: string, alt_text?: string, end_datetime?: string) => ({
      data: [{ ...retweet, id, edit_history_tweet_ids: [id], attachments }],
      includes: {
        media: [{ media_key: '3_1', type: 'photo', url, alt_text, height: alt_text ? undefined : 9 }],
        polls: [{ id: '5', options: [{ position: 1, label: 'yes', votes: alt_text ? 1 : 2 }], end_datetime }],
      },
    });
    const first = (id: string) => page(id, 'A buoy', CREATED);
    await imported(JSON.stringify([first('601'), page('601')]), 'both.json');
    await imported(JSON.stringify(first('602')), 'first.json');
    await imported(JSON.stringify(page('602')), 'then.json');
    for (const id of ['601', '602']) {
      expect((await get(`/v1/tweets/${id}?fresh=true`)).data).toMatchObject({
        media: [{ type: 'photo', url, alt_text: 'A buoy', height: 9 }],
        poll: { options: [{ text: 'yes', votes: 2 }], ends_at: CREATED },
      });
    }
    expect((await imported(JSON.stringify(page('602')), 'again.json')).tweets).toMatchObject({ changed: 0 });
  });

  it('that the source cut: a whole text and its links stay, within one import and across two', async () => {
    const whole = 'The long story of a harbour that never ended #whole';
    const page = (id: string, more: object) => ({ data: [{ ...retweet, id, edit_history_tweet_ids: [id], ...more }] });
    const long = {
      text: 'The long story of a harbour…',
      note_tweet: { text: whole, entities: { hashtags: [{ tag: 'whole' }] } },
    };
    const cut = { text: 'The long story of a harbour… https://t.co/abc', entities: { hashtags: [] } };
    await imported(JSON.stringify([page('501', long), page('501', cut)]), 'both.json');
    await imported(JSON.stringify(page('502', long)), 'long.json');
    await imported(JSON.stringify(page('502', cut)), 'cut.json');
    await imported(JSON.stringify(page('504', long)), 'long.json');
    await imported(JSON.stringify(page('504', { ...cut, text: 'The long story of a harbour ...' })), 'cut.json');
    for (const id of ['501', '502', '504']) {
      expect((await get(`/v1/tweets/${id}?fresh=true`)).data).toMatchObject({ text: whole, hashtags: ['whole'] });
    }
    await imported(JSON.stringify(page('503', cut)), 'cut.json');
    await imported(JSON.stringify(page('503', long)), 'long.json');
    expect((await get('/v1/tweets/503?fresh=true')).data).toMatchObject({ text: whole, hashtags: ['whole'] });
  });
});

describe('an import takes no placeholder for a fact', () => {
  it('of a count or a time that an exported profile does not know (T17, T21)', async () => {
    const user = { id: '9001', handle: 'pelican', name: 'Pelican' };
    const known = { followers: 12, following: 5, tweets: 900, created_at: CREATED };
    const unknown = { followers: 0, following: 0, tweets: 0, created_at: '1970-01-01T00:00:00.000Z' };
    await imported(lines({ ...user, ...known }));
    await imported(lines({ ...user, ...unknown, unknown_counts: ['followers', 'following', 'tweets'] }));
    expect((await get('/v1/users/pelican?fresh=true')).data).toMatchObject(known);
  });
});

describe('an edited tweet (T29)', () => {
  const author = 8_000;
  const versions = ['8101', '8102', '8103'];
  const page = (...ids: string[]) => ({
    data: ids.map((id) => ({
      id,
      text: `heliograph ${id}`,
      author_id: `${author}`,
      created_at: CREATED,
      edit_history_tweet_ids: versions,
    })),
    includes: { users: [{ id: `${author}`, username: 'edda', name: 'Edda' }] },
  });
  const listed = async () => [
    (await get(`/v1/users/${author}/tweets?fresh=true`)).data.map(({ id }) => id),
    (await get('/v1/tweets/search?q=heliograph&fresh=true')).data.map(({ id }) => id),
    (await get(`/v1/users/edda?fresh=true`)).data.tweets,
  ];

  it('is in lists once, as the latest existing version, whichever came first', async () => {
    await imported(JSON.stringify(page('8101')), 'first.json');
    expect(await listed()).toEqual([['8101'], ['8101'], 1]);
    await imported(JSON.stringify(page('8103')), 'last.json');
    expect(await listed()).toEqual([['8103'], ['8103'], 1]);
    // An older file, from before the last edit.
    const older = page('8102');
    for (const each of older.data) each.edit_history_tweet_ids = versions.slice(0, 2);
    await imported(JSON.stringify(older), 'older.json');
    expect(await listed()).toEqual([['8103'], ['8103'], 1]);
    expect((await get('/v1/tweets/8101?fresh=true')).data).toMatchObject({ text: 'heliograph 8101' });
  });
});

/** Texts that two languages may see differently: their white space, letters and characters beyond the basic plane. */
const SPACES = [' ', '\n', '\t', '\u00A0', '\u2003', '\u3000', '\uFEFF'];
const LINKS = ['https://t.co/Ab0_', 'https://t.co/é', 'https://t.co/', 'http://t.co/Ab0'];
const pieces = ['a', 'low tide at the pier', '\u{1F980}', 'é', '…', ' ...', '...', ...SPACES, ...LINKS];

it('takes a text for the beginning of another by one rule, here and in the database (T27)', async () => {
  const { sql } = perch.database;
  const text = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join(''));
  const pair = fc.oneof(
    fc.tuple(text, text),
    fc.tuple(text, text).map(([whole, end]) => [whole + end, whole] as const),
    fc.tuple(text, text).map(([whole, more]) => [`${whole}…`, whole + more] as const),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(pair, { minLength: 100, maxLength: 100 }), async (pairs) => {
      const texts = [pairs.map(([one]) => one), pairs.map(([, other]) => other)] as const;
      const rows = await sql.unsafe<{ isCut: boolean }[]>(
        `select ${isCutOfSql('one', 'other')} as "isCut"
         from unnest($1::text[], $2::text[]) with ordinality as pairs (one, other, nth) order by nth`,
        texts as unknown as string[],
      );
      expect(rows.map(({ isCut }) => isCut)).toEqual(pairs.map(([one, other]) => isCutOf(one, other)));
    }),
    { numRuns: 30 },
  );
});

it.each([
  ['a few letters', 'Hi… https://t.co/0123456789', 'Hi, this is all that there is to say'],
  ['ten characters of two units each', `${'\u{1F980}'.repeat(10)}…`, '\u{1F980}'.repeat(40)],
])('replaces a stored text by a cut one that begins with %s of it only', async (_, cut, stored) => {
  const id = String(9_000_000 + cut.length);
  const given = (text: string) => lines({ id, author_id: '1', created_at: CREATED, text });
  for (const [name, text] of [
    ['one.ndjson', stored],
    ['two.ndjson', cut],
  ] as const) {
    await importPaths(perch.database.sql, [await scratch.write(name, given(text))]);
  }
  const [row] = await perch.database.sql`select text from corpus_tweets where id = ${id}`;
  expect(row?.text).toBe(cut);
});
