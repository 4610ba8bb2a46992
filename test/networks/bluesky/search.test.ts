import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BlueskyOptions } from '../../../adapters/networks/bluesky/network.js';
import type { ServiceError } from '../../../src/domain/errors.js';
import { PRODUCTS, type Product } from '../../../src/domain/model.js';
import type { Network } from '../../../src/ports/network.js';
import { MANY, noteOf } from '../contract/world.js';
import { ACCOUNT, type BlueskyStandIn, openStandIn } from './stand-in.js';

let at: BlueskyStandIn;
let nowMs = Date.UTC(2026, 10, 21);
const opened: Network[] = [];

beforeAll(async () => {
  at = await openStandIn();
});
beforeEach(() => {
  Object.assign(at.desk, { signIns: 0, renewals: 0, hasV2: false, password: ACCOUNT.appPassword });
  at.desk.expired.clear();
  at.desk.refused.clear();
});
afterAll(async () => {
  await Promise.all(opened.map((network) => network.close?.()));
  await at.close();
});

/** A network of its own, with a clock that tests move. */
function open(options: Partial<BlueskyOptions> = ACCOUNT): Network {
  const network = at.open({ clock: { now: () => nowMs }, ...options });
  opened.push(network);
  return network;
}

const search = (network: Network, q: string, product: Product = 'Latest', token: string | null = null) =>
  network.page({ kind: 'search', subject: q, product }, token, { signal: AbortSignal.timeout(20_000) });
const failureOf = (read: Promise<unknown>): Promise<ServiceError> =>
  read.then(
    () => {
      throw new Error('It was answered.');
    },
    (error: ServiceError) => error,
  );
const searchesSent = (from: number): string[] =>
  at.requests.slice(from).filter((request) => request.includes('.searchPosts'));

describe('search permissions', () => {
  const LATEST: ['Latest'] = ['Latest'];

  it('offer only Latest without an account, and say how to enable it without calling the public AppView', async () => {
    const network = open({ baseUrl: 'https://public.api.bsky.app' });
    expect(network.products).toEqual(LATEST);
    expect(network.sessions).toEqual(['anonymous']);
    expect(network.isFor?.('anonymous', 'search')).toBe(true);
    const latest = await failureOf(search(network, 'ferry'));
    expect([latest.code, latest.status]).toEqual(['access_denied', 403]);
    expect(latest.message).toMatch(/BLUESKY_IDENTIFIER.*BLUESKY_APP_PASSWORD/);
    for (const product of PRODUCTS.filter((each) => each !== 'Latest')) {
      expect((await failureOf(search(network, 'ferry', product))).code).toBe('product_unavailable');
    }
  });

  it('refuse a wrong query alike with and without an account', async () => {
    const network = open({ baseUrl: 'https://public.api.bsky.app' });
    expect((await failureOf(search(network, 'ferry OR boat'))).code).toBe('bad_request');
  });

  it('are left to another AppView: its 403, with any body, is access_denied', async () => {
    const network = open({});
    expect(network.products).toEqual(PRODUCTS);
    expect((await failureOf(search(network, 'ferry'))).code).toBe('access_denied');
    expect((await failureOf(search(network, 'ferry', 'Top'))).code).toBe('product_unavailable');
  });

  it('use the account for searches only; what needs no account is read without', async () => {
    const network = open();
    expect(network.sessions).toEqual(['anonymous', 'account']);
    const readBy = (kind: string) => network.sessions.filter((session) => network.isFor?.(session, kind));
    expect(['users', 'tweets', 'timeline', 'search', 'search:Top'].map(readBy)).toEqual([
      ...Array(3).fill(['anonymous']),
      ...Array(2).fill(['account']),
    ]);
    const signal = AbortSignal.timeout(20_000);
    const timeline = { kind: 'timeline', subject: at.userId('harbor') } as const;
    const refused = await failureOf(network.page(timeline, null, { signal, session: 'account' }));
    expect([refused.code, refused.detail.reason]).toEqual(['access_denied', 'session']);
    const stranger = await failureOf(
      network.page({ kind: 'search', subject: 'ferry', product: 'Latest' }, null, { signal, session: 'anonymous' }),
    );
    expect([stranger.code, stranger.detail.reason]).toEqual(['access_denied', 'session']);
    await network.page(timeline, null, { signal, session: 'anonymous' });
    expect(at.lastHeaders().authorization).toBeUndefined();
    expect(at.desk.signIns).toBe(0);
  });
});

