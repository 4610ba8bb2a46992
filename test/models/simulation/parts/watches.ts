/** The watches of a run: a growing list, the watches that follow it, and what they must deliver. */

import { WATCH_FORM } from '../../../../adapters/rest/watch-form.js';
import type { Chance } from '../../../../demo/random.js';
import { LiveBudget } from '../../../../src/live/budget.js';
import type { Live } from '../../../../src/live/live.js';
import type { Clock, Time } from '../../../../src/ports/clock.js';
import type { WatchLeases, WatchSettings } from '../../../../src/ports/watches.js';
import { watchCall } from '../../../../src/watches/follower.js';
import { Watching } from '../../../../src/watches/watching.js';
import { MemoryWatches } from '../../../engine/live/memory-watches.js';
import { deliveredTo } from './watch-invariants.js';
import type { Host } from './wire.js';
import { START_MS, type World } from './world.js';

/** The user whose timeline is watched. */
const POSTER = '3';
const PAGE_SIZE = 12;
/** Exists before the first watch, because a list that never had an item is read seldom. */
const OLDEST = '4999';
/** All posts appear within this time. */
const POSTS_MS = 16_000;

/** The longest that delivery may take once nothing fails any more, and how often it is checked. */
const MOST_WAIT_MS = 400_000;
const LOOK_MS = 1_000;

export interface SimulatedWatches {
  readonly store: MemoryWatches;
  /** Ids of the posts, in order of time. */
  readonly posted: string[];
  /** Per cent of deliveries during which the writing process dies. */
  readonly deadly: number;
  readonly chance: Chance;
}

export function openWatches({ network: { script }, faults }: World, chance: Chance): SimulatedWatches {
  script.users([Number(POSTER)]);
  const shown = script.tweet({ id: OLDEST, authorId: POSTER, createdAt: new Date(START_MS - 1_000).toISOString() }).id;
  script.list('timeline', POSTER, [shown], { pageSize: PAGE_SIZE });
  const deadly = chance.pick([0, 0, 10, 30]);
  if (deadly > 0) faults.add('death');
  return { store: new MemoryWatches(), posted: [], deadly, chance: chance.fork('deaths') };
}

/** Watches as one process has them. Which process follows which watch is in the database. */
export function connectWatches(
  world: World,
  watches: SimulatedWatches,
  host: Host,
  live: Live,
  at: Time & Clock,
): Watching {
  const { wire, databaseLink, nextId, killAfter, isEnding } = world;
  const { leases } = watches.store;
  const call =
    (name: keyof WatchLeases) =>
    (...args: never[]) => {
      // Between a charge and the writing of its delivery, and before it is known whether that was written.
      if (name === 'step' && !isEnding() && watches.chance.int(100) < watches.deadly)
        killAfter(host, watches.chance.int(3));
      const effect = () => (leases[name] as (...args: never[]) => never)(...args);
      return wire.call(host, databaseLink.station, `watches ${name}`, effect);
    };
  const watching = new Watching({
    leases: new Proxy(leases, { get: (_, name: keyof WatchLeases) => call(name) }),
    live,
    form: WATCH_FORM,
    holder: nextId(),
    clock: { now: at.now },
    monotonic: at.monotonic,
    timers: at.timers,
    dashboard: () => null,
    onWritten: () => {},
    onFailure: () => {},
  });
  watching.start();
  return watching;
}

