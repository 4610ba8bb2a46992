/** What holds in every run, whatever fails. Each invariant has a name, which `docs/invariants.md` explains. */
import { itemPrice, type Unit } from '../../../../src/domain/prices.js';
import { chargedOnce, onlyCallsAreCharged, refusalsAreFree, shardsAreApart, sumsAgree } from './money-invariants.js';
import { oneFlight, onePace } from './network-invariants.js';
import { watchesDeliverOnce } from './watch-invariants.js';
import type { CallLog, World } from './world.js';

export interface Invariant {
  readonly name: string;
  /** Returns what contradicts the invariant, or nothing if it holds. */
  readonly check: (world: World) => string[];
}

/** The answers of a run, with their calls. */
const answersOf = ({ calls }: World) =>
  calls.flatMap((call) => (call.result?.kind === 'answer' ? [{ call, answer: call.result }] : []));

const nameOf = ({ requestId, host, operation }: CallLog): string =>
  `${operation} ${requestId.slice(-4)} on ${host.name}`;

/** When an answer leaves a process, its charge is already in the ledger. */
function nothingUnpaid(world: World): string[] {
  return answersOf(world).flatMap(({ call, answer }) =>
    (call.paidAtEnd ?? 0) === answer.charged
      ? []
      : [`${nameOf(call)} cost ${answer.charged}, and ${call.paidAtEnd ?? 'nothing'} was posted when it was answered`],
  );
}

const UNITS: Readonly<Record<string, Unit>> = {
  followers: 'edge_profile',
  following: 'edge_profile',
  'follower-ids': 'follower_id',
  'user-tweets': 'tweet',
  tweet: 'tweet',
  'tweets-batch': 'tweet',
};

/** An answer costs what its items cost by the price table, and no more than the caller allowed. */
function pricesAreRight(world: World): string[] {
  return answersOf(world).flatMap(({ call, answer }) => {
    const unit = UNITS[call.operation] as Unit;
    const { items, cacheHits, charged, ids } = answer;
    const full = itemPrice(unit, answer.cache === 'bypass' ? 'bypass' : 'miss');
    const due = cacheHits * itemPrice(unit, 'hit') + (items - cacheHits) * full;
    const wrong = due === charged && ids.length === items ? [] : [`${nameOf(call)} cost ${charged}, not ${due}`];
    const over = charged > (call.budget ?? Number.POSITIVE_INFINITY) ? [`${nameOf(call)} cost over its budget`] : [];
    return [...wrong, ...over];
  });
}

/** A chain that was read to its end has every item that was in the list throughout, once and in order. */
function pagesAreComplete({ chains, network }: World): string[] {
  return chains.flatMap(({ client, list, ids, expected }) => {
    const all = list === 'followers' ? network.followers : network.tweets;
    const got = new Set(ids);
    const missing = expected.filter((id) => !got.has(id));
    const inOrder = all.filter((id) => got.has(id));
    return [
      ...(got.size < ids.length ? [`${client} got an item of ${list} twice`] : []),
      ...(missing.length > 0 ? [`${client} never got ${missing} of ${list}`] : []),
      ...(got.size === ids.length && inOrder.join() !== ids.join() ? [`${client} got ${list} out of order`] : []),
    ];
  });
}

const REVOKED_WITHIN_MS = 5_000;

/** Five seconds after its revocation, a key buys nothing on any process. */
function revokedInTime(world: World): string[] {
  const { database, databaseClock, scheduler } = world;
  const offsetMs = databaseClock.now() - scheduler.now();
  return answersOf(world).flatMap(({ call }) => {
    const revokedAtMs = database.keys.get(call.keyId)?.revokedAtMs ?? null;
    if (revokedAtMs === null || call.beganAtMs < revokedAtMs - offsetMs + REVOKED_WITHIN_MS) return [];
    return [`${nameOf(call)} was answered ${call.beganAtMs - (revokedAtMs - offsetMs)} ms after its key was revoked`];
  });
}

/** The longest that a tombstone takes to reach the other processes while Redis answers, in milliseconds. */
const LEARNED_WITHIN_MS = 2_500;

/** A process shows no object that it was told is deleted. Nor does any other, once the tombstone has reached it. */
function tombstonesWin(world: World): string[] {
  const { deletions, faults } = world;
  return answersOf(world).flatMap(({ call, answer }) =>
    deletions.flatMap(({ id, host, learnedAtMs }) => {
      if (!call.operation.includes('tweet') || !answer.ids.includes(id)) return [];
      const lateMs = call.beganAtMs - learnedAtMs;
      const mustKnow =
        host === call.host ? lateMs > 0 : !faults.has('redis') && !faults.has('death') && lateMs > LEARNED_WITHIN_MS;
      return mustKnow ? [`${nameOf(call)} shows ${id} ${lateMs} ms after ${host.name} learned that it is deleted`] : [];
    }),
  );
}

/** Every call on a process that stayed alive was answered, at the latest a second after its deadline. */
function everyCallEnds({ calls }: World): string[] {
  return calls.flatMap((call) => {
    if (call.endedAtMs === undefined) return [];
    const tookMs = call.endedAtMs - call.beganAtMs;
    return tookMs > 9_100 ? [`${nameOf(call)} took ${tookMs} ms`] : [];
  });
}

/** No call fails because another call that waited for the same read has left. */
function waitersAreKept(world: World): string[] {
  return world.calls.flatMap((call) =>
    call.result?.kind === 'refusal' && call.result.reason === 'abandoned' ? [`${nameOf(call)} was abandoned`] : [],
  );
}

export const INVARIANTS: readonly Invariant[] = [
  { name: 'sums agree', check: sumsAgree },
  { name: 'charged at most once', check: chargedOnce },
  { name: 'only calls are charged', check: onlyCallsAreCharged },
  { name: 'refusals are free', check: refusalsAreFree },
  { name: 'shards apart', check: shardsAreApart },
  { name: 'nothing delivered unpaid', check: nothingUnpaid },
  { name: 'prices are right', check: pricesAreRight },
  { name: 'pages complete, without repeats', check: pagesAreComplete },
  { name: 'one flight', check: oneFlight },
  { name: 'one pace', check: onePace },
  { name: 'waiters are kept', check: waitersAreKept },
  { name: 'every call ends', check: everyCallEnds },
  { name: 'revoked within five seconds', check: revokedInTime },
  { name: 'tombstones win', check: tombstonesWin },
  { name: 'watches deliver once', check: watchesDeliverOnce },
];
