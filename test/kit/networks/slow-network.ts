import { createMemoryPace } from '../../../adapters/memory/pace.js';
import { ServiceError } from '../../../src/domain/errors.js';
import type { ListRef } from '../../../src/domain/lists.js';
import type { Network, ReadContext } from '../../../src/ports/network.js';
import { CallContext } from '../../../src/read/call-context.js';
import { createPool, type Pool } from '../../../src/read/pool/pool.js';
import { Waiters } from '../../../src/read/waiters.js';
import { VirtualTime } from '../time/virtual-time.js';
import { EVERY_LIST } from './lists.js';

/** The state of the network; a test changes it during the run. */
export interface Conditions {
  /** How many calls it serves at a time; further ones wait. */
  servers: number;
  /** How long serving one call takes, in milliseconds. */
  latencyMs: (kind: string) => number;
  /** Kinds of calls that it accepts and never answers. */
  hangs: (kind: string) => boolean;
  /** Kinds of calls that fail at once. */
  fails: (kind: string) => boolean;
}

export interface SlowCall {
  readonly kind: string;
  readonly session: string;
  readonly of: readonly string[];
  readonly sentAtMs: number;
  answeredAtMs?: number;
}

export interface SlowNetworkOptions {
  readonly sessions?: number;
  readonly perSecond: number | null;
  readonly conditions?: Partial<Conditions>;
  readonly batch?: number;
}

/** How a read ended, and how many milliseconds after it was requested. */
export interface Outcome {
  readonly result: 'answered' | ServiceError;
  readonly tookMs: number;
}

export interface SlowNetwork {
  readonly time: VirtualTime;
  readonly pool: Pool;
  readonly conditions: Conditions;
  readonly calls: SlowCall[];
  /** The most calls in progress at the network at once, by session and kind. */
  readonly peaks: ReadonlyMap<string, number>;
  inFlight(): number;
  read(
    kind: string,
    subject: string,
    accountId: string,
    options?: { deadlineMs?: number; leaveMs?: number },
  ): Promise<Outcome>;
}

/** A pool over a network with scripted speed and failures, all in virtual time. */
export function slowNetwork({
  sessions = 1,
  perSecond,
  conditions = {},
  batch = 100,
}: SlowNetworkOptions): SlowNetwork {
  const time = new VirtualTime();
  const now: Conditions = {
    servers: Number.POSITIVE_INFINITY,
    latencyMs: () => 50,
    hangs: () => false,
    fails: () => false,
    ...conditions,
  };
  const calls: SlowCall[] = [];
  const waiting: (() => void)[] = [];
  const at = new Map<string, number>();
  const peaks = new Map<string, number>();
  let [busy, inFlight] = [0, 0];

  function serve(): void {
    while (busy < now.servers) {
      const next = waiting.shift();
      if (next === undefined) return;
      busy += 1;
      next();
    }
  }

  async function answered(kind: string, of: readonly string[], { session = '', signal }: ReadContext): Promise<void> {
    const call: SlowCall = { kind, session, of, sentAtMs: time.now() };
    calls.push(call);
    const key = `${session} ${kind}`;
    const count = (by: number) => {
      inFlight += by;
      at.set(key, (at.get(key) ?? 0) + by);
      peaks.set(key, Math.max(peaks.get(key) ?? 0, at.get(key) ?? 0));
    };
    count(1);
    signal.addEventListener('abort', () => call.answeredAtMs ?? count(-1), { once: true });
    if (now.fails(kind)) {
      await time.wait(5);
    } else if (now.hangs(kind)) {
      await new Promise(() => {});
    } else {
      await new Promise<void>((resolve) => {
        waiting.push(() => {
          time.after(now.latencyMs(kind), () => {
            busy -= 1;
            resolve();
            serve();
          });
        });
        serve();
      });
    }
    if (signal.aborted) return;
    call.answeredAtMs = time.now();
    count(-1);
    if (now.fails(kind)) throw new ServiceError('upstream_error', 'Not well.');
  }

  const names = Array.from({ length: sessions }, (_, n) => `session${n}`);
  const network = networkOf({ names, batch, perSecond }, answered);
  const pool = createPool({
    network,
    pace: createMemoryPace({ clock: time }),
    clock: time,
    monotonic: time,
    timers: time,
    perSecond: { fast: perSecond, slow: perSecond },
  });
  return {
    time,
    pool,
    conditions: now,
    calls,
    peaks,
    inFlight: () => inFlight,
    read: (kind, subject, accountId, options) => read(pool, time, { kind, subject, accountId, ...options }),
  };
}

interface ReadRequest {
  readonly kind: string;
  readonly subject: string;
  readonly accountId: string;
  readonly deadlineMs?: number;
  readonly leaveMs?: number;
}

/** Waits as a call would: until its deadline at most, or until it leaves earlier. */
async function read(pool: Pool, time: VirtualTime, request: ReadRequest): Promise<Outcome> {
  const { kind, subject, accountId, deadlineMs = 30_000, leaveMs = deadlineMs } = request;
  const startedAt = time.now();
  const signal = new AbortController().signal;
  const callContext = new CallContext({ accountId, signal, deadlineAtMs: startedAt + deadlineMs });
  const waiters = new Waiters(callContext);
  const settle = (result: Outcome['result']): Outcome => ({ result, tookMs: time.now() - startedAt });
  const left = new Promise<Outcome>((resolve) => {
    time.after(leaveMs, () => {
      waiters.leave(callContext);
      resolve(settle(new ServiceError('upstream_error', 'Left.', { reason: 'left' })));
    });
  });
  const made =
    kind === 'users' ? pool.user({ handle: subject }, waiters) : pool.page(listOf(kind, subject), null, waiters);
  return Promise.race([
    made.then(
      () => settle('answered'),
      (error: ServiceError) => settle(error),
    ),
    left,
  ]);
}

const listOf = (kind: string, subject: string): ListRef => ({ kind: kind as ListRef['kind'], subject });

type Answered = (kind: string, of: readonly string[], context: ReadContext) => Promise<void>;

interface Shape {
  readonly names: readonly string[];
  readonly batch: number;
  readonly perSecond: number | null;
}

function networkOf({ names: sessions, batch, perSecond }: Shape, answered: Answered): Network {
  const counts = { followersCount: 0, followingCount: 0, tweetsCount: 0 };
  const createdAt = '2026-01-01T00:00:00.000Z';
  return {
    name: 'slow',
    sessions,
    billing: null,
    batchSize: { users: batch, tweets: batch },
    pace: { fast: perSecond, slow: perSecond },
    products: ['Latest'],
    lists: EVERY_LIST,
    async users(refs, context) {
      const ids = refs.map((ref) => ('id' in ref ? ref.id : ref.handle));
      await answered('users', ids, context);
      return ids.map((id) => ({ ok: { id, handle: id, name: id, createdAt, ...counts } }));
    },
    async tweets(ids, context) {
      await answered('tweets', ids, context);
      return ids.map((id) => ({ ok: { id, text: '', authorId: '1', createdAt } }));
    },
    async page({ kind, subject }, _token, context) {
      await answered(kind, [subject], context);
      return { tweets: [], next: null };
    },
  };
}

/** Numbers from 0 to 1 that are the same in each run (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
