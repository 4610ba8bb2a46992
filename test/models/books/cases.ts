/** Cases that random runs found, each reduced as far as possible. They are tried in every run. */
import type { Step } from './steps.js';

const ALONE = { key: 0, fresh: false, budget: null, over: 'rest' } as const;

export const CASES: Readonly<Record<string, readonly Step[]>> = {
  'a batch of one cached and one uncached profile is `mixed`, though as an operation it was read': [
    { step: 'call', ...ALONE, requests: [{ read: 'users', ids: ['1'] }] },
    { step: 'call', ...ALONE, requests: [{ read: 'users', ids: ['2', '1'] }] },
    { step: 'call', ...ALONE, over: 'graphql', requests: [{ read: 'users', ids: ['3', '1'] }] },
  ],
  'a profile read at once by two accounts after a timeline was read: the first pays in full, the second half': [
    {
      step: 'call',
      ...ALONE,
      requests: [{ read: 'list', kind: 'timeline', count: 1, cursor: null }],
    },
    { step: 'crowd', request: { read: 'user', id: '1' }, overs: ['rest', 'rest'], fresh: false },
  ],
  'an estimate counts the inputs of a batch as they are sent, repeated ones too': [
    { step: 'estimate', ...ALONE, requests: [{ read: 'tweets', ids: ['999', '999'] }] },
    { step: 'call', ...ALONE, requests: [{ read: 'tweets', ids: ['999', '999'] }] },
  ],
  'a network that rests: what of a batch is cached is served at half price, the rest is in `errors`': [
    { step: 'call', ...ALONE, requests: [{ read: 'tweet', id: '1020' }] },
    {
      step: 'fault',
      code: 'upstream_rate_limited',
      ...ALONE,
      over: 'mcp',
      requests: [{ read: 'tweets', ids: ['900', '900', '1020'] }],
    },
  ],
  'a caller leaves while the network hangs: nothing is charged, and the next one reads the same': [
    { step: 'hang', ...ALONE, over: 'graphql', requests: [{ read: 'list', kind: 'quotes', count: 1, cursor: null }] },
  ],
  'a stream whose process was killed before its first items arrived: they come again, free, and the next ones cost': [
    { step: 'follow', key: 0, kind: 'timeline', back: 0, posts: 2, isLost: false },
    { step: 'follow', key: 0, kind: 'timeline', back: 0, posts: 2, isLost: true },
    { step: 'follow', key: 0, kind: 'timeline', back: 1, posts: 1, isLost: false },
    { step: 'follow', key: 0, kind: 'timeline', back: 0, posts: 0, isLost: false },
  ],
  'a watch whose process was killed after a charge and after a webhook: each post is delivered and charged once, in order':
    [
      { step: 'watch', key: 0, kind: 'timeline', posts: 3, killedAt: null },
      { step: 'watch', key: 0, kind: 'timeline', posts: 3, killedAt: 'writing' },
      { step: 'watch', key: 1, kind: 'timeline', posts: 3, killedAt: 'delivering' },
      { step: 'watch', key: 0, kind: 'timeline', posts: 0, killedAt: null },
    ],
  'a watch whose key reaches its cap: it waits, and goes on with another key': [
    { step: 'watch', key: 1, kind: 'search', posts: 0, killedAt: null },
    { step: 'watch', key: 1, kind: 'search', posts: 3, killedAt: null },
    { step: 'watch', key: 1, kind: 'search', posts: 3, killedAt: null },
    { step: 'watch', key: 0, kind: 'search', posts: 1, killedAt: null },
  ],
  'a watch whose list is gone for a time: it is paused, and goes on where it was': [
    { step: 'watch', key: 0, kind: 'timeline', posts: 2, killedAt: null },
    { step: 'change', change: 'hide', kind: 'timeline' },
    { step: 'watch', key: 0, kind: 'timeline', posts: 1, killedAt: null },
    { step: 'change', change: 'show', kind: 'timeline' },
    { step: 'watch', key: 0, kind: 'timeline', posts: 1, killedAt: null },
  ],
};