describe('the session of the account (300 sign-ins a day)', () => {
  it('is one for all reads, simultaneous ones included', async () => {
    const network = open();
    await Promise.all(Array.from({ length: 8 }, () => search(network, 'ferry')));
    await search(network, 'harbour');
    expect([at.desk.signIns, at.desk.renewals]).toEqual([1, 0]);
  });

  it('is renewed once when its token has expired, and the read is made again', async () => {
    const network = open();
    await search(network, 'ferry');
    at.desk.expired.add('a100');
    const pages = await Promise.all(Array.from({ length: 5 }, () => search(network, 'ferry')));
    for (const page of pages) expect(page.tweets).toHaveLength(1);
    expect([at.desk.signIns, at.desk.renewals]).toEqual([1, 1]);
  });

  it('is also renewed once if the server refuses it without saying that it has expired', async () => {
    const network = open();
    await search(network, 'ferry');
    at.desk.refused.add('a100');
    for (let times = 0; times < 2; times += 1) expect((await search(network, 'ferry')).tweets).toHaveLength(1);
    expect([at.desk.signIns, at.desk.renewals]).toEqual([1, 1]);
    // Refused again right after its renewal, which means no_account.
    at.desk.refused.add('a101').add('a102');
    expect((await failureOf(search(network, 'ferry'))).code).toBe('no_account');
    expect([at.desk.signIns, at.desk.renewals]).toEqual([1, 2]);
  });

  it('stays renewed after a late refusal of the old token', async () => {
    const network = open();
    await search(network, 'ferry');
    at.desk.refused.add('a100');
    let release = () => {};
    at.desk.beforeRefusal = [
      new Promise((resolve) => {
        release = resolve;
      }),
    ];
    const slow = search(network, 'ferry');
    await vi.waitFor(() => expect(at.desk.beforeRefusal).toEqual([]), 10_000);
    await search(network, 'ferry');
    release();
    expect((await slow).tweets).toHaveLength(1);
    await search(network, 'ferry');
    expect([at.desk.signIns, at.desk.renewals]).toEqual([1, 1]);
  });

  it.each([
    ['but not within five minutes', 300_000],
    ['and sooner only if the clock is set back', -3600_000],
  ])('is begun anew if it cannot be renewed, %s', async (_, laterMs) => {
    const network = open();
    await search(network, 'ferry');
    for (const token of ['a100', 'r100']) at.desk.expired.add(token);
    const early = await failureOf(search(network, 'ferry'));
    expect(early.code).toBe('no_account');
    expect(early.retryAfter).toBeGreaterThan(290);
    expect(early.retryAfter).toBeLessThanOrEqual(300);
    expect(at.desk.signIns).toBe(1);
    nowMs += laterMs;
    expect((await search(network, 'ferry')).tweets).toHaveLength(1);
    expect(at.desk.signIns).toBe(2);
  });

  it('is no_account with a wrong password, and not retried for a quarter of an hour', async () => {
    at.desk.password = 'another';
    const network = open();
    for (let tries = 0; tries < 3; tries += 1) {
      const failure = await failureOf(search(network, 'ferry'));
      expect([failure.code, (failure.retryAfter ?? 0) > 890]).toEqual(['no_account', true]);
      expect(failure.message).not.toContain(ACCOUNT.appPassword);
    }
    expect(at.desk.signIns).toBe(1);
    at.desk.password = ACCOUNT.appPassword;
    nowMs += 900_000;
    expect((await search(network, 'ferry')).tweets).toHaveLength(1);
  });

  it('rests after too many sign-ins for as long as the server says', async () => {
    const network = open();
    at.misbehave({ does: 'status', status: 429, retryAfterSeconds: 1200 });
    const failure = await failureOf(search(network, 'ferry'));
    at.misbehave(null);
    expect(failure.code).toBe('no_account');
    expect(failure.retryAfter).toBeGreaterThan(1190);
  });

  it('is left to the others when one caller stops waiting for it', async () => {
    const network = open();
    at.misbehave({ does: 'hang' });
    const early = network.page({ kind: 'search', subject: 'ferry', product: 'Latest' }, null, {
      signal: AbortSignal.timeout(200),
    });
    await expect(early).rejects.toMatchObject({ name: 'TimeoutError' });
    at.misbehave(null);
  });
});

