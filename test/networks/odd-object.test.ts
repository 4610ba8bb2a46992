import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryPace } from '../../adapters/memory/pace.js';
import type { ServiceError } from '../../src/domain/errors.js';
import type { ListRef } from '../../src/domain/lists.js';
import type { Tweet, User } from '../../src/domain/model.js';
import { monotonic } from '../../src/lib/monotonic.js';
import type { Found } from '../../src/ports/network.js';
import { createPool, type Pool } from '../../src/read/pool/pool.js';
import { Waiters } from '../../src/read/waiters.js';
import { callContextOf } from '../kit/pool.js';
import { openStandIn as openBluesky } from './bluesky/stand-in.js';
import type { Json, StandIn } from './contract/harness.js';
import { list } from './contract/outcomes.js';
import { fanOf, noteOf } from './contract/world.js';
import { openMastodon } from './mastodon/stand-in.js';
import { FULL, type Members } from './odd-members.js';
import { openStandIn as openX } from './x/support/stand-in.js';

/** Runs per read, with the same objects each time, chosen by the seed. */
const RUNS = 25;
const SEED = 28;

/** Values to put in place of a member's; undefined removes the member. */
const ODD: readonly unknown[] = [undefined, null, -1, 0, 2 ** 60, 1.5, '', 'odd', true, false, [], {}, [null], ['odd']];

type Path = readonly string[];

/** The members of an object, and of the objects and lists in it. */
const pathsIn = (value: unknown, at: Path = []): Path[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([name, inner]) => [[...at, name], ...pathsIn(inner, [...at, name])]);

/** A copy with another value at the path. */
function withOdd(value: unknown, [name = '', ...rest]: Path, odd: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const copy: Json = Array.isArray(value) ? ([...value] as unknown as Json) : { ...value };
  if (rest.length > 0) copy[name] = withOdd(copy[name], rest, odd);
  else if (odd === undefined && !Array.isArray(value)) delete copy[name];
  else copy[name] = odd;
  return copy;
}

/** The upstream's name of a profile or a post; a reference to one has fewer members. */
const nameIn = (value: Json): unknown =>
  Object.keys(value).length > 3 ? (value.id ?? value.did ?? value.uri) : undefined;

const NETWORKS: readonly [name: string, open: () => Promise<StandIn>, full: Members][] = [
  ['mastodon', () => openMastodon({ withToken: true }), FULL.mastodon],
  ['bluesky', openBluesky, FULL.bluesky],
  ['x', () => openX('tweet'), FULL.x],
  ['x in the vocabulary of posts', () => openX('post'), FULL.x],
];

