/**
 * A watch continues while its list is there, and is paused otherwise. Its webhook receives each post once, in order,
 * for the price in the ledger, at whatever moment its process is killed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { createClient } from '../../../kit/client.js';
import { priceOf } from '../../calls/prices.js';
import { SUBJECTS } from '../../calls/world.js';
import { killed } from '../kills.js';
import type { Pair } from '../pair.js';
import type { Step } from '../steps.js';
import type { Received } from './receiver.js';
import { charge, REFUSALS } from './streams.js';

type Watching = Extract<Step, { step: 'watch' }>;
type Killed = NonNullable<Watching['killedAt']>;

/** A watch and what it has delivered so far. */
export interface Watch {
  readonly watchId: string;
  readonly path: string;
  /** How many of the list's posts came before it was made, or were delivered by it. */
  posts: number;
  number: number;
  /** In thousandths. */
  spent: number;
  /** How many of the webhooks at its path were checked. */
  seen: number;
}

interface Items {
  readonly type: string;
  readonly data: {
    readonly number: number;
    readonly credits_charged: number;
    readonly request_id: string;
    readonly data: readonly { readonly id: string }[];
  };
}

/** Longer than a process can hold a watch, or a webhook that it is sending. */
const HELD_MS = 31_000;
const LOOK_MS = 5;

export async function watch(pair: Pair, step: Watching): Promise<void> {
  const { kind, posts, killedAt } = step;
  const watches = pair.watchesOf(pair.accountOf(step.key));
  const known = watches.get(kind) ?? (await made(pair, step));
  for (let nth = 0; nth < posts; nth += 1) pair.bench.gate.world.apply({ change: 'post', kind });
  // Cached pages would lack the newest posts.
  await pair.forget();
  if (known !== null) {
    watches.set(kind, known);
    const cut = killedAt === null ? null : await CUTS[killedAt](pair, step);
    if (await change(pair, step, known, 'resume')) await goOn(pair, step, known, cut);
    else cut?.letGo();
  }
  await pair.forget();
  await pair.balances();
}

/** Makes a watch; null if it was refused. */
async function made(pair: Pair, step: Watching): Promise<Watch | null> {
  const { kind } = step;
  const { gate, receiver } = pair.bench;
  await pair.forget();
  const path = `/${pair.accountOf(step.key)}/${kind}`;
  const of = kind === 'timeline' ? { user: SUBJECTS[kind] } : { q: SUBJECTS[kind] };
  const watchId = await call(pair, step, '/v1/watches', { ...of, count: 2, webhook_url: receiver.url + path });
  if (watchId === null) return null;
  const posts = gate.world.shows(kind) ? gate.world.posts(kind).length : 0;
  const known = { watchId, path, posts, number: 0, spent: 0, seen: 0 };
  await pause(pair, step, known);
  return known;
}

/** Makes a call about watches. Returns the watch's id, or null if it was refused. */
async function call(pair: Pair, { key }: Watching, path: string, body: object): Promise<string | null> {
  await pair.advance(1000);
  const reply = await createClient(pair.bench.url, pair.key(pair.numberOf(key)).key).post(path, body);
  if (reply.status < 300) return (reply.body.data as { id: string }).id;
  expect(REFUSALS).toContain(reply.body.error.code);
  return null;
}

const change = async (pair: Pair, step: Watching, { watchId }: Watch, to: 'resume' | 'pause'): Promise<boolean> =>
  (await call(pair, step, `/v1/watches/${watchId}/${to}`, {})) !== null;

/** Pauses the watch and waits until no process follows it. */
async function pause(pair: Pair, step: Watching, known: Watch): Promise<void> {
  await change(pair, step, known, 'pause');
  while ((await pair.bench.watch(known.watchId)).isHeld) await sleep(LOOK_MS);
}

