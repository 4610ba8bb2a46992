import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../../../src/read/pool/fair-queue.js';
import type { BatchSpec, Job } from '../../../../src/read/pool/job.js';
import { Waiters } from '../../../../src/read/waiters.js';

const spec = (kind: string, most: number): BatchSpec => ({
  kind,
  family: 'slow',
  maxBatchSize: most,
  nameOf: String,
  subjectOf: String,
  read: async () => [],
});
const CARRIERS = [spec('users', 5), spec('tweets', 3), spec('search', 1), spec('followers', 1)];
const ANYTHING = { mayRead: () => true, mayTake: () => true };

const jobOf = (of: BatchSpec, since: number): Job => ({
  spec: of,
  input: since,
  waiters: new Waiters(),
  requestedAt: since,
  since,
  tried: new Set(),
  resolve: () => {},
  reject: () => {},
});

interface Waiting {
  readonly queue: FairQueue;
  readonly accountOf: Map<Job, string>;
}

const arrivals = fc.array(
  fc.record({ account: fc.constantFrom('a', 'b', 'c', 'd'), spec: fc.nat({ max: CARRIERS.length - 1 }) }),
  { maxLength: 60 },
);

/** Three tweets of `a` take two calls of three places, because one of `d` is served with the first. */
const OTHERS_FILL_ITS_CALLS = [
  ['b', 2],
  ['a', 1],
  ['a', 1],
  ['d', 1],
  ['b', 2],
  ['a', 1],
  ['b', 2],
].map(([account, of]) => ({ account: account as string, spec: of as number }));

function fill(requests: readonly { account: string; spec: number }[]): Waiting {
  const queue = new FairQueue();
  const accountOf = new Map<Job, string>();
  for (const [index, request] of requests.entries()) {
    const job = jobOf(CARRIERS[request.spec] as BatchSpec, index);
    queue.add(job, request.account);
    accountOf.set(job, request.account);
  }
  return { queue, accountOf };
}

function drain({ queue }: Waiting): Job[][] {
  const calls: Job[][] = [];
  for (let jobs = queue.take(ANYTHING); jobs.length > 0; jobs = queue.take(ANYTHING)) calls.push(jobs);
  return calls;
}

describe('the queue for the upstream (L7)', () => {
  it('releases each job once, in calls of one kind within their size limit', () => {
    fc.assert(
      fc.property(arrivals, (requests) => {
        const waiting = fill(requests);
        const calls = drain(waiting);
        expect(new Set(calls.flat())).toEqual(new Set(waiting.accountOf.keys()));
        expect(calls.flat()).toHaveLength(requests.length);
        for (const jobs of calls) {
          expect(new Set(jobs.map((job) => job.spec)).size).toBe(1);
          expect(jobs.length).toBeLessThanOrEqual(jobs[0]?.spec.maxBatchSize ?? 0);
        }
        expect(waiting.queue.size).toBe(0);
      }),
    );
  });

  it('fills a call as far as there are jobs for it', () => {
    fc.assert(
      fc.property(arrivals, (requests) => {
        const waiting = fill(requests);
        const left = new Map(CARRIERS.map((of) => [of, 0]));
        for (const job of waiting.accountOf.keys()) left.set(job.spec, (left.get(job.spec) ?? 0) + 1);
        for (const jobs of drain(waiting)) {
          const of = jobs[0]?.spec as BatchSpec;
          expect(jobs).toHaveLength(Math.min(of.maxBatchSize, left.get(of) ?? 0));
          left.set(of, (left.get(of) ?? 0) - jobs.length);
        }
      }),
    );
  });

  it('gives no account a second turn before every other waiting account has had one', () => {
    fc.assert(
      fc.property(arrivals, (requests) => {
        const waiting = fill(requests);
        const turns = drain(waiting).map(([first]) => waiting.accountOf.get(first as Job) ?? '');
        for (const [index, account] of turns.entries()) {
          const next = turns.indexOf(account, index + 1);
          if (next < 0) continue;
          const between = new Set(turns.slice(index + 1, next));
          // An account served later was waiting, so it must have had a turn in between.
          for (const later of new Set(turns.slice(next + 1))) {
            if (later !== account) expect(between.has(later)).toBe(true);
          }
        }
      }),
    );
  });

  it('never promises a newcomer fewer calls before it than there are', () => {
    fc.assert(
      fc.property(arrivals, fc.constantFrom('a', 'b', 'z'), (requests, account) => {
        const waiting = fill(requests);
        const promised = waiting.queue.callsBefore(account);
        const mine = jobOf(CARRIERS[2] as BatchSpec, requests.length);
        waiting.queue.add(mine, account);
        const before = drain(waiting).findIndex((jobs) => jobs.includes(mine));
        expect(before).toBeLessThanOrEqual(promised);
      }),
      { examples: [[OTHERS_FILL_ITS_CALLS, 'a']], numRuns: 1000 },
    );
  });

  it('gives a session only what it may read, and keeps the rest for another', () => {
    fc.assert(
      fc.property(arrivals, (requests) => {
        const waiting = fill(requests);
        const searcher = { mayRead: (kind: string) => kind === 'search', mayTake: () => true };
        let searches = 0;
        for (let jobs = waiting.queue.take(searcher); jobs.length > 0; jobs = waiting.queue.take(searcher))
          searches += 1;
        expect(searches).toBe(requests.filter((request) => CARRIERS[request.spec]?.kind === 'search').length);
        expect(waiting.queue.hasFor(searcher)).toBe(false);
        expect(waiting.queue.size).toBe(requests.length - searches);
      }),
    );
  });

  it('counts a job once, however many accounts wait for it', () => {
    const queue = new FairQueue();
    const shared = jobOf(CARRIERS[2] as BatchSpec, 0);
    for (let n = 0; n < 500; n += 1) queue.add(shared, `account${n}`);
    expect([queue.calls, queue.callsBefore('newcomer')]).toEqual([1, 1]);
  });

  it('removes a job from the lines of all accounts that wait for it', () => {
    const queue = new FairQueue();
    const shared = jobOf(CARRIERS[2] as BatchSpec, 0);
    for (const account of ['a', 'b']) queue.add(shared, account);
    queue.add(jobOf(CARRIERS[2] as BatchSpec, 1), 'b');
    expect(queue.size).toBe(2);
    expect(queue.take(ANYTHING)).toEqual([shared]);
    expect(queue.take(ANYTHING)).toHaveLength(1);
    expect([queue.size, queue.callsBefore('a'), queue.callsBefore('b')]).toEqual([0, 0, 0]);
  });
});
