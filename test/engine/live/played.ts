/** A service and a network that a test scripts: its list has a number of items, each at 1 credit. */
import { randomUUID } from 'node:crypto';
import { createMemoryPace } from '../../../adapters/memory/pace.js';
import { ServiceError } from '../../../src/domain/errors.js';
import type { Mode } from '../../../src/domain/mode.js';
import { Live } from '../../../src/live/live.js';
import { Positions } from '../../../src/live/positions.js';
import type { Timers } from '../../../src/ports/clock.js';
import type { Push } from '../../../src/ports/network.js';
import type { WatchId, WatchLeases, WatchSettings } from '../../../src/ports/watches.js';
import type { Answer, Call, Outcome, Params } from '../../../src/serve/call.js';
import type { Serve } from '../../../src/serve/serve.js';
import type { WatchForm } from '../../../src/watches/follower.js';
import { Watching } from '../../../src/watches/watching.js';
import type { VirtualTime } from '../../kit/time/virtual-time.js';
import type { MemoryWatches } from './memory-watches.js';

const SECRET = new Uint8Array(32);

interface RecordedCall {
  readonly call: Call;
  /** Whether the network must be called. */
  readonly reads: boolean;
  /** Unix milliseconds. */
  readonly at: number;
}

/** Serves calls that follow the list. A cursor is the number of items that the caller has. */
export function playService(time: VirtualTime) {
  const calls: RecordedCall[] = [];
  const state = {
    items: [] as number[],
    failure: null as ServiceError | null,
    /** For callers at this address only. */
    failureAt: null as { readonly address: string; readonly failure: ServiceError } | null,
    /** Charges, by the id of their request. */
    paid: new Map<string, number>(),
    perCall: 100,
    list: 'seven',
    takesMs: 0,
    /** The oldest item that the list still shows. */
    showsFrom: 0,
    /** How long it takes to post a charge. */
    postsMs: 0,
    /** Why a charge cannot be posted. */
    unposted: null as ServiceError | null,
    /** When each list was last read, how many calls share that reading, and how many have had it so far. */
    readAt: new Map<string, number>(),
    callsOfRead: 1,
    calls: 0,
    gap: false,
    mode: 'live' as Mode,
  };
  const answerTo = async (call: Call, { budget, sharedBudget }: Params): Promise<Outcome> => {
    const rate = { allowed: true, limit: 10, remaining: 9, resetSeconds: 1, retryAfterSeconds: 0 };
    const base = { requestId: call.requestId, policy: 'account', rate, ageSeconds: 0, warnings: [], mode: state.mode };
    const subject = call.follow?.subject ?? state.list;
    const isRead = (call.follow?.notBefore ?? 0) > (state.readAt.get(subject) ?? 0);
    if (isRead) state.readAt.set(subject, time.now());
    const upstream = { calls: isRead ? state.callsOfRead : 0, waitMs: 0, readMs: 0 };
    state.calls += upstream.calls;
    const own = { accountId: 'a', keyId: 'k', operation: 'o', upstream };
    const outcome = (result: Outcome['result']): Outcome => ({ ...base, ...own, result }) as Outcome;
    const refuse = (failure: ServiceError): Outcome => outcome({ kind: 'refusal', failure });
    if (state.failure !== null) return refuse(state.failure);
    if (state.failureAt?.address === call.address) return refuse(state.failureAt.failure);
    const { follow } = call;
    if (!follow) throw new Error('not followed');
    const total = state.items.length;
    const has = follow.since === null ? total : Number(follow.since);
    const before = follow.mayBePaid ? state.paid.get(call.requestId) : undefined;
    follow.paid = before === undefined ? null : { amount: before, items: before, atMs: time.now() };
    const shown = state.showsFrom > has && before !== undefined && !follow.isKept ? 0 : total - has;
    const items = Math.min(shown, state.perCall, before ?? Number.POSITIVE_INFINITY);
    const left = Math.min(budget ?? Number.POSITIVE_INFINITY, sharedBudget?.left ?? Number.POSITIVE_INFINITY);
    if (before === undefined && left < items) {
      return refuse(new ServiceError('no_credits', 'Not enough.', { reason: 'max_credits' }));
    }
    const amount = before === undefined ? items : 0;
    if (amount > 0) sharedBudget?.plan(amount);
    const { unposted } = state;
    state.unposted = null;
    if (state.postsMs > 0) await time.wait(state.postsMs);
    if (unposted !== null) return refuse(unposted);
    if (amount > 0 && !state.paid.has(call.requestId)) state.paid.set(call.requestId, amount);
    const newestAt = state.items.at(-1) ?? null;
    const top = state.items[has + items - 1];
    const since = `${has + items}`;
    const followed = {
      list: { kind: 'timeline', subject } as const,
      ...{ since, short: since, items, hasNewer: has + items < total, gap: state.gap, newestAt },
      oldest: total > has ? `${Math.max(has, state.showsFrom)}` : null,
      top: top === undefined ? null : ([top, since] as const),
    };
    const data = { items: Array.from({ length: items }, (_, nth) => has + nth) };
    return outcome({ kind: 'answer', charge: { amount }, followed, data } as unknown as Answer);
  };
  const serve = async (call: Call): Promise<Outcome> => {
    calls.push({ call, reads: (call.follow?.notBefore ?? 0) > 0, at: time.now() });
    const params = call.parse();
    if (state.takesMs > 0) await time.wait(state.takesMs);
    return answerTo(call, params);
  };
  const post = (): number => state.items.push(time.now());
  return { serve, state, calls, post };
}

