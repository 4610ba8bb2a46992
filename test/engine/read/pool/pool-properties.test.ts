/** Properties of the pool in any schedule: random reads over a random network, in virtual time. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { QUEUE_SLOTS } from '../../../../src/read/pool/queue-share.js';
import { type Outcome, randomFrom, slowNetwork } from '../../../kit/networks/slow-network.js';

const KINDS = ['users', 'search', 'timeline'] as const;

const request = fc.record({
  afterMs: fc.nat({ max: 60 }),
  kind: fc.constantFrom(...KINDS),
  account: fc.constantFrom('a', 'b', 'c'),
  deadlineMs: fc.constantFrom(200, 2000, 30_000),
  /** Some leave before their deadline. */
  leaves: fc.boolean(),
});

const schedule = fc.record({
  requests: fc.array(request, { minLength: 1, maxLength: 150 }),
  seed: fc.nat(),
  sessions: fc.integer({ min: 1, max: 3 }),
  perSecond: fc.constantFrom(null, 5, 30, 200),
  servers: fc.constantFrom(1, 3, 1000),
  longestMs: fc.constantFrom(20, 500, 5000),
  hangsFor: fc.constantFrom(0, 3000),
  fails: fc.constantFrom(0, 0.1, 1),
});

describe('the pool, over random schedules', () => {
  it('loses no read, delivers none twice, keeps its limits in flight, and leaves nothing behind', {
    timeout: 120_000,
  }, async () => {
    const check = fc.asyncProperty(
      schedule,
      async ({ requests, seed, longestMs, hangsFor, fails, servers, ...options }) => {
        const random = randomFrom(seed);
        const net = slowNetwork({
          ...options,
          batch: 5,
          conditions: {
            servers,
            latencyMs: () => 1 + longestMs * random(),
            hangs: () => net.time.now() < hangsFor,
            fails: () => random() < fails,
          },
        });
        const settled: Outcome[] = [];
        for (const [n, { afterMs, kind, account, deadlineMs, leaves }] of requests.entries()) {
          await net.time.run(afterMs);
          const leaveMs = leaves ? deadlineMs * random() : deadlineMs;
          void net.read(kind, `${n}`, account, { deadlineMs, leaveMs }).then((outcome) => settled.push(outcome));
          for (const { inFlight } of Object.values(net.pool.health().families)) {
            for (const { limit, calls } of inFlight) {
              expect(limit).toBeGreaterThanOrEqual(1);
              // Calls sent before the limit fell are still there, and some that test whether the network has
              // recovered.
              expect(calls).toBeLessThanOrEqual(Math.max(16, 4 * (options.perSecond ?? 0), 8));
            }
          }
        }
        await net.time.run(120_000);
        expect(settled).toHaveLength(requests.length);
        const answered = net.calls.filter(({ answeredAtMs }) => answeredAtMs !== undefined);
        for (const { of } of answered) expect(new Set(of).size).toBe(of.length);
        const { fast, slow } = net.pool.health().families;
        expect([fast.waiting, slow.waiting]).toEqual([0, 0]);
        expect([...fast.inFlight, ...slow.inFlight].map(({ calls }) => calls)).toEqual(
          [...fast.inFlight, ...slow.inFlight].map(() => 0),
        );
      },
    );
    await fc.assert(check, { numRuns: 60 });
  });

  it('sends a new call only below the limit, or after nothing has moved for two seconds', async () => {
    const random = randomFrom(3);
    const net = slowNetwork({
      sessions: 2,
      perSecond: 50,
      conditions: { servers: 2, latencyMs: () => 30 + 200 * random() },
    });
    for (let n = 0; n < 300; n += 1) void net.read('search', `${n}`, `a${n % 5}`);
    let calls = 0;
    for (let step = 0; step < 3000; step += 1) {
      const before = net.pool.health().families.slow.inFlight;
      const sentBefore = net.calls.length;
      await net.time.run(5);
      const after = net.pool.health().families.slow.inFlight;
      calls += net.calls.length - sentBefore;
      for (const { session, limit, calls: now } of after) {
        const was = before.find((one) => one.session === session);
        if (was && now > was.calls) expect(now).toBeLessThanOrEqual(Math.max(limit, was.limit));
      }
    }
    expect(calls).toBeGreaterThan(100);
  });

  it('never gives an account more of the queue than its share, and never exceeds the places of the queue', () => {
    const arrivals = fc.array(fc.tuple(fc.integer({ min: 1, max: 700 }), fc.nat({ max: 9 })), { maxLength: 8 });
    return fc.assert(
      fc.asyncProperty(arrivals, async (bursts) => {
        const net = slowNetwork({ perSecond: 100, sessions: 4, conditions: { hangs: () => true } });
        for (const [n, [count, account]] of bursts.entries()) {
          const before = net.pool.health().families.slow.waiting;
          for (let k = 0; k < count; k += 1) void net.read('search', `${n} ${k}`, `a${account}`, { deadlineMs: 9e6 });
          const { waiting } = net.pool.health().families.slow;
          expect(waiting).toBeLessThanOrEqual(QUEUE_SLOTS);
          expect(waiting - before).toBeLessThanOrEqual(Math.ceil((QUEUE_SLOTS - before) / 4) + 1);
          if (before < QUEUE_SLOTS - 3 && bursts.slice(0, n).every(([, other]) => other !== account))
            expect(waiting).toBeGreaterThan(before);
          await net.time.run(1);
        }
      }),
      { numRuns: 8 },
    );
  });
});
