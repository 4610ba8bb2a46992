/**
 * A network that is slower than its pace, hangs, or fails for one kind of read. In virtual time, so each run is the
 * same.
 */
import { describe, expect, it } from 'vitest';
import type { ServiceError } from '../../src/domain/errors.js';
import { type Outcome, randomFrom, type SlowNetwork, slowNetwork } from '../kit/networks/slow-network.js';

const numbered = (count: number, prefix = 'n'): string[] => Array.from({ length: count }, (_, n) => `${prefix}${n}`);
const codeOf = ({ result }: Outcome): string => (result === 'answered' ? result : result.code);
const failureOf = ({ result }: Outcome): ServiceError | undefined => (result === 'answered' ? undefined : result);

/** Keeps this many reads of one account waiting, each with a name of its own. */
function keepBusy(
  net: SlowNetwork,
  kind: string,
  accountId: string,
  count: number,
): { outcomes: Outcome[]; stop(): void } {
  const outcomes: Outcome[] = [];
  let [reads, goesOn] = [0, true];
  const one = async (): Promise<void> => {
    while (goesOn) {
      const outcome = await net.read(kind, `${accountId} ${reads++}`, accountId);
      outcomes.push(outcome);
      if (outcome.result !== 'answered') await net.time.wait(1000 * (outcome.result.retryAfter ?? 1));
    }
  };
  for (let n = 0; n < count; n += 1) void one();
  return {
    outcomes,
    stop() {
      goesOn = false;
    },
  };
}

/** Calls answered per second between two moments, and their median time. */
function servedIn({ calls }: SlowNetwork, fromMs: number, toMs: number): { perSecond: number; medianMs: number } {
  const of = calls.flatMap(({ sentAtMs, answeredAtMs = Number.POSITIVE_INFINITY }) =>
    answeredAtMs >= fromMs && answeredAtMs < toMs ? [answeredAtMs - sentAtMs] : [],
  );
  const medianMs = of.sort((one, other) => one - other)[Math.floor(of.length / 2)] ?? 0;
  return { perSecond: (1000 * of.length) / (toMs - fromMs), medianMs };
}

const stateOf = ({ pool }: SlowNetwork) => pool.health().sessions.map(({ state }) => state);

describe('a network that serves 20 calls a second when the pace of three sessions allows 90', () => {
  it.each([
    ['one at a time', 1, 50],
    ['six at a time', 6, 300],
  ])(
    '%s: gets as many calls as it can handle, and soon answers at nearly full speed',
    async (_, servers, latencyMs) => {
      const net = slowNetwork({ sessions: 3, perSecond: 30, conditions: { servers, latencyMs: () => latencyMs } });
      keepBusy(net, 'search', 'heavy', 500);
      await net.time.run(40_000);
      const { perSecond, medianMs } = servedIn(net, 10_000, 40_000);
      expect(perSecond).toBeGreaterThan(18);
      expect(medianMs).toBeLessThan(3 * Math.max(latencyMs, (1000 * 3) / 20));
      expect(stateOf(net)).toEqual(['ok', 'ok', 'ok']);
    },
  );

  it('delays another account by a few tenths when one has 500 searches queued; no breaker opens, nothing times out', async () => {
    const net = slowNetwork({ sessions: 3, perSecond: 30, conditions: { servers: 1 } });
    const heavy = keepBusy(net, 'search', 'heavy', 500);
    await net.time.run(5000);
    const tookMs: number[] = [];
    for (let n = 0; n < 20; n += 1) {
      const light = net.read('search', `mine ${n}`, 'light');
      await net.time.run(30_000, light);
      expect(codeOf(await light)).toBe('answered');
      tookMs.push((await light).tookMs);
      await net.time.run(500);
    }
    tookMs.sort((one, other) => one - other);
    expect(tookMs[10]).toBeLessThan(700);
    expect(tookMs[19]).toBeLessThan(1500);
    // It may be told that its own queue is too long for its own deadline, and nothing else.
    const refusals = heavy.outcomes.map(codeOf).filter((code) => code !== 'answered');
    expect(refusals.filter((code) => code !== 'upstream_rate_limited')).toEqual([]);
    expect(refusals.length).toBeLessThan(heavy.outcomes.length / 4);
    expect(stateOf(net)).toEqual(['ok', 'ok', 'ok']);
  });

  it('is read at its pace again once it gets faster', async () => {
    const net = slowNetwork({ sessions: 3, perSecond: 30, conditions: { servers: 1 } });
    keepBusy(net, 'search', 'heavy', 500);
    await net.time.run(15_000);
    net.conditions.servers = 10;
    await net.time.run(20_000);
    expect(servedIn(net, 25_000, 35_000).perSecond).toBeGreaterThan(81);
  });

  it('is not taken for crowded for long if it becomes slower for good', async () => {
    const net = slowNetwork({ perSecond: 30, conditions: { latencyMs: () => 100 } });
    keepBusy(net, 'search', 'heavy', 200);
    await net.time.run(10_000);
    net.conditions.latencyMs = () => 500;
    await net.time.run(40_000);
    expect(servedIn(net, 35_000, 50_000).perSecond).toBeGreaterThan(27);
  });
});

