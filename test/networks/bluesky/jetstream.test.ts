/** Announcements of Bluesky, over a server that speaks Jetstream's protocol. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { userId } from '../../../adapters/networks/bluesky/ids.js';
import { createJetstream } from '../../../adapters/networks/bluesky/jetstream.js';
import { PushedLists, type PushOptions } from '../../../adapters/networks/upstream/push.js';
import { until } from '../../kit/time/until.js';
import { didAt } from './fake.js';
import { type JetstreamStandIn, openJetstream } from './jetstream-stand-in.js';

const [ADA, BEN, CLEO] = [didAt(1), didAt(2), didAt(3)];
const TIMES = { pingEveryMs: 40, silentMs: 10_000, firstPauseMs: 40, lingerMs: 100 };

let jetstream: JetstreamStandIn;
let push: PushedLists;
let said: string[];
let unreadable: [number, string][];

function open(options: Partial<PushOptions> = {}): void {
  said = [];
  unreadable = [];
  push = new PushedLists({
    protocol: createJetstream(jetstream.url),
    log: {
      onConnection: (isConnected, reason) => said.push(`${isConnected ? 'up' : 'down'}: ${reason}`),
      onUnreadable: (...args) => unreadable.push(args),
    },
    userAgent: 'Perch/0.3.0 (test)',
    clock: Date,
    random: () => 1,
    times: TIMES,
    ...options,
  });
}

beforeEach(async () => {
  jetstream = await openJetstream();
  open();
});
afterEach(async () => {
  push.close();
  await jetstream.close();
});

/** Follows one timeline; returns what is announced of it. */
function follow(did: string) {
  const announced: number[] = [];
  const complete: boolean[] = [];
  const unfollow = push.follow(
    { kind: 'timeline', subject: userId(did) },
    { onNew: (madeAt) => announced.push(madeAt), onComplete: (isComplete) => complete.push(isComplete) },
  );
  return {
    announced,
    complete,
    unfollow: unfollow ?? (() => expect.unreachable('it is not followed')),
    isFollowed: !!unfollow,
  };
}

const isAnnounced = (at: { complete: boolean[] }): Promise<void> =>
  until('all of it is announced', () => at.complete.at(-1) === true);

