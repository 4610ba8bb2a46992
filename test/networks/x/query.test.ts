import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePeople, compilePosts } from '../../../adapters/networks/x/query.js';
import { checkSearch } from '../../../adapters/networks/x/search.js';
import { chooseWindow, encodeToken, parseToken } from '../../../adapters/networks/x/window.js';
import { ServiceError } from '../../../src/domain/errors.js';
import type { Product } from '../../../src/domain/model.js';

const NOW = Date.parse('2026-11-21T18:00:00Z');
const clock = { now: () => NOW };
/** The id of a post that was written an hour before. */
const ID = (BigInt(NOW - 3_600_000 - 1288834974657) << 22n) + 1n;
const recent = { search: 'recent', clock } as const;
const archive = { search: 'archive', clock } as const;

const sent = (q: string, settings: typeof recent | typeof archive = recent) => {
  const { query, bounds } = compilePosts(q, null);
  const { path, params } = chooseWindow(bounds, settings);
  return { path, query, ...params };
};

function refusal(q: string, product: Product = 'Latest', settings: typeof recent | typeof archive = recent): string {
  try {
    checkSearch(q, product, settings);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'bad_request' && error.detail.param === 'q')
      return error.message;
    throw error;
  }
  return '';
}

describe('translating a search for X', () => {
  it.each([
    ['ferry', 'ferry'],
    ['ferry tide', 'ferry tide'],
    ['"low tide"', '"low tide"'],
    ['#tide $TSLA @gull', '#tide $TSLA @gull'],
    ['a OR b', '(a OR b)'],
    ['a b OR c', '((a b) OR c)'],
    ['a (b OR c)', 'a (b OR c)'],
    ['a -b -"c d"', 'a -b -"c d"'],
    ['a --b', 'a b'],
    ['a -(b OR c)', 'a -b -c'],
    ['a -(b OR (c OR from:gull))', 'a -b -c -from:gull'],
    ['from:gull to:@tern', 'from:gull to:tern'],
    ['url:example.org', 'url:"example.org"'],
    ['a lang:en', 'a lang:en'],
    ['conversation_id:12 quoted_tweet_id:13', 'conversation_id:12 quotes_of_tweet_id:13'],
    ['a min_faves:5 min_retweets:6 min_replies:7', 'a min_likes:5 min_reposts:6 min_replies:7'],
    ['a filter:replies', 'a is:reply'],
    ['a -filter:replies', 'a -is:reply'],
    ['a filter:retweets -filter:nativeretweets', 'a is:retweet -is:retweet'],
    ['a filter:quote filter:verified', 'a is:quote is:verified'],
    ['a filter:media filter:images', 'a has:media has:images'],
    ['a filter:videos filter:native_video', 'a has:video_link has:video_link'],
    ['a filter:links filter:hashtags filter:mentions', 'a has:links has:hashtags has:mentions'],
    ['coca-cola 12:30 well…', '"coca-cola" "12:30" "well…"'],
    ['or And été', '"or" "And" été'],
    ['a\\b', '"a\\\\b"'],
  ])('%s → %s', (q, query) => {
    expect(sent(q)).toEqual({ path: 'recent', query });
  });

  it.each<[string, object]>([
    ['a since:2026-11-20', { start_time: '2026-11-20T00:00:00Z' }],
    ['a since:2026-11-19 since:2026-11-20', { start_time: '2026-11-20T00:00:00Z' }],
    ['a since_time:1795219200', { start_time: '2026-11-21T00:00:00Z' }],
    ['a until:2026-11-21', { end_time: '2026-11-21T00:00:00Z' }],
    ['a until:2026-11-20 until:2026-11-21', { end_time: '2026-11-20T00:00:00Z' }],
    ['a until:2026-11-21_11:30:00_UTC', { end_time: '2026-11-21T11:30:00Z' }],
    // A search that ends now or later needs no end, and one from a day in which the seven days begin needs no
    // beginning.
    ['a until:2026-11-22', {}],
    ['a until_time:1795283990', {}],
    ['a since:2026-11-14', {}],
    [`a since_id:${ID}`, { since_id: String(ID) }],
    [`a max_id:${ID}`, { until_id: String(ID + 1n) }],
    ['a max_id:9223372036854775807', {}],
  ])('%s → parameters %j', (q, params) => {
    expect(sent(q)).toEqual({ path: 'recent', query: 'a', ...params });
  });

  it('uses the archive only for what recent search does not reach, from its beginning', () => {
    expect(sent('a since:2026-11-20', archive)).toEqual({
      path: 'recent',
      query: 'a',
      start_time: '2026-11-20T00:00:00Z',
    });
    expect(sent('a', archive)).toEqual({ path: 'all', query: 'a', start_time: '2006-03-21T00:00:00Z' });
    expect(sent('a since:2015-01-07 until:2016-01-01', archive)).toEqual({
      path: 'all',
      query: 'a',
      start_time: '2015-01-07T00:00:00Z',
      end_time: '2016-01-01T00:00:00Z',
    });
    expect(sent('a since_id:20', archive)).toMatchObject({ path: 'all', since_id: '20' });
    expect(sent('a since:1999-01-01', archive)).toMatchObject({ start_time: '2006-03-21T00:00:00Z' });
  });

  it('continues a list over the same window', () => {
    for (const bounds of [{}, { since: NOW - 1000 }, { afterId: '1999', uptoId: '20' }, { until: NOW - 86_400_000 }]) {
      for (const settings of [recent, archive]) {
        const window = chooseWindow(bounds, settings);
        expect(parseToken(encodeToken(window, 'b.26'))).toEqual({ window, nextToken: 'b.26' });
      }
    }
  });

  it.each([
    ['a near:harbour', 'near:'],
    ['a within:5km', 'within:'],
    ['a min_quotes:5', 'min_quotes:'],
    ['a filter:follows', 'filter:'],
    ['a card_name:poll', 'card_name:'],
    ['a source:web', 'source:'],
    ['a -(b c)', '-( … )'],
    ['a OR since:2026-11-20', 'since:'],
    ['a -until:2026-11-20', 'until:'],
    ['a (b OR -since_id:5)', 'since_id:'],
    ['a -max_id:5', 'max_id:'],
    [`a since:2026-11-20 since_id:${ID}`, 'since: or since_id:'],
    [`a until:2026-11-20 max_id:${ID}`, 'until: or max_id:'],
    ['from:somebody@example.org', 'from:'],
    ['@much_too_long_for_x', '@'],
    ['a since:2026-11-12', 'since:'],
    ['a since_id:20', 'since_id:'],
    ['a until:2026-11-14', 'until:'],
    ['a max_id:20', 'max_id:'],
    ['lang:en', 'something to search for'],
    ['filter:images min_faves:5', 'something to search for'],
    ['since:2026-11-20', 'something to search for'],
    ['a OR filter:images', 'something to search for'],
  ])('refuses %s by name: %s', (q, named) => {
    expect(refusal(q)).toContain(named);
  });

  it('names the setting that allows dates older than seven days when it refuses them', () => {
    for (const q of ['a since:2015-01-07', 'a until:2015-01-07', 'a since_id:20', 'a max_id:20'])
      expect(refusal(q)).toMatch(/X_SEARCH=recent.*X_SEARCH=archive/);
  });

  it('accepts dates older than seven days with archive search', () => {
    for (const q of ['a since:2015-01-07', 'a until:2015-01-07', 'a since_id:20'])
      expect(refusal(q, 'Latest', archive)).toBe('');
  });

  it('narrows products to pictures or videos, and refuses a search with nothing else', () => {
    expect(compilePosts('a OR b', 'images').query).toBe('(a OR b) has:images');
    expect(compilePosts('a', 'video_link').query).toBe('a has:video_link');
    expect(refusal('filter:verified', 'Photos')).toContain('something to search for');
  });

  it('takes words and handles for People', () => {
    expect(compilePeople('gull @tern "harbour master"')).toBe('gull tern harbour master');
    expect(refusal('gull', 'People')).toBe('');
    for (const q of ['a OR b', 'a -b', 'from:gull', '#tide', 'filter:verified a']) {
      expect(refusal(q, 'People')).toContain('q supports only words and @handles');
    }
    for (const q of ['été', 'a-b', 'a'.repeat(51)]) expect(refusal(q, 'People')).toContain('at most 50');
  });

  it('sends all words of any query, or refuses it, and never lets one break out of its quotes', () => {
    const piece = fc.constantFrom(
      'tide',
      '"low water"',
      'OR',
      '(',
      ')',
      '-',
      'a\\',
      "it's",
      '#t',
      '@g',
      'from:g',
      'lang:en',
      'é-é',
    );
    const all = fc
      .array(piece, { minLength: 1, maxLength: 12 })
      .map((pieces) => pieces.join(' ').replaceAll('- ', '-'));
    fc.assert(
      fc.property(all, (q) => {
        if (refusal(q) !== '') return;
        const { query } = compilePosts(q, null);
        const unquoted = query.replaceAll(/"(?:[^"\\]|\\.)*"/g, '');
        expect(unquoted).not.toMatch(/["\\]/);
        expect(unquoted.split('(').length).toBe(unquoted.split(')').length);
        for (const word of q.match(/tide|low water|it's|#t|@g|from:g|lang:en|é-é/g) ?? [])
          expect(query).toContain(word);
      }),
      { numRuns: 500 },
    );
  });
});
