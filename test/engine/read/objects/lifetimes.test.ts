import { describe, expect, it } from 'vitest';
import type { ListKind } from '../../../../src/domain/lists.js';
import { DEFAULT_LIFETIMES, pageLifetime } from '../../../../src/read/lifetimes.js';

const MINUTE = 60_000;

describe('an answer of the network is cached', () => {
  it.each<[ListKind, first: number, deeper: number]>([
    ['timeline', 2, 60],
    ['thread', 2, 60],
    ['replies', 2, 60],
    ['quotes', 2, 60],
    ['search', 2, 60],
    ['followers', 360, 360],
    ['following', 360, 360],
  ])('as a page of %s for %d minutes, or %d if it is not a first page (M11)', (kind, first, deeper) => {
    const list = { kind, subject: '1' };
    const minutes = [true, false].map((isFirst) => pageLifetime(DEFAULT_LIFETIMES, list, isFirst) / MINUTE);
    expect(minutes).toEqual([first, deeper]);
  });

  it('as a single object for a quarter of an hour, and as a 404 for a minute (M11, M24)', () => {
    const { profileMs, tweetMs, absentMs } = DEFAULT_LIFETIMES;
    expect([profileMs, tweetMs, absentMs]).toEqual([15 * MINUTE, 15 * MINUTE, MINUTE]);
  });
});