export const openLive = (
  time: VirtualTime,
  serve: (call: Call) => Promise<Outcome>,
  perSecond: number | null = 10,
  timers: Timers = time,
  push: Pick<Push, 'follow'> | null = null,
): Live =>
  new Live({
    serve: serve as unknown as Serve,
    clock: time,
    timers,
    pace: createMemoryPace({ clock: time }),
    perSecond: { fast: perSecond, slow: perSecond },
    places: 1000,
    push,
    secret: SECRET,
  });

/** The items of a delivery, as places in the list. */
export const itemsOf = (body: string): number[] => JSON.parse(body).items;

const FORM: WatchForm = {
  follows: ({ subject }) => ({ user: subject }),
  call: () => ({ interface: 'rest', parse: () => ({ variables: {}, budget: null, estimate: false }) }) as never,
  body: ({ subject }, { answer, followed }, number) => [
    JSON.stringify({ number, subject, gap: followed.gap, ...answer.data }),
    '',
    '',
  ],
};

/** Adds a watch that has everything the list has now. */
export function addPlayed(
  store: MemoryWatches,
  time: VirtualTime,
  { state }: Pick<ReturnType<typeof playService>, 'state'>,
  changes: Partial<WatchSettings> = {},
): WatchId {
  const positions = new Positions(SECRET);
  const { accountId, watchId } = store.add({
    ...{ accountId: randomUUID(), watchId: randomUUID(), keyHash: 'abcd', kind: 'timeline', subject: 'seven' },
    ...{ product: null, count: 20, webhookUrl: 'https://example.org/hook', dailyLimit: null, ...changes },
    position: positions.encode([positions.begin(time.now(), `${state.items.length}`)]),
  });
  return { accountId, watchId };
}

/** A process that follows watches. Once it is killed, nothing it waits for arrives. */
export function openNode(time: VirtualTime, serve: (call: Call) => Promise<Outcome>, leases: WatchLeases) {
  const state = { isKilled: false, isCut: false, isHung: false, moves: 0, diesAt: Number.POSITIVE_INFINITY };
  const failures: unknown[] = [];
  const claims: number[] = [];
  const own = { now: time.now, after: time.after };
  const timers: Timers = { after: (ms, then) => own.after(ms, () => state.isKilled || then()) };
  /** A call to the outside, before or after which the process may die. */
  const reach = async <T>(operation: () => Promise<T>): Promise<T> => {
    moved(state);
    if (state.isKilled) return NEVER;
    if (state.isCut) throw new Error('The store is away.');
    const result = await operation();
    moved(state);
    return state.isKilled ? NEVER : result;
  };
  const methodOf =
    (name: keyof WatchLeases) =>
    async (...args: never[]) => {
      if (state.isHung) return NEVER;
      const result = await reach(() => (leases[name] as (...args: never[]) => Promise<unknown>)(...args));
      if (name === 'claim') claims.push((result as unknown[]).length);
      return result;
    };
  const reached = new Proxy(leases, { get: (_, name: keyof WatchLeases) => methodOf(name) });
  const watching = new Watching({
    leases: reached,
    live: openLive(time, (call) => reach(() => serve(call)), 1000, timers),
    form: FORM,
    holder: randomUUID(),
    clock: time,
    monotonic: time,
    timers,
    dashboard: () => 'https://perch.example.org/dashboard',
    onWritten: () => {},
    onFailure: (error) => failures.push(error),
  });
  const kill = (): void => {
    state.isKilled = true;
  };
  return { watching, state, failures, claims, kill };
}

function moved(state: { moves: number; isKilled: boolean; readonly diesAt: number }): void {
  state.moves += 1;
  if (state.moves === state.diesAt) state.isKilled = true;
}

const NEVER = new Promise<never>(() => {});