describe('the newer and the older search', () => {
  it.each([
    ['six hours', 6 * 3600_000],
    ['the clock is set back', -3600_000],
  ])('try the newer one once, and use the older one if that is off, until %s', async (_, laterMs) => {
    const network = open();
    const from = at.requests.length;
    await search(network, 'ferry');
    await search(network, 'harbour');
    expect(searchesSent(from).map((request) => /searchPosts(V2)?/.exec(request)?.[0])).toEqual([
      'searchPostsV2',
      'searchPosts',
      'searchPosts',
    ]);
    nowMs += laterMs;
    at.desk.hasV2 = true;
    await search(network, 'ferry');
    expect(searchesSent(from).at(-1)).toContain('searchPostsV2');
  });

  it('continue a list with the version that it began with', async () => {
    at.desk.hasV2 = true;
    const network = open();
    const first = await search(network, 'tide');
    expect(first.next).toMatch(/^2 /);
    const from = at.requests.length;
    const second = await search(network, 'tide', 'Latest', first.next);
    expect(searchesSent(from)).toHaveLength(1);
    expect(searchesSent(from)[0]).toContain('searchPostsV2');
    expect(second.tweets?.[0]?.id).toBe(at.tweetId(noteOf(MANY - 1 - 50)));
  });
});

describe('filters that Bluesky does not have', () => {
  it('read at most five upstream pages a call and continue from there', async () => {
    const network = open();
    const from = at.requests.length;
    const page = await search(network, 'tide min_faves:1');
    // The newer one was tried first.
    expect(searchesSent(from)).toHaveLength(1 + MANY / 50);
    expect([page.tweets, page.next]).toEqual([[], null]);
    const few = await search(network, 'filter:images');
    expect(few.tweets?.map(({ id }) => id)).toEqual([at.tweetId('rich')]);
    expect(few.next).toMatch(/^1 at-250$/);
  });

  it('Photos and Videos', async () => {
    const network = open();
    expect((await search(network, 'harbour', 'Photos')).tweets?.map(({ id }) => id)).toEqual([at.tweetId('rich')]);
    expect((await search(network, 'harbour', 'Videos')).tweets).toEqual([]);
  });

  it('serve People, each with counts, and without those who opted out', async () => {
    const network = open();
    const found = await search(network, 'harbor', 'People');
    expect(found.users).toMatchObject([{ id: at.userId('harbor'), followersCount: MANY }]);
    expect((await search(network, 'shy', 'People')).users).toEqual([]);
  });

  it('leave out posts of accounts that opted out', async () => {
    expect((await search(open(), 'friends')).tweets).toEqual([]);
  });
});

describe('the check at start', () => {
  const check = (network: Network) => network.selfCheck?.({ signal: AbortSignal.timeout(20_000) });

  it('says that all is well, with an account', async () => {
    const report = await check(open());
    expect(report?.ok).toBe(true);
    expect(report?.findings.map(({ ok }) => ok)).toEqual([true, true]);
  });

  it('says what an account would add if none is configured, and that the rest works', async () => {
    const report = await check(open({}));
    expect([report?.ok, report?.findings.map(({ ok }) => ok)]).toEqual([true, [true, false]]);
  });

  it('says that credentials do not work, and that nothing answers; never rejects', async () => {
    at.desk.password = 'another';
    const wrong = await check(open());
    expect([wrong?.ok, wrong?.findings[1]?.what]).toEqual([false, expect.stringContaining('BLUESKY_APP_PASSWORD')]);
    expect(wrong?.findings[1]?.what).toMatch(/: no_account$/);
    at.misbehave({ does: 'reset' });
    const dead = await check(open({}));
    at.misbehave(null);
    expect([dead?.ok, dead?.findings.map(({ ok }) => ok)]).toEqual([false, [false, false]]);
    for (const { what } of dead?.findings ?? []) {
      expect(what).toMatch(/: upstream_error$/);
      expect(what).not.toMatch(/127\.0\.0\.1|http|socket/i);
    }
  });
});