describe('a network whose latency varies by nature', () => {
  const random = randomFrom(7);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  it.each([
    ['evenly, 50 to 800 ms', () => 50 + 750 * random()],
    ['with a heavy tail', () => Math.min(4000, Math.max(50, 200 * Math.exp(0.8 * normal())))],
    ['and now and then a call of 8 s', () => (random() < 0.01 ? 8000 : 200)],
  ])('%s: is read at nine tenths of the pace at least', async (_, latencyMs) => {
    const net = slowNetwork({ perSecond: 30, conditions: { latencyMs } });
    keepBusy(net, 'search', 'a', 200);
    await net.time.run(40_000);
    expect(servedIn(net, 5000, 40_000).perSecond).toBeGreaterThan(27);
  });

  it('does not have its kinds compared: a slow one does not slow the fast one', async () => {
    const latencyMs = (kind: string) => (kind === 'thread' ? 1500 : 40);
    const net = slowNetwork({ perSecond: 30, conditions: { latencyMs } });
    keepBusy(net, 'thread', 'a', 100);
    keepBusy(net, 'search', 'b', 100);
    await net.time.run(30_000);
    expect(servedIn(net, 10_000, 30_000).perSecond).toBeGreaterThan(27);
  });
});

describe('a network that hangs', () => {
  it('bounds calls in flight, refuses waiting reads in time, and recovers within seconds', async () => {
    const net = slowNetwork({ perSecond: 30 });
    await net.time.run(1000, net.read('search', 'warm', 'a'));
    net.conditions.hangs = () => true;
    const heavy = keepBusy(net, 'search', 'heavy', 400);
    await net.time.run(15_000);
    expect(net.inFlight()).toBeLessThanOrEqual(30);
    const late = net.read('search', 'late', 'light', { deadlineMs: 10_000 });
    await net.time.run(10_000, late);
    expect(['upstream_rate_limited', 'upstream_error']).toContain(codeOf(await late));
    await net.time.run(25_000);
    net.conditions.hangs = () => false;
    const backAtMs = net.time.now();
    let first: number | undefined;
    while (first === undefined && net.time.now() < backAtMs + 30_000) {
      const probe = net.read('search', `back ${net.time.now()}`, 'light');
      await net.time.run(1000, probe);
      await net.time.run(200);
      if (net.calls.some(({ answeredAtMs = 0 }) => answeredAtMs > backAtMs)) first = net.time.now() - backAtMs;
    }
    expect(first).toBeLessThan(12_000);
    for (const { result } of heavy.outcomes)
      if (result !== 'answered') expect(result.retryAfter).toBeGreaterThanOrEqual(1);
  });

  it('never promises a turn in 0 s, even if the deadline is over', async () => {
    const net = slowNetwork({ perSecond: 10, conditions: { hangs: () => true } });
    const reads = numbered(300).map((name, n) => net.read('search', name, `a${n % 20}`, { deadlineMs: 5 + 37 * n }));
    const over = net.read('search', 'over', 'b', { deadlineMs: 0 });
    await net.time.run(60_000);
    const failures = (await Promise.all([...reads, over])).map(failureOf);
    expect(failures).not.toContain(undefined);
    for (const failure of failures) {
      expect(failure?.message).not.toMatch(/ 0 s/);
      expect(failure?.retryAfter).toBeGreaterThanOrEqual(1);
    }
  });
});

