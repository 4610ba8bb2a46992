/** The account of the invented network that posts at regular times. */
import { describe, expect, it } from 'vitest';
import {
  POSTING_HANDLE,
  POSTS_EVERY_MS,
  postingPage,
  postingTweet,
  postingUser,
} from '../../../demo/handles/posting-handle.js';

const NOW = Date.UTC(2026, 10, 26, 12, 0, 10);
const LIST = { kind: 'timeline', subject: '1103' } as const;

const idsAt = (nowMs: number): string[] => {
  const ids: string[] = [];
  let token: string | null = null;
  do {
    const page = postingPage(LIST, token, nowMs);
    ids.push(...(page?.tweets ?? []).map(({ id }) => id));
    token = page?.next ?? null;
  } while (token !== null);
  return ids;
};

describe(POSTING_HANDLE, () => {
  it('posts every half minute, and shows the tweets of a day', () => {
    const [before, after] = [idsAt(NOW), idsAt(NOW + POSTS_EVERY_MS)];
    expect(before).toHaveLength(2880);
    expect(new Set(before).size).toBe(2880);
    expect(after.slice(1)).toEqual(before.slice(0, -1));
    expect(postingPage(LIST, null, NOW)?.tweets?.[0]).toMatchObject({
      text: 'The harbor bell rang at 12:00:00 UTC.',
      createdAt: '2026-11-26T12:00:00.000Z',
    });
  });

  it('keeps its pages stable for a caller who pages through them while it posts', () => {
    const { next } = postingPage(LIST, null, NOW) ?? {};
    const ids = (nowMs: number) => postingPage(LIST, next ?? null, nowMs)?.tweets?.map(({ id }) => id);
    expect(ids(NOW + 10 * POSTS_EVERY_MS)).toEqual(ids(NOW));
  });

  it('has tweets that can be read individually, but none of the future', () => {
    const [newest = '', ...others] = idsAt(NOW + POSTS_EVERY_MS);
    expect(postingTweet(newest, NOW)).toBeUndefined();
    expect(postingTweet(newest, NOW + POSTS_EVERY_MS)).toMatchObject({ id: newest });
    expect(postingTweet(others[5] ?? '', NOW)).toMatchObject({ id: others[5] });
    expect(postingTweet(String(BigInt(newest) + 1n), NOW + POSTS_EVERY_MS)).toBeUndefined();
  });

  it('is found by handle and by id, on its own', () => {
    expect(postingUser({ handle: 'Posts_Often' })?.id).toBe('1103');
    expect(postingUser({ id: '1103' })?.handle).toBe(POSTING_HANDLE);
    expect(postingUser({ handle: 'another' })).toBeUndefined();
    expect(postingPage({ ...LIST, subject: '1' }, null, NOW)).toBeUndefined();
    expect(postingPage({ kind: 'followers', subject: '1103' }, null, NOW)).toEqual({ users: [], next: null });
  });
});
