/**
 * A stream is opened and left after its first event. A client that continues from its last position gets each post
 * once, in order, and pays for it once, whatever was lost in between.
 */
import { expect } from 'vitest';
import { type OpenStream, openStream } from '../../../kit/events.js';
import { priceOf } from '../../calls/prices.js';
import { SUBJECTS } from '../../calls/world.js';
import { killed } from '../kills.js';
import { openOneWay } from '../one-way.js';
import type { Pair } from '../pair.js';
import type { Step } from '../steps.js';

type Follow = Extract<Step, { step: 'follow' }>;

/** How far a client has come. */
export interface Place {
  readonly kind: Follow['kind'];
  /** The id of the event after which it continues. */
  readonly id: string;
  /** How many of the list's posts it has. */
  readonly posts: number;
}

interface Page {
  readonly data: readonly { readonly id: string }[];
  readonly credits_charged: number;
  readonly request_id: string;
}

/** More than a run ever posts. */
const COUNT = 50;
/** The codes with which a list can be refused to a key that otherwise works. */
export const REFUSALS = ['invalid_key', 'no_credits', 'not_found'];

export async function follow(pair: Pair, step: Follow): Promise<void> {
  const { kind, posts, isLost } = step;
  const { world } = pair.bench.gate;
  const own = pair.placesOf(pair.accountOf(step.key)).filter((place) => place.kind === kind);
  const from = own.at(-1 - (step.back % Math.max(1, own.length))) ?? (await goOn(pair, step, null));
  for (let nth = 0; nth < posts; nth += 1) world.apply({ change: 'post', kind });
  // Cached pages would lack the newest posts.
  await pair.forget();
  if (from !== null && isLost) await lose(pair, step, from);
  if (from !== null) await goOn(pair, step, from);
  await pair.forget();
  await pair.balances();
}

async function open(pair: Pair, { kind, key }: Follow, from: Place | null, url: string): Promise<OpenStream> {
  await pair.advance(1000);
  const query = `${kind === 'timeline' ? 'user' : 'q'}=${encodeURIComponent(SUBJECTS[kind])}&count=${COUNT}`;
  const headers = from === null ? {} : { 'last-event-id': from.id };
  return openStream(`${url}/v1/live?${query}`, pair.key(pair.numberOf(key)).key, headers);
}

/**
 * Continues a stream from a place, or begins one now (null). Returns the place it reached, or null if it was refused.
 */
async function goOn(pair: Pair, step: Follow, from: Place | null): Promise<Place | null> {
  const { kind, key } = step;
  const { world } = pair.bench.gate;
  if (from === null) await pair.forget();
  const { response, next, leave } = await open(pair, step, from, pair.bench.url);
  if (!response.ok) {
    const { error } = (await response.json()) as { error: { code: string } };
    expect(REFUSALS).toContain(error.code);
    return null;
  }
  const posts = world.posts(kind);
  // The client does not have posts that are not shown.
  let place = from ?? { kind, id: '', posts: world.shows(kind) ? posts.length : 0 };
  let page: Page | null;
  let isOver = false;
  let isShort = false;
  await next();
  do {
    const event = await next();
    page = event.event === 'items' ? (event.data as Page) : null;
    if (event.event === 'error') {
      isOver = true;
      expect(REFUSALS).toContain((event.data as { error: { code: string } }).error.code);
    }
    if (page !== null) checkPage(pair, key, page);
    const got = page?.data.map(({ id }) => id).filter((id) => posts.includes(id)) ?? [];
    expect(got).toEqual(posts.slice(place.posts, place.posts + got.length));
    place = { kind, id: event.id ?? place.id, posts: place.posts + got.length };
    isShort = page !== null && 'truncated' in page;
    // After items that were already paid for, more may follow at once; so may an item that is cached by now, if
    // credits ran short.
  } while (isShort || (page?.credits_charged === 0 && page.data.length > 0 && place.posts < posts.length));
  leave();
  // Once the service answers on another connection, it knows that this one is closed.
  await fetch(`${pair.bench.url}/healthz`);
  // It has all there is, or what the credits covered.
  if (!isOver && world.shows(kind)) expect(place.posts).toBe(posts.length);
  pair.placesOf(pair.accountOf(key)).push(place);
  return place;
}

/** Items that are sent again were charged before, and are free. */
function checkPage(pair: Pair, key: number, page: Page): void {
  if (page.credits_charged > 0) charge(pair, key, page);
  else expect(page.data.length === 0 || pair.isCharged(page.request_id)).toBe(true);
}

/** Items charged once, in thousandths. Any number of them may have come from the cache, at half the price. */
export function charge(pair: Pair, key: number, { data, credits_charged, request_id: requestId }: Page): number {
  const charged = Math.round(credits_charged * 1000);
  expect(charged).toBeGreaterThanOrEqual(data.length * priceOf('object', 'hit'));
  expect(charged).toBeLessThanOrEqual(data.length * priceOf('object', 'miss'));
  pair.paid({ key, budget: null }, { requestId, charged });
  return charged;
}

/** Loses the first events of a stream, and kills its process. */
async function lose(pair: Pair, step: Follow, from: Place): Promise<void> {
  const way = await openOneWay(pair.bench.url);
  const opening = open(pair, step, from, way.url).catch(() => undefined);
  await way.answered;
  await killed(pair);
  way.close();
  await opening;
  for (const { requestId, keyId, amount } of await pair.unconfirmed()) {
    expect(keyId).toBe(pair.key(pair.numberOf(step.key)).keyId);
    pair.paid({ key: step.key, budget: null }, { requestId, charged: amount });
  }
}