async function goOn(pair: Pair, step: Watching, known: Watch, cut: Cut | null): Promise<void> {
  const caughtUp = untilCaughtUp(pair, step, known);
  if (cut !== null) {
    await Promise.race([cut.reached(caughtUp), caughtUp]);
    await killed(pair, cut.letGo, HELD_MS);
  }
  const { state, reason } = await caughtUp;
  await pause(pair, step, known);
  await checkDeliveries(pair, step, known, cut !== null);
  const { world } = pair.bench.gate;
  switch (state) {
    case 'active':
      if (world.shows(step.kind)) expect(known.posts).toBe(world.posts(step.kind).length);
      return;
    case 'waiting':
      expect(['credits', 'key_cap']).toContain(reason);
      return expect(pair.leftOf(step.key)).toBeLessThan(priceOf('object', 'miss'));
    default:
      expect([reason, world.shows(step.kind)]).toEqual(['list', false]);
  }
}

/**
 * Waits until all that is due was received or the watch has stopped, and until all that it wrote is delivered. Returns
 * its state.
 */
async function untilCaughtUp(pair: Pair, { kind }: Watching, { watchId, path, posts }: Watch) {
  const { gate, receiver, watch: look } = pair.bench;
  const { world } = gate;
  const isGone = kind === 'timeline' && !world.shows(kind);
  const due = world.shows(kind) ? world.posts(kind).slice(posts) : [];
  for (;;) {
    const now = await look(watchId);
    const got = new Set(receiver.at(path).flatMap((one) => itemsOf(one)?.data.data.map(({ id }) => id) ?? []));
    const isDone = now.state !== 'active' || (!isGone && due.every((id) => got.has(id)));
    if (isDone && !now.isDelivering) return now;
    await sleep(LOOK_MS);
  }
}

const itemsOf = ({ event }: Received): Items | null =>
  (event as Items).type === 'watch.items' ? (event as Items) : null;

/**
 * Checks that deliveries came in order, and repeats only where a process was killed before it could note one as
 * delivered.
 */
async function checkDeliveries(pair: Pair, step: Watching, known: Watch, mayRepeat: boolean): Promise<void> {
  const { receiver, gate } = pair.bench;
  const posts = gate.world.posts(step.kind);
  const all = receiver.at(known.path);
  for (const [nth, one] of [...all.entries()].slice(known.seen)) {
    const { data } = itemsOf(one) ?? {};
    if (data === undefined) continue;
    const before = all.slice(0, nth).find(({ id }) => id === one.id);
    if (before !== undefined) {
      expect([mayRepeat, data.number, one]).toEqual([true, known.number, before]);
      continue;
    }
    known.number += 1;
    expect([one.id, data.number]).toEqual([`msg_${data.request_id}`, known.number]);
    const got = data.data.map(({ id }) => id).filter((id) => posts.includes(id));
    expect(got).toEqual(posts.slice(known.posts, known.posts + got.length));
    known.posts += got.length;
    known.spent += charge(pair, step.key, data);
  }
  known.seen = all.length;
  expect(await pair.bench.watch(known.watchId)).toMatchObject({ number: known.number, spent: known.spent });
}

/** The moment at which the process is killed. */
interface Cut {
  readonly reached: (until: Promise<unknown>) => Promise<void>;
  readonly letGo: () => void;
}

const CUTS: Readonly<Record<Killed, (pair: Pair, step: Watching) => Promise<Cut>>> = {
  /** The debit is on its way. */
  async settling(pair, { key }) {
    const { waited, release } = await pair.bench.lock(pair.account(pair.model.keyOf(pair.numberOf(key)).account));
    return { reached: waited, letGo: release };
  },
  /** It is charged, and the delivery cannot be written yet. */
  async writing(pair) {
    const { waited, release } = await pair.bench.lockDeliveries();
    return { reached: waited, letGo: release };
  },
  /** The webhook was received and not answered. */
  async delivering(pair) {
    const { called, release } = pair.bench.receiver.hold();
    return { reached: () => called, letGo: release };
  },
};
