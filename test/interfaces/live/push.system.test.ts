/** Streams over networks that announce new posts: how soon these arrive, and how often the network is read. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../adapters/cli/workers/free-port.js';
import { userId } from '../../../adapters/networks/bluesky/ids.js';
import { type OpenStream, openStream, type StreamEvent } from '../../kit/events.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';
import { stopwatch } from '../../kit/time/stalls.js';
import { until } from '../../kit/time/until.js';
import { didAt, openFake, postOf, profileOf, uriAt } from '../../networks/bluesky/fake.js';
import { type JetstreamStandIn, openJetstream } from '../../networks/bluesky/jetstream-stand-in.js';
import { anAccount, aStatus } from '../../networks/mastodon/fixtures.js';
import { scripted } from '../../networks/mastodon/scripted.js';
import { openStreaming } from '../../networks/mastodon/streaming-stand-in.js';
import { readExposition } from '../../ops/observing/exposition.js';

const ADA = didAt(1);
/** Without announcements, a busy list is read every five seconds. */
const SHORTEST_MS = 5_000;

const TID_DIGITS = '234567abcdefghijklmnopqrstuvwxyz';
const tidOf = (n: number): string => `3n2rygijl${[15, 10, 5, 0].map((bits) => TID_DIGITS[(n >> bits) & 31]).join('')}`;

describe('a stream of a timeline on Bluesky', () => {
  let fake: Awaited<ReturnType<typeof openFake>>;
  let jetstream: JetstreamStandIn;
  let perch: TestPerch;
  let stream: OpenStream;
  let metrics: string;
  const posts: ReturnType<typeof postOf>[] = [];
  /** Adds a post; `announces`: Jetstream reports it. */
  const post = (text: string, announces = true): void => {
    const createdAt = new Date().toISOString();
    posts.unshift(postOf(uriAt(ADA, tidOf(posts.length)), { record: { text, createdAt }, indexedAt: createdAt }));
    if (announces) jetstream.commit(ADA, { record: { createdAt } });
  };
  const reads = (): number => fake.calls.filter(({ method }) => method.endsWith('getAuthorFeed')).length;
  /**
   * Waits until the list was read after Jetstream began to announce, and is read no more, as a list like this otherwise
   * is every five seconds.
   */
  const silence = (): Promise<void> =>
    until('it is no longer read', async () => {
      const before = reads();
      await sleep(1.6 * SHORTEST_MS);
      return reads() === before;
    });
  const textsOf = ({ data }: StreamEvent): string[] =>
    (data as { data: { text: string }[] }).data.map(({ text }) => text);

  beforeAll(async () => {
    jetstream = await openJetstream();
    fake = await openFake({
      'app.bsky.actor.getProfile': () => ({ body: profileOf(ADA) }),
      'app.bsky.feed.getAuthorFeed': () => ({ body: { feed: posts.slice(0, 50).map((one) => ({ post: one })) } }),
    });
    const url = fake.baseUrl;
    const port = await freePort('127.0.0.1');
    metrics = `http://127.0.0.1:${port}/metrics`;
    perch = await startPerch({
      env: {
        PERCH_METRICS_PORT: String(port),
        PERCH_NETWORK: 'bluesky',
        BLUESKY_BASE_URL: url,
        BLUESKY_DIRECTORY_URL: url,
        BLUESKY_JETSTREAM_URL: jetstream.url,
      },
    });
    post('before', false);
    const { key } = await perch.account({ credits: 2_000 });
    stream = await openStream(`${perch.url}/v1/live?count=100&user=${userId(ADA)}`, key);
    await stream.next('position');
    await until('Jetstream is asked for it', () => jetstream.subscribers[0]?.hellos[0]?.[0] === ADA);
  });
  afterAll(async () => {
    stream?.leave();
    await perch?.close();
    await fake?.close();
    await jetstream?.close();
  });

  it('delivers a post a second after its announcement, and reads the list only for that', async () => {
    await silence();
    for (const text of ['one', 'two']) {
      const before = reads();
      const elapsedMs = stopwatch();
      post(text);
      const event = await stream.next('items');
      expect(elapsedMs()).toBeLessThan(2_000);
      expect(textsOf(event)).toEqual([text]);
      expect(event.data).toMatchObject({ items: 1, credits_charged: 1 });
      await sleep(1.2 * SHORTEST_MS);
      expect(reads() - before).toBe(1);
    }
  }, 100_000);

  it('has metrics: the connection, the lists and the announcements', async () => {
    const families = readExposition(await (await fetch(metrics)).text());
    const sampleOf = (name: string): number | undefined => families.get(name)?.samples[0]?.value;
    expect([sampleOf('perch_push_connected'), sampleOf('perch_push_lists')]).toEqual([1, 1]);
    const messages = families.get('perch_push_messages_total')?.samples ?? [];
    const unreadable = messages.find(({ labels }) => labels.kind === 'unreadable');
    const announced = messages.find(({ labels }) => labels.kind === 'new');
    const sent = jetstream.subscribers.reduce((sum, subscriber) => sum + subscriber.sent, 0);
    expect([announced?.value, unreadable?.value]).toEqual([sent, 0]);
  });

  it('reads no more often for a thousand posts than for a busy list without them', async () => {
    await silence();
    const before = reads();
    for (let nth = 0; nth < 1000; nth += 1) {
      post(`burst ${nth}`);
      if (nth % 100 === 99) await sleep(300);
    }
    const got: string[] = [];
    while (!got.includes('burst 999')) got.push(...textsOf(await stream.next('items')));
    await sleep(2 * SHORTEST_MS);
    // Two for the three seconds that it took, perhaps one more, and none afterwards.
    expect(reads() - before).toBeLessThanOrEqual(3);
  }, 100_000);

  it('is read as often as usual once Jetstream is lost, and misses nothing', async () => {
    await silence();
    const connections = jetstream.subscribers.length;
    jetstream.state.refuses = true;
    await jetstream.hangUp();
    post('missed by Jetstream', false);
    const at = performance.now();
    expect(textsOf(await stream.next('items'))).toEqual(['missed by Jetstream']);
    expect(performance.now() - at).toBeLessThan(3 * SHORTEST_MS);
    jetstream.state.refuses = false;
    await until('it is back', () => jetstream.subscribers.slice(connections).some(({ hellos }) => hellos.length > 0));
    await silence();
    const elapsedMs = stopwatch();
    post('announced again');
    expect(textsOf(await stream.next('items'))).toEqual(['announced again']);
    expect(elapsedMs()).toBeLessThan(2_000);
  }, 100_000);
});

