import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processorClock } from '../../src/lib/monotonic.js';
import { MOUNTS } from '../interfaces/graphql/service.js';
import { post, rawClient } from '../interfaces/http/raw.js';
import { createScriptedNetwork, range } from '../kit/networks/scripted-network.js';
import { type PerchOptions, startPerch, type TestPerch } from '../kit/perch.js';
import { type Received, type Sender, senderFrom } from './sender.js';

/** A document that was never sent before, as large as ordinary ones get. */
const newDocument = (n: number): string => {
  const user = (alias: number) =>
    `a${n}_${alias}: user(handle: "user1") { id handle name description location url createdAt followersCount followingCount tweetsCount }`;
  return `{ ${range(9).map(user).join(' ')} }`;
};

const USER =
  'id handle name bio location url avatarUrl bannerUrl verified protected followersCount followingCount tweetsCount likesCount';
const TWEET = 'id text lang createdAt authorId conversationId likesCount retweetsCount repliesCount quotesCount source';

/**
 * The same, nearly as large as a document may be: the service works far longer on it than the test takes to send it.
 */
const largeDocument = (n: number): string => {
  const user = (alias: number) =>
    `a${n}_${alias}: user(handle: "user1") { ${USER} tweets(first: 1) { nodes { ${TWEET} author { ${USER} } } } }`;
  return `{ ${range(9).map(user).join(' ')} }`;
};

describe.each(MOUNTS)('the processor, with GraphQL by %s', (graphql) => {
  let perch: TestPerch;
  let senders: Sender[];
  beforeEach(() => {
    senders = [];
  });
  const start = async (options: Pick<PerchOptions, 'sharesBy'> = {}): Promise<void> => {
    const net = createScriptedNetwork({});
    net.users(range(10));
    perch = await startPerch({ network: net.network, graphql, ...options });
  };
  afterEach(async () => {
    for (const sender of senders) sender.close();
    await perch.close();
  });
  const customer = async (address: string, credits = 1000): Promise<Sender & { key: string }> => {
    const { key } = await perch.account({ credits });
    const made = senderFrom(perch.url, address, key);
    senders.push(made);
    return { ...made, key };
  };

  it('refuses only the account that floods new documents, and admits it at the time it stated', async () => {
    // In seconds of this process's own time: beside other programs, the flood might never get more than its share.
    await start({ sharesBy: processorClock });
    const [hog, innocent] = [await customer('127.0.0.2', 100_000), await customer('127.0.0.3', 100_000)];
    await innocent.get('/v1/users/user1');
    let n = 0;
    const seen: Received[] = [];
    const untilMs = processorClock.now() + 10_000;
    let refused: Received | undefined;
    while (refused === undefined && processorClock.now() < untilMs) {
      const flood = range(20, n).map((each) => hog.post('/graphql', { query: largeDocument(each) }));
      n += 20;
      const cached = await innocent.get('/v1/users/user1');
      expect(cached.status).toBe(200);
      seen.push(...(await Promise.all(flood)));
      refused = seen.find(({ status }) => status === 503);
    }
    expect(refused?.body.errors[0]).toMatchObject({
      message: expect.stringContaining('250 ms per second'),
      extensions: { code: 'upstream_rate_limited', reason: 'processor' },
    });
    const seconds = Number(refused?.headers['retry-after']);
    expect(seconds).toBeGreaterThanOrEqual(1);
    const admittedAtMs = processorClock.now() + seconds * 1000;
    while (processorClock.now() < admittedAtMs) expect((await innocent.get('/v1/users/user1')).status).toBe(200);
    expect((await hog.get('/v1/users/user1')).status).toBe(200);
  });

  it('is also taken by rows that are completed after a wait', async () => {
    await start();
    const [hog, innocent] = [await customer('127.0.0.2'), await customer('127.0.0.3')];
    await perch.database.sql`
      insert into usage_days (account_id, day, endpoint, key_id, requests, items, cache_hits, amount_thousandths)
      select account_id, current_date - 10 - n / 100, 'op' || n % 100, key_id, 1, 1, 0, 1000
      from keys, generate_series(0, 999) n`;
    const aliases = range(28).map((n) => `a${n}: credits`);
    const query = `{ usage(group: "day,endpoint") { day endpoint ${aliases.join(' ')} } }`;
    let refused: Received | undefined;
    for (let round = 0; refused === undefined && round < 10; round += 1) {
      // As many questions as an account may have. Without what is counted for their rows, they take some 70 ms.
      await Promise.all(range(18).map(() => hog.post('/graphql', { query })));
      expect((await innocent.get('/v1/users/user1')).status).toBe(200);
      const { status, body } = await hog.post('/graphql', { query: '{ me { balance } }' });
      if (status === 503) refused = { status, body } as Received;
    }
    expect(refused?.body.errors[0]).toMatchObject({ extensions: { reason: 'processor' } });
  });

  it('is not taken by one pipeline alone: others have their turn between its documents', async () => {
    await start();
    const hog = await customer('127.0.0.2', 100_000);
    const pipeline = range(32)
      .map((n) => JSON.stringify({ query: newDocument(10_000 + n) }))
      .map((body) => post('/graphql', `Content-Length: ${body.length}\r\nx-api-key: ${hog.key}\r\n`, body));
    const raw = rawClient(perch.url, pipeline.join(''), { localAddress: '127.0.0.2' });
    const nobody = senderFrom(perch.url, '127.0.0.3', null);
    senders.push(nobody);
    const times: number[] = [];
    for (let count = 0; count < 8; count += 1) {
      const health = await nobody.get('/healthz');
      expect(health.status).toBe(200);
      times.push(health.ms);
    }
    // The median, because a single time may include anything else on this machine.
    expect(times.sort((a, b) => a - b)[4]).toBeLessThan(300);
    raw.socket.destroy();
  });

  it('accepts 200 cached reads and 50 new documents in a second as an ordinary customer, beside others', async () => {
    await start();
    const [customer1, other] = [await customer('127.0.0.2', 100_000), await customer('127.0.0.3')];
    await other.get('/v1/users/user1');
    const startedAt = performance.now();
    const all: Received[] = [];
    for (let tick = 0; tick < 20; tick += 1) {
      const reads = Array.from({ length: 20 }, () => customer1.get('/v1/users/user1'));
      const documents = range(5).map((n) =>
        customer1.post('/graphql', { query: `{ t${tick}_${n}: user(handle: "user1") { id name } }` }),
      );
      all.push(...(await Promise.all([...reads, ...documents, other.get('/v1/users/user1')])));
      await new Promise((resolve) =>
        setTimeout(resolve, Math.max(0, startedAt + 100 * (tick + 1) - performance.now())),
      );
    }
    expect(all.filter(({ status }) => status !== 200).map(({ text }) => text)).toEqual([]);
  });
});
