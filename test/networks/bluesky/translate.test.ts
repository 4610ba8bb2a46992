import { describe, expect, it } from 'vitest';
import { canSayInV2, searchPosts, searchPostsV2 } from '../../../adapters/networks/bluesky/search/search.js';
import { translate, translatePeople } from '../../../adapters/networks/bluesky/search/translate.js';
import type { ServiceError } from '../../../src/domain/errors.js';
import type { Product } from '../../../src/domain/model.js';

/** The parameters that are sent. */
const sent = (params: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(params).filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0)),
  );

const older = (q: string, product: Product = 'Latest') => sent(searchPosts(translate(q, product), product));
const newer = (q: string, product: Product = 'Latest') => sent(searchPostsV2(translate(q, product), product));

describe('a search in Bluesky’s words: what is sent for what a caller writes', () => {
  it.each<[string, object]>([
    ['ferry', { q: 'ferry' }],
    ['early ferry', { q: 'early ferry' }],
    ['"early ferry" six', { q: '"early ferry" six' }],
    ['harbor_2', { q: 'harbor_2' }],
    // What a query language could interpret becomes a phrase of one word.
    ['a*b', { q: '"a*b"' }],
    // A backslash at the end could keep a phrase open.
    ['"slow boat\\" tide', { q: '"slow boat" tide' }],
    ['sea\\ boat\\six', { q: '"sea" "boat six"' }],
    ['AND', { q: '"AND"' }],
    ['https://example.org/a?b=c', { q: '*', url: 'https://example.org/a?b=c' }],
    ['ferry from:ada.test', { q: 'ferry', author: 'ada.test' }],
    ['from:Ada.Test', { q: '*', author: 'ada.test' }],
    ['from:@ada.test ferry', { q: 'ferry', author: 'ada.test' }],
    ['ferry to:ada.test', { q: 'ferry', mentions: 'ada.test' }],
    ['ferry lang:en', { q: 'ferry', lang: 'en' }],
    ['ferry url:example.org', { q: 'ferry', domain: 'example.org' }],
    ['ferry url:"https://example.org/a"', { q: 'ferry', url: 'https://example.org/a' }],
    ['#tide #ferry', { q: '*', tag: ['tide', 'ferry'] }],
    ['ferry since:2026-10-01', { q: 'ferry', since: '2026-10-01T00:00:00.000Z' }],
    ['ferry until:2026-10-01', { q: 'ferry', until: '2026-10-01T00:00:00.000Z' }],
    ['ferry since:2026-10-01 since:2026-11-01', { q: 'ferry', since: '2026-11-01T00:00:00.000Z' }],
    ['ferry until:2026-10-01 until:2026-11-01', { q: 'ferry', until: '2026-10-01T00:00:00.000Z' }],
    ['ferry since_time:1790812800', { q: 'ferry', since: '2026-10-01T00:00:00.000Z' }],
    ['$BSKY', { q: '"$BSKY"' }],
    ['ferry min_faves:10 filter:links -filter:replies', { q: 'ferry' }],
    ['(ferry six)', { q: 'ferry six' }],
  ])('%s', (q, params) => {
    expect(older(q)).toEqual({ sort: 'latest', ...params });
  });

  it('uses the network’s own order for Top', () => {
    expect(older('ferry', 'Top')).toEqual({ q: 'ferry', sort: 'top' });
    expect(newer('ferry', 'Top')).toMatchObject({ query: 'ferry', sort: 'top' });
  });

  it.each<[string, Product, object]>([
    ['ferry from:ada.test', 'Latest', { query: 'ferry', authors: 'ada.test' }],
    ['ferry filter:replies', 'Latest', { query: 'ferry', repliesOnly: true }],
    ['ferry -filter:replies', 'Latest', { query: 'ferry', excludeReplies: true }],
    ['ferry filter:media', 'Latest', { query: 'ferry', hasMedia: true }],
    ['ferry filter:videos', 'Latest', { query: 'ferry', hasVideo: true }],
    ['ferry -filter:media', 'Latest', { query: 'ferry' }],
    ['ferry', 'Photos', { query: 'ferry', hasMedia: true }],
    ['ferry', 'Videos', { query: 'ferry', hasVideo: true }],
    ['#tide', 'Latest', { hashtags: ['tide'] }],
  ])('requests larger pages of the newer search: %s, %s', (q, product, params) => {
    expect(newer(q, product)).toEqual({ sort: 'recent', allTime: true, ...params });
  });

  it('uses the older search for several tags, because the newer one matches any of them', () => {
    expect(['#a #b', 'min_faves:1', '#a', 'ferry'].map((q) => canSayInV2(translate(q, 'Latest')))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  it.each([
    ['ferry OR boat', 'OR'],
    ['ferry (tide OR boat)', 'OR'],
    ['ferry -boat', '-boat'],
    ['ferry -"slow boat"', '-"slow boat"'],
    ['ferry -from:ada.test', '-from:ada.test'],
    ['ferry -(boat tide)', '-( )'],
    ['ferry filter:retweets', 'filter:retweets'],
    ['ferry conversation_id:12', 'conversation_id:12'],
    ['ferry quoted_tweet_id:12', 'quoted_tweet_id:12'],
    ['ferry since_id:12', 'since_id:12'],
    ['ferry max_id:12', 'max_id:12'],
    ['ferry from:ada', 'from:ada'],
    ['ferry @ada', '@ada'],
    ['from:ada.test from:ben.test', 'from:ben.test'],
    ['lang:en lang:de', 'lang:de'],
    ['ferry url:example.org/a', 'url:example.org/a'],
    ['ferry url:"https://example.org/a b"', 'url:'],
    ['ferry url:"https:///a"', 'url:'],
    [`#${'a'.repeat(65)}`, `#${'a'.repeat(65)}`],
    ['ferry near:harbour', 'near:'],
    ['ferry geocode:1,2,3km', 'geocode:'],
  ])('refuses %s with a message that names %s', (q, name) => {
    let failure: ServiceError | undefined;
    try {
      translate(q, 'Latest');
    } catch (error) {
      failure = error as ServiceError;
    }
    expect([failure?.code, failure?.detail.param]).toEqual(['bad_request', 'q']);
    expect(failure?.message).toContain(name);
    // A reason is given only if there is one.
    expect(failure?.message).not.toMatch(/not support.*not supported/);
  });

  it('allows at most 64 characters of any kind and 640 bytes in a hashtag', () => {
    const tag = 'e\u0301'.repeat(64);
    expect(translate(`#${tag}`, 'Latest').tags).toHaveLength(1);
    const heavy = `e${'\u0301'.repeat(10)}`.repeat(32);
    expect(() => translate(`#${heavy}`, 'Latest')).toThrow(/64 characters/);
  });

  it('searches people by words', () => {
    expect(translatePeople('ada "of the harbour"')).toBe('ada of the harbour');
    for (const q of ['from:ada.test', 'ada -ben', '#tide', 'ada OR ben']) {
      expect(() => translatePeople(q)).toThrow(/takes words only/);
    }
  });

  describe('filters the results', () => {
    const tweet = {
      id: '1',
      text: 'A $BSKY boat',
      createdAt: '2026-10-01T00:00:00.000Z',
      authorId: '2',
      likesCount: 5,
      media: [{ type: 'photo' as const }],
      urls: [],
      hashtags: ['tide'],
      isReply: true,
      isRetweet: false,
    };
    it.each([
      ['min_faves:5', true],
      ['min_faves:6', false],
      ['-min_faves:6', true],
      ['min_retweets:1', false],
      ['filter:replies', true],
      ['-filter:replies', false],
      ['filter:images', true],
      ['filter:videos', false],
      ['filter:links', false],
      ['filter:hashtags', true],
      ['filter:verified', true],
      ['-filter:retweets', true],
      ['(filter:videos OR filter:images)', true],
      ['-(filter:videos OR filter:images)', false],
      ['$bsky', true],
      ['$OTHER', false],
      ['$BS', false],
    ])('%s: %s', (q, expected) => {
      const { filters } = translate(`boat ${q}`, 'Latest');
      expect(filters.every((holds) => holds({ tweet, verified: true }))).toBe(expected);
    });
  });
});
