import type { Thousandths } from '../domain/credits.js';
import { ServiceError } from '../domain/errors.js';
import { type ItemCache, itemPrice, type Unit } from '../domain/prices.js';
import type { Meter, Sold, Tab } from '../metering/meter.js';
import type { CallContext } from './call-context.js';
import type { Entities, Lookup } from './entities.js';

/** One paid object to load: its reference, and the path it is billed under. */
export interface LoadRequest<Ref> {
  readonly ref: Ref;
  readonly path: string;
}

export interface LoadOptions<Ref, T> {
  readonly unit: Unit;
  readonly fresh: boolean;
  readonly callContext: CallContext;
  /** Why the network cannot have an object of this name. */
  readonly impossible?: ((ref: Ref) => ServiceError | undefined) | undefined;
  /** Identity for billing once per operation. */
  readonly objectOf: (value: T) => string;
}

/** One result per request, in order, with what the object cost. */
export type Loaded<T> =
  | { readonly ok: T; readonly cache: ItemCache; readonly charged: Thousandths }
  | { readonly fail: ServiceError };

/**
 * Loads objects in the order requested, as far as the budget allows. Missing objects cost nothing (B7). From the first
 * object that cannot be paid for, all are `no_credits` and not fetched (section 4.2.4). Affordable objects are read
 * in parallel.
 */
export async function loadWithinBudget<Ref, T extends object>(
  entities: Entities<Ref, T>,
  meter: Meter,
  requests: readonly LoadRequest<Ref>[],
  options: LoadOptions<Ref, T>,
): Promise<Loaded<T>[]> {
  const tab = meter.open();
  try {
    const delivered = await loadOn(tab, entities, meter, requests, options);
    await tab.close();
    return delivered.map((got) => ('fail' in got ? got : { ok: got.ok, cache: got.cache, charged: got.sold.price }));
  } catch (error) {
    tab.giveBack();
    throw error;
  }
}

type Delivered<T> =
  | { readonly ok: T; readonly cache: ItemCache; readonly sold: Sold }
  | { readonly fail: ServiceError };

async function loadOn<Ref, T extends object>(
  tab: Tab,
  entities: Entities<Ref, T>,
  meter: Meter,
  requests: readonly LoadRequest<Ref>[],
  options: LoadOptions<Ref, T>,
): Promise<Delivered<T>[]> {
  const { unit, fresh, callContext, impossible } = options;
  const known = fresh ? [] : await entities.peek(requests.map((request) => request.ref));
  const cached = requests.map(({ ref }, index): Lookup<T> | undefined => {
    const fail = impossible?.(ref);
    return fail ? { fail } : known[index];
  });
  const results: Delivered<T>[] = [];
  const full: ItemCache = fresh ? 'bypass' : 'miss';
  while (results.length < requests.length) {
    const end = affordableEnd(meter, cached, results.length, options);
    const run = requests.slice(results.length, end);
    const read = (ref: Ref) => readOne(() => entities.read(ref, fresh, callContext));
    const got = await Promise.all(run.map(({ ref }, i) => cached[results.length + i] ?? read(ref)));
    const delivered = deliver(tab, entities, meter, run, got, options);
    results.push(...delivered);
    if (delivered.length < run.length || run.length === 0) break;
  }
  const missing = requests.length - results.length;
  if (missing > 0) {
    meter.receipt.markNotRepeatable();
    const fail = meter.noCredits(unit, full);
    for (let i = 0; i < missing; i += 1) results.push({ fail });
  }
  return results;
}

/** A failed read fails only its own input; the others are served. */
async function readOne<T>(read: () => Promise<Lookup<T>>): Promise<Lookup<T>> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ServiceError) return { fail: error };
    throw error;
  }
}

/** The index of the first request that cannot be paid for, assuming that objects not known to be missing exist. */
function affordableEnd<Ref, T>(
  meter: Meter,
  cached: readonly (Lookup<T> | undefined)[],
  from: number,
  options: LoadOptions<Ref, T>,
): number {
  const { unit, fresh } = options;
  const full = itemPrice(unit, fresh ? 'bypass' : 'miss');
  let rest = meter.left;
  for (let i = from; i < cached.length; i += 1) {
    const got = cached[i];
    if (got && 'fail' in got) continue;
    rest -= got ? meter.costOf({ unit, cache: 'hit', object: options.objectOf(got.ok) }) : full;
    if (rest < 0) return i;
  }
  return cached.length;
}

/** Charges for the objects found, in order; stops at the first that cannot be paid for. */
function deliver<Ref, T extends object>(
  tab: Tab,
  entities: Entities<Ref, T>,
  meter: Meter,
  run: readonly LoadRequest<Ref>[],
  got: readonly Lookup<T>[],
  options: LoadOptions<Ref, T>,
): Delivered<T>[] {
  const results: Delivered<T>[] = [];
  for (const [i, request] of run.entries()) {
    const one = got[i];
    if (!one) break;
    if ('fail' in one) {
      meter.receipt.markNotRepeatable();
      results.push(one);
      continue;
    }
    const object = options.objectOf(one.ok);
    const sold = tab.take({ path: request.path, unit: options.unit, cache: one.cache, object });
    if (sold === null) break;
    meter.receipt.noteSource(one.cache, one.fetchedAt);
    meter.receipt.noteDependency(entities.keyOf(request.ref), one.ok);
    results.push({ ok: one.ok, cache: one.cache, sold });
  }
  return results;
}
