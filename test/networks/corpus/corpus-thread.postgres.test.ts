import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Corpus, freshCorpus, idsOf, range } from './corpus-fixture.js';

describe('threads of a corpus', () => {
  let corpus: Corpus;
  const thread = async (id: number) => idsOf(await corpus.page('thread', id));

  beforeAll(async () => {
    corpus = await freshCorpus();
    await corpus.user({ id: 1 });
    await corpus.user({ id: 2, protected: true });
    const reply = (id: number, to: number, more: object = {}) =>
      corpus.tweet({ id, in_reply_to_id: to, conversation_id: 10, ...more });
    //  10 ─ 11 ─ 12 ─ 14 ─ 18
    //   │    │    └ 17
    //   │    └ 13 (side branch of 12)
    //   └ 15 (side branch of 11)
    await corpus.tweet({ id: 10, conversation_id: 10 });
    await reply(11, 10);
    await reply(12, 11);
    await reply(13, 11);
    await reply(14, 12);
    await reply(15, 10);
    await reply(17, 12);
    await reply(18, 14);
  });
  afterAll(() => corpus.drop());

  it('give the focal tweet, ancestors from the root down, descendants depth first, no side branches (T1)', async () => {
    expect(await thread(12)).toEqual(['12', '10', '11', '14', '18', '17']);
    expect(await thread(10)).toEqual(['10', '11', '12', '14', '18', '17', '13', '15']);
    expect(await thread(18)).toEqual(['18', '10', '11', '12', '14']);
  });

  it('follow replies, not ids or times: an older child comes first whatever its id', async () => {
    await corpus.tweet({ id: 20 });
    await corpus.tweet({ id: 21, in_reply_to_id: 20, created_at: '2016-01-01T00:00:00Z' });
    await corpus.tweet({ id: 22, in_reply_to_id: 20, created_at: '2015-06-01T00:00:00Z' });
    expect(await thread(20)).toEqual(['20', '22', '21']);
  });

  it('skip a missing ancestor; the root of the conversation still comes first (T4)', async () => {
    await corpus.tweet({ id: 30, conversation_id: 30 });
    await corpus.tweet({ id: 33, in_reply_to_id: 32, conversation_id: 30 });
    await corpus.tweet({ id: 34, in_reply_to_id: 33, conversation_id: 30 });
    expect(await thread(34)).toEqual(['34', '30', '33']);
    const page = await corpus.page('thread', 34);
    expect(page.tweets?.at(-1)?.inReplyToId).toBe('32');
    await corpus.tweet({ id: 36, in_reply_to_id: 35, conversation_id: 999_999 });
    expect(await thread(36)).toEqual(['36']);
  });

  it('leave out what a protected author wrote, above and below, but not the answers to it (T8)', async () => {
    await corpus.tweet({ id: 40, author_id: 2 });
    await corpus.tweet({ id: 41, in_reply_to_id: 40 });
    await corpus.tweet({ id: 42, in_reply_to_id: 41, author_id: 2 });
    await corpus.tweet({ id: 43, in_reply_to_id: 42 });
    expect(await thread(41)).toEqual(['41', '43']);
  });

  it('end on replies that run in a circle', async () => {
    await corpus.tweet({ id: 50, in_reply_to_id: 51 });
    await corpus.tweet({ id: 51, in_reply_to_id: 50 });
    await corpus.tweet({ id: 52, in_reply_to_id: 52 });
    expect(await thread(50)).toEqual(['50', '51']);
    expect(await thread(52)).toEqual(['52']);
  });

  it('page by 50 without repeating the focal tweet, even if a reply arrives in between (T2, C11)', async () => {
    await corpus.tweet({ id: 100 });
    for (const id of range(120, 101)) await corpus.tweet({ id, in_reply_to_id: 100 });
    const list = { kind: 'thread', subject: '100' } as const;
    expect(await corpus.walk(list)).toEqual({ ids: range(121, 100).map(String), sizes: [50, 50, 21] });

    const first = await corpus.page('thread', 100);
    await corpus.tweet({ id: 300, in_reply_to_id: 100 });
    const second = await corpus.page('thread', 100, first.next);
    expect(idsOf(second)).toEqual(range(50, 150).map(String));
  });

  it('refuse a token that names no tweet of the thread (C7)', async () => {
    await expect(corpus.page('thread', 10, '0.999')).rejects.toMatchObject({
      code: 'bad_request',
      detail: { param: 'cursor', reason: 'cursor_expired' },
    });
  });

  it('answer a chain a thousand deep, and end after 1,000 tweets above or 5,000 below, saying so (C17)', async () => {
    await corpus.sql`insert into corpus_tweets (id, text, created_at, author_id, in_reply_to_id)
      select n, 'x', timestamptz '2015-01-07' + n * interval '1 second', 1, n - 1 from generate_series(10001, 16000) n`;
    await corpus.sql`analyze corpus_tweets`;
    const page = await corpus.page('thread', 15_999);
    expect(page.tweets).toHaveLength(50);
    const tail = await corpus.page('thread', 10_001, '0.15000');
    expect(tail).toMatchObject({ next: null, endReason: 'network_limit' });
    const below = await corpus.page('thread', 15_999, '0.15998');
    expect(below).toMatchObject({ next: null, endReason: 'network_limit' });
  });
});