/** Adds watches before anything is posted or fails. Plans the posts, and what the accounts do with their watches. */
export async function addWatches(world: World, { store, posted }: SimulatedWatches, chance: Chance): Promise<void> {
  const { scheduler, trace, network, nextId, nodes, names } = world;
  const payers = openPayers(world, chance);
  const node = nodes.get(names[0] ?? '');
  if (node === undefined) throw new Error('no process has started');
  const { watching, engine } = node;
  const { live } = engine;
  for (let count = 1 + chance.int(4); count > 0; count -= 1) {
    const { accountId, keyHash } = chance.pick(payers);
    const limit = chance.int(4) === 0 ? 1_000 * (1 + chance.int(4)) : null;
    const settings: WatchSettings = {
      ...{ kind: 'timeline', subject: POSTER, product: null, count: chance.pick([1, 3, 20]) },
      ...{ webhookUrl: 'https://example.org/hook', dailyLimit: limit },
    };
    const watchId = nextId();
    // The name of a position is random; here it comes from the seed.
    const name = Buffer.from(Array.from({ length: 6 }, () => chance.int(256))).toString('base64url');
    const events = live.follow({
      ...watchCall(WATCH_FORM, { ...settings, watchId, keyHash }),
      from: { name, at: START_MS + Math.floor(scheduler.now()), since: null },
      ...{ isResumed: false, isShort: false, mayWait: true, finishes: false, budget: new LiveBudget() },
      signal: new AbortController().signal,
    });
    const { value: event } = await events.next();
    await events.return();
    // Without credits, an account gets no watch.
    if (event?.kind !== 'begin') continue;
    const position = live.positions.encode([event.position]);
    store.add({ ...settings, accountId, watchId, keyHash, position });
    // The process that makes the watches follows all of them, until it gives some up.
    watching?.wake({ accountId, watchId });
    planUse(world, store, watchId, chance);
  }
  for (let nth = 4 + chance.int(PAGE_SIZE); nth > 0; nth -= 1) {
    scheduler.after(chance.between(0, POSTS_MS), () => {
      const id = String(5_000 + posted.length);
      network.script.tweet({ id, authorId: POSTER, createdAt: new Date(START_MS + scheduler.now()).toISOString() });
      posted.push(id);
      network.script.list('timeline', POSTER, [...posted.toReversed(), OLDEST], { pageSize: PAGE_SIZE });
      trace.add(`tweet ${id} is posted`);
    });
  }
}

/** One or two accounts with a key each; some have few credits, and some keys are revoked later. */
function openPayers({ database, scheduler, trace }: World, chance: Chance) {
  return Array.from({ length: 1 + chance.int(2) }, (_, nth) => {
    const [accountId, walletId, keyId] = [`0000000${nth}-0000-4000-8000-00000000000b`, `wallet w${nth}`, `key w${nth}`];
    const keyHash = Buffer.from(Array.from({ length: 32 }, () => chance.int(256))).toString('hex');
    database.addWallet(accountId, walletId, chance.pick([5_000, 1_000_000, 1_000_000, 1_000_000]));
    database.addKey({ keyId, walletId, prefix: `perch_live_watch${nth}`, hashHex: keyHash, cap: null, qps: 50 });
    if (chance.int(8) === 0) {
      scheduler.after(chance.between(0, POSTS_MS), () => {
        trace.add('the key of a watch is revoked');
        database.revoke(keyId);
      });
    }
    return { accountId, keyHash };
  });
}

/** Has their account pause some of them, and perhaps resume them. */
function planUse({ scheduler, trace }: World, store: MemoryWatches, watchId: string, chance: Chance): void {
  if (chance.int(3) > 0) return;
  const change = (afterMs: number, to: 'paused' | 'active' | 'ended'): void => {
    scheduler.after(afterMs, () => {
      trace.add(`a watch is ${to}`);
      if (store.rows.get(watchId)?.state !== 'ended') store.change({ watchId }, to, scheduler.now());
    });
  };
  const pausedAt = chance.between(0, POSTS_MS);
  change(pausedAt, chance.int(4) === 0 ? 'ended' : 'paused');
  if (chance.int(4) > 0) change(pausedAt + chance.between(50, 9_000), 'active');
}

/** Waits until all that can be delivered has been. */
export async function settleWatches({ scheduler }: World, { store, posted }: SimulatedWatches): Promise<void> {
  const isOpen = (): boolean =>
    posted.length < 4 ||
    [...store.rows.values()].some(
      ({ watchId, state }) => state === 'active' && deliveredTo(store, watchId).length < posted.length,
    );
  const endMs = scheduler.now() + MOST_WAIT_MS;
  while (isOpen() && scheduler.now() < endMs) await scheduler.wait(LOOK_MS);
}