describe('a network that fails for one kind of read', () => {
  it('is left alone for that kind only', async () => {
    const net = slowNetwork({ sessions: 2, perSecond: 30, conditions: { fails: (kind) => kind === 'search' } });
    keepBusy(net, 'search', 'a', 50);
    await net.time.run(4000);
    const others = ['users', 'timeline', 'followers'].flatMap((kind) =>
      numbered(20).map((name) => net.read(kind, name, 'b')),
    );
    await net.time.run(10_000, Promise.all(others));
    expect(new Set((await Promise.all(others)).map(codeOf))).toEqual(new Set(['answered']));
    const { sessions } = net.pool.health();
    for (const { state, closed } of sessions) {
      expect([state, closed.map(({ kind, why }) => [kind, why])]).toEqual(['limited', [['search', 'failing']]]);
    }
    const tried = net.calls.filter(({ kind }) => kind === 'search').length;
    expect(tried).toBeLessThan(60);
    net.conditions.fails = () => false;
    await net.time.run(15_000);
    expect(stateOf(net)).toEqual(['ok', 'ok']);
  });

  it('is not blamed for time-outs of reads that had no time left here', async () => {
    const net = slowNetwork({ perSecond: 2, conditions: { latencyMs: () => 400 } });
    for (let round = 0; round < 30; round += 1) {
      // One call goes every half second, so the second of these has only 100 ms left of its 600 when its turn comes.
      const two = numbered(2, `${round} `).map((name) => net.read('search', name, 'a', { deadlineMs: 600 }));
      await net.time.run(3000, Promise.all(two));
      await net.time.run(1500);
    }
    expect(net.calls.some(({ answeredAtMs }) => answeredAtMs === undefined)).toBe(true);
    expect(stateOf(net)).toEqual(['ok']);
  });
});

describe('shares of the queue (7)', () => {
  it('give one account at most a quarter; it alone is refused, with a true Retry-After; a newcomer finds room', async () => {
    const net = slowNetwork({ sessions: 10, perSecond: 10, conditions: { latencyMs: () => 200 } });
    const heavy = numbered(800).map((name) => net.read('search', name, 'heavy'));
    const light = net.read('search', 'mine', 'light');
    await net.time.run(100);
    const { waiting } = net.pool.health().families.slow;
    expect(waiting).toBeLessThanOrEqual(501);
    await net.time.run(40_000);
    expect(codeOf(await light)).toBe('answered');
    expect((await light).tookMs).toBeLessThan(1500);
    const refused = (await Promise.all(heavy)).flatMap((outcome) => failureOf(outcome) ?? []);
    expect(refused.length).toBeGreaterThan(200);
    for (const { code, retryAfter, message, detail } of refused) {
      expect([code, detail.reason, retryAfter]).toEqual(['upstream_rate_limited', 'queue_share', 1]);
      expect(message).toMatch(
        /This account has 500 reads waiting for the network; its share of the queue is currently 500/,
      );
    }
  });
});

describe('a network without a pace', () => {
  it('gets 16 fast calls of a kind at a time, and the rest waits here', async () => {
    const net = slowNetwork({ perSecond: null, batch: 1, conditions: { latencyMs: () => 100 } });
    const reads = numbered(200).map((name, n) => net.read('users', name, `a${n % 3}`));
    await net.time.run(10_000, Promise.all(reads));
    expect((await Promise.all(reads)).every(({ result }) => result === 'answered')).toBe(true);
    expect(net.peaks.get('session0 users')).toBe(16);
  });

  it.each([
    [1, 5],
    [2, 5],
    [3, 6],
    [10, 7],
  ])('gets slow calls of %i accounts on %i of its connections', async (accounts, inFlight) => {
    const net = slowNetwork({ perSecond: null, conditions: { latencyMs: () => 100 } });
    const reads = numbered(200).map((name, n) => {
      const kind = n % 2 === 0 ? 'search' : 'followers';
      return net.read(kind, name, `a${Math.floor(n / 2) % accounts}`);
    });
    await net.time.run(50);
    expect(net.inFlight()).toBe(inFlight);
    await net.time.run(10_000, Promise.all(reads));
    expect((await Promise.all(reads)).every(({ result }) => result === 'answered')).toBe(true);
  });

  it('delays no read of another account while all searches of one hang, and refuses what it could not read in time', async () => {
    const net = slowNetwork({ perSecond: null, conditions: { hangs: (kind) => kind === 'search' } });
    const heavy = numbered(100).map((name) => net.read('search', name, 'heavy'));
    await net.time.run(10_000);
    const light = [net.read('followers', 'mine', 'light'), net.read('users', 'me', 'light')];
    await net.time.run(200);
    expect((await Promise.all(light)).map(codeOf)).toEqual(['answered', 'answered']);
    const late = net.read('search', 'one more', 'heavy');
    await net.time.run(1);
    expect(failureOf(await late)).toMatchObject({ code: 'upstream_rate_limited', detail: { reason: 'queue' } });
    await net.time.run(30_000, Promise.all(heavy));
  });
});