describe('a stream of a timeline on Mastodon', () => {
  it('delivers a post a second after its announcement', async () => {
    const statuses = [aStatus({ id: '100' })];
    const server = await scripted({
      answers: {
        '/api/v1/accounts/7': { body: anAccount() },
        '/api/v1/accounts/7/statuses': () => ({ body: statuses }),
      },
    });
    const reads = () => server.requests.filter((path) => path.startsWith('/api/v1/accounts/7/statuses')).length;
    const streaming = await openStreaming('a-token');
    const perch = await startPerch({
      env: {
        PERCH_NETWORK: 'mastodon',
        MASTODON_BASE_URL: server.baseUrl,
        MASTODON_TOKENS: 'a-token',
        MASTODON_STREAMING_URL: streaming.url,
      },
    });
    try {
      const { key } = await perch.account({ credits: 10 });
      const stream = await openStream(`${perch.url}/v1/live?user=7`, key);
      await stream.next('position');
      await until('it is connected', () => streaming.subscribed.size === 1);
      // Its newest post is weeks old, so without an announcement it is read every ten minutes.
      await sleep(1.2 * SHORTEST_MS);
      expect(reads()).toBe(1);
      const status = aStatus({ id: '101', created_at: new Date().toISOString(), content: '<p>News</p>' });
      statuses.unshift(status);
      const elapsedMs = stopwatch();
      streaming.announce('update', status);
      expect((await stream.next('items')).data).toMatchObject({ data: [{ text: 'News' }], credits_charged: 1 });
      expect(elapsedMs()).toBeLessThan(2_000);
      expect(reads()).toBe(2);
      stream.leave();
    } finally {
      await perch.close();
      await streaming.close();
    }
  }, 100_000);
});
