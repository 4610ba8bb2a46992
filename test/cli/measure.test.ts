import { describe, expect, it } from 'vitest';
import { Measure } from '../../adapters/cli/export/measure.js';
import { type ExportState, newState } from '../../adapters/cli/export/state.js';

const state = (changes: Partial<ExportState>): ExportState => ({
  ...newState({ url: '', list: '', subject: '', product: null, format: 'ndjson', fresh: false }),
  ...changes,
});
const TWEET = { id: '1', author: { id: '7', handle: 'Ada', tweets: 40 } };
const RETWEETED = { id: '2', author: { id: '8', handle: 'bob', tweets: 9000 } };

describe('the bar of an export', () => {
  it.each([
    ['a timeline', { list: 'tweets', subject: '@ada' }, { total: 40, done: 10 }],
    ['a timeline by id', { list: 'tweets', subject: '7' }, { total: 40, done: 10 }],
    ['the beginning of a timeline', { list: 'tweets', subject: 'ADA', limit: 20 }, { total: 20, done: 10 }],
    ['a timeline shorter than the limit', { list: 'tweets', subject: 'ada', limit: 90 }, { total: 40, done: 10 }],
    ['the beginning of any list', { list: 'followers', subject: 'ada', limit: 20 }, { total: 20, done: 10 }],
    ['a list of unknown size', { list: 'followers', subject: 'ada' }, { total: 9000, done: 500 }],
    ['tweets of others', { list: 'quotes', subject: '7' }, { total: 9000, done: 500 }],
  ])('measures %s by what is known about its size', (_, of, expected) => {
    const measure = new Measure({ limit: null, maxSpent: 9000, ...of });
    measure.see([RETWEETED, TWEET]);
    measure.see(['3', { id: '4' }]);
    expect(measure.of(state({ items: 10, spent: 500 }))).toEqual(expected);
  });

  it.each([
    { list: 'tweets', subject: 'ada', limit: null },
    { list: 'followers', subject: 'ada', limit: null },
    { list: 'followers', subject: 'ada', limit: 500 },
  ])('is full when $list has been read to its end, limit $limit', (of) => {
    const measure = new Measure({ maxSpent: 9000, ...of });
    measure.see([TWEET]);
    const { done, total } = measure.of(state({ items: 38, spent: 500, isComplete: true }));
    expect(done).toBe(total);
  });
});