describe.each(NETWORKS)('%s: one odd object among good ones (T20)', (_name, open, full) => {
  let at: StandIn;
  let pool: Pool;
  beforeAll(async () => {
    at = await open();
    const pace = createMemoryPace({ clock: monotonic });
    const perSecond = { fast: null, slow: null };
    pool = createPool({ network: at.network, pace, clock: { now: Date.now }, monotonic, perSecond });
  });
  afterAll(() => at?.close());

  const waiters = () => new Waiters(callContextOf('a', 30_000));
  const page = async (ref: ListRef): Promise<readonly (User | Tweet)[]> => {
    const { users, tweets } = await pool.page(ref, null, waiters());
    return users ?? tweets ?? [];
  };
  const found = async (reads: readonly Promise<Found<User | Tweet>>[]) =>
    (await Promise.all(reads)).flatMap((one) => ('ok' in one ? [one.ok] : []));

  /** Gives the upstream's object with this id all members that an adapter reads, one of them replaced. */
  function oddly(id: string, members: Json, pick: number, odd: unknown): void {
    const name = at.upstreamId?.(id) ?? id;
    at.misbehave({
      does: 'rewrite',
      object(value) {
        if (nameIn(value) !== name) return value;
        const whole = { ...value, ...members };
        const paths = pathsIn(whole);
        return withOdd(whole, paths[pick % paths.length] ?? [], odd);
      },
    });
  }

  /** Whether an item is the odd object, or shows a part of it. */
  const shows = (item: User | Tweet, id: string): boolean =>
    item.id === id || ('text' in item && [item.authorId, item.retweetedId, item.quotedId].includes(id));

  const harbor = () => at.userId('harbor');
  const question = () => at.tweetId('question');
  const failed = (fail: ServiceError) => ({ fail });
  const READS: readonly [
    what: string,
    kind: keyof Members,
    victim: () => string,
    read: () => Promise<readonly (User | Tweet)[]>,
  ][] = [
    ['a tweet of a timeline', 'tweet', () => at.tweetId(noteOf(245)), () => page(list('timeline', harbor()))],
    ['a retweeted tweet', 'tweet', question, () => page(list('timeline', at.userId('ben')))],
    ['a follower', 'user', () => at.userId(fanOf(3)), () => page(list('followers', harbor()))],
    ['a reply in a thread', 'tweet', () => at.tweetId('answer'), () => page(list('thread', question()))],
    ['an author in a thread', 'user', () => at.userId('ben'), () => page(list('thread', question()))],
    ['a reply', 'tweet', () => at.tweetId('other'), () => page(list('replies', question()))],
    ['a search hit', 'tweet', () => at.tweetId(noteOf(244)), () => page(list('search', 'tide', { product: 'Latest' }))],
    [
      'a tweet of a batch',
      'tweet',
      () => at.tweetId('answer'),
      () => found(['other', 'answer', 'boost', 'nested'].map((key) => pool.tweet(at.tweetId(key), waiters()))),
    ],
    [
      'a profile of a batch',
      'user',
      () => at.userId('ben'),
      () =>
        found(['ada', 'ben', 'cleo'].map((name) => pool.user({ handle: at.handle(name) }, waiters()).catch(failed))),
    ],
  ];
  it.each(READS)('does not lose the others: %s', async (_what, kind, victimOf, read) => {
    at.misbehave(null);
    const victim = victimOf();
    const expected = (await read()).filter((item) => !shows(item, victim));
    expect(expected).not.toEqual([]);
    const property = fc.asyncProperty(fc.nat(), fc.constantFrom(...ODD), async (pick, odd) => {
      oddly(victim, full[kind], pick, odd);
      expect((await read()).filter((item) => !shows(item, victim))).toEqual(expected);
    });
    await fc.assert(property, { numRuns: RUNS, seed: SEED });
    const { sessions, families } = pool.health();
    expect(sessions.flatMap(({ closed }) => closed).filter(({ why }) => why === 'failing')).toEqual([]);
    expect([families.fast.failures, families.slow.failures]).toEqual([0, 0]);
  });

  it('fails only its own reader, without a time to wait, and pauses nothing (S20, S21)', async () => {
    const [ben, ada] = [at.userId('ben'), at.userId('ada')];
    const before = pool.health().families.fast;
    const name = at.upstreamId?.(ben) ?? ben;
    const nameless = (value: Json): unknown =>
      nameIn(value) === name ? { ...value, handle: 7, acct: 7, username: 7 } : value;
    at.misbehave({ does: 'rewrite', object: nameless });
    for (let n = 0; n < 12; n += 1) {
      const got = await pool.user({ id: ben }, waiters()).catch(failed);
      const failure = 'fail' in got ? got.fail : undefined;
      expect(failure).toMatchObject({ code: 'upstream_error', detail: { reason: 'unreadable' } });
      expect(failure?.retryAfter).toBeUndefined();
    }
    expect(await pool.user({ id: ada }, waiters())).toMatchObject({ ok: { id: ada } });
    const { failures, failing, unreadable } = pool.health().families.fast;
    expect({ failures, failing }).toEqual({ failures: before.failures, failing: false });
    expect(unreadable - before.unreadable).toBe(12);
  });
});