describe('Jetstream', () => {
  it('is given the accounts of the followed timelines, and again as they change', async () => {
    const ada = follow(ADA);
    const ben = follow(BEN);
    await isAnnounced(ben);
    const [subscriber] = jetstream.subscribers;
    expect(Object.fromEntries(subscriber?.query ?? [])).toEqual({
      requireHello: 'true',
      maxMessageSizeBytes: String(512 * 1024),
    });
    expect(subscriber?.userAgent).toBe('Perch/0.3.0 (test)');
    const cleo = follow(CLEO);
    ada.unfollow();
    await isAnnounced(cleo);
    expect(subscriber?.hellos).toEqual([
      [ADA, BEN],
      [BEN, CLEO],
    ]);
    expect(jetstream.attempts).toHaveLength(1);
    expect(ben.complete).toEqual([true]);
  });

  it('announces new posts and reposts of these accounts, with the times they were made', async () => {
    const ada = follow(ADA);
    await isAnnounced(ada);
    const before = Date.now();
    jetstream.commit(ADA);
    jetstream.commit(ADA, { collection: 'app.bsky.feed.repost' });
    jetstream.commit(ADA, { record: { createdAt: '2020-01-01T00:00:00.000Z' } });
    jetstream.commit(ADA, { record: { createdAt: '2999-01-01T00:00:00.000Z' } });
    jetstream.commit(ADA, { record: { createdAt: 'tomorrow' } });
    jetstream.commit(ADA, { record: { createdAt: 7 } });
    await until('all is announced', () => ada.announced.length === 6);
    for (const madeAt of ada.announced.filter((_, nth) => nth !== 2)) {
      expect(madeAt).toBeGreaterThanOrEqual(before - 1);
      expect(madeAt).toBeLessThanOrEqual(Date.now() + 1);
    }
    expect(ada.announced[2]).toBe(Date.UTC(2020, 0, 1));
    expect(push.state).toEqual({ isConnected: true, lists: 1, announced: 6, unreadable: 0 });
  });

  it('announces nothing else: deletions, changes, likes, other accounts, accounts themselves', async () => {
    const ada = follow(ADA);
    await isAnnounced(ada);
    jetstream.commit(ADA, { operation: 'delete', record: null });
    jetstream.commit(ADA, { operation: 'update' });
    jetstream.commit(ADA, { collection: 'app.bsky.feed.like' });
    jetstream.send(JSON.stringify({ did: BEN, time_us: 1, kind: 'commit', commit: created }));
    jetstream.emit({ did: ADA, kind: 'identity' });
    jetstream.emit({ did: ADA, kind: 'account' });
    jetstream.commit(ADA);
    await until('the post is announced', () => ada.announced.length > 0);
    expect(ada.announced).toHaveLength(1);
    expect(unreadable).toEqual([]);
  });

  it('skips unreadable messages, counts them, and logs that once a minute', async () => {
    const ada = follow(ADA);
    await isAnnounced(ada);
    const odd = ['', '{', 'null', '[]', '7', '{}', '{"did":7}', JSON.stringify({ did: ADA, time_us: 'now' })];
    for (const text of [...odd, `${'['.repeat(50_000)}`]) jetstream.send(text);
    jetstream.send(Buffer.from([0xff, 0xfe, 0]));
    jetstream.send(JSON.stringify({ did: ADA, time_us: 1, kind: 'commit', commit: { operation: 'create' } }));
    jetstream.send(JSON.stringify({ did: '__proto__', time_us: 1, kind: 'commit', commit: created }));
    jetstream.commit(ADA);
    await until('the post is announced', () => ada.announced.length > 0);
    expect(push.state).toEqual({ isConnected: true, lists: 1, announced: 1, unreadable: 11 });
    expect(unreadable).toEqual([[1, ': is no JSON']]);
    expect(jetstream.attempts).toHaveLength(1);
  });

  it('continues where a lost connection ended', async () => {
    const ada = follow(ADA);
    await isAnnounced(ada);
    jetstream.state.refuses = true;
    const lostAt = Date.now();
    await jetstream.hangUp();
    await until('it is known', () => ada.complete.at(-1) === false);
    jetstream.commit(ADA);
    expect(ada.announced).toEqual([]);
    jetstream.state.refuses = false;
    await until('what was missed is announced', () => ada.announced.length === 1);
    await isAnnounced(ada);
    expect(ada.complete).toEqual([true, false, true]);
    const cursor = Number(jetstream.subscribers.at(-1)?.query.get('cursor')) / 1000;
    expect(lostAt - cursor).toBeGreaterThan(4_000);
    expect(lostAt - cursor).toBeLessThan(7_000);
  });

  it('drops a silent connection and opens another', async () => {
    push.close();
    open({ times: { ...TIMES, silentMs: 1000 } });
    const ada = follow(ADA);
    await isAnnounced(ada);
    await sleep(3000);
    expect(jetstream.attempts, 'a quiet one is none: its pings are answered').toHaveLength(1);
    jetstream.state.isStalled = true;
    await until('it is dropped', () => ada.complete.at(-1) === false);
    jetstream.state.isStalled = false;
    await isAnnounced(ada);
    expect(said).toEqual(['up: connected', 'down: it fell silent', 'up: connected']);
  });

  it('keeps a connection whose messages a busy process had no time to read', async () => {
    push.close();
    open({ times: { ...TIMES, silentMs: 1000 } });
    const ada = follow(ADA);
    await isAnnounced(ada);
    jetstream.commit(ADA);
    const end = performance.now() + 1100;
    while (performance.now() < end);
    await until('the post is announced', () => ada.announced.length > 0);
    expect(said).toEqual(['up: connected']);
  });

  it('reads no message of more than a mebibyte', async () => {
    const ada = follow(ADA);
    await isAnnounced(ada);
    jetstream.send(' '.repeat(1024 * 1024 + 1));
    await until('it is lost', () => ada.complete.at(-1) === false);
    await isAnnounced(ada);
    expect(said).toEqual(['up: connected', 'down: Max payload size exceeded', 'up: connected']);
  });

  it('waits twice as long after each failed attempt, and reports once why', async () => {
    jetstream.state.refuses = true;
    const ada = follow(ADA);
    await until('it tried', () => jetstream.attempts.length === 5);
    const pauses = jetstream.attempts.slice(1).map((at, index) => at - (jetstream.attempts[index] ?? 0));
    for (const [nth, ms] of [40, 80, 160, 320].entries()) {
      expect(pauses[nth]).toBeGreaterThanOrEqual(ms - 5);
    }
    expect(said).toEqual(['down: Unexpected server response: 503']);
    expect(push.state.isConnected).toBe(false);
    expect(ada.complete).toEqual([]);
  });

  it('also waits longer for a server that hangs up at once', async () => {
    follow(ADA);
    for (let times = 1; times <= 4; times += 1) {
      await until('it is connected', () => jetstream.subscribers.length === times);
      await jetstream.hangUp();
    }
    const pauses = jetstream.attempts.slice(1).map((at, index) => at - (jetstream.attempts[index] ?? 0));
    expect(pauses[2]).toBeGreaterThanOrEqual(155);
  });

  it('takes ten thousand timelines at most, and no other lists', async () => {
    const listener = { onNew() {}, onComplete() {} };
    const all = Array.from({ length: 10_000 }, (_, n) => follow(didAt(n)));
    expect(all.every(({ isFollowed }) => isFollowed)).toBe(true);
    expect(follow(didAt(10_001)).isFollowed).toBe(false);
    await isAnnounced(all.at(-1) ?? expect.unreachable());
    expect(jetstream.subscribers[0]?.hellos).toMatchObject([{ length: 10_000 }]);
    all[0]?.unfollow();
    for (const kind of ['followers', 'replies', 'search'] as const) {
      expect(push.follow({ kind, subject: userId(ADA) }, listener)).toBeUndefined();
    }
    expect(push.follow({ kind: 'timeline', subject: '7' }, listener)).toBeUndefined();
    expect(follow(didAt(10_001)).isFollowed).toBe(true);
  });

  it('disconnects some time after nothing is followed, and never subscribes to all accounts', async () => {
    await sleep(50);
    expect(jetstream.attempts, 'not connected before').toHaveLength(0);
    const ada = follow(ADA);
    await isAnnounced(ada);
    ada.unfollow();
    await sleep(TIMES.lingerMs / 2);
    const again = follow(ADA);
    await isAnnounced(again);
    expect(jetstream.attempts).toHaveLength(1);
    again.unfollow();
    await until('it has left', () => jetstream.subscribers.every(({ socket }) => socket.readyState === socket.CLOSED));
    expect(jetstream.subscribers.flatMap(({ hellos }) => hellos).every(({ length }) => length > 0)).toBe(true);
    const later = follow(BEN);
    await isAnnounced(later);
    expect(jetstream.subscribers.at(-1)?.query.has('cursor')).toBe(false);
  });

  it('announces nothing more once it is closed', async () => {
    const ada = follow(ADA);
    await isAnnounced(ada);
    push.close();
    expect(ada.complete).toEqual([true, false]);
    expect(follow(BEN).isFollowed).toBe(false);
    await sleep(3 * TIMES.firstPauseMs);
    expect(jetstream.attempts).toHaveLength(1);
  });
});

const created = { operation: 'create', collection: 'app.bsky.feed.post', record: {} };
