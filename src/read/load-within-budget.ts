import type { Thousandths } from '../core/credits.js';
import { ServiceError } from '../core/errors.js';
import { type ItemCache, priceOf, type Unit } from '../core/prices.js';
import type { Meter } from '../metering/meter.js';
import type { CallContext } from './call-context.js';
import type { Entities, Lookup } from './entities.js';

/** One paid object wanted: by what reference, and under which path it is billed. */
export interface LoadRequest<Ref> {
  readonly ref: Ref;
  readonly path: string;
}

export interface LoadOptions<T> {
  readonly unit: Unit;
  readonly fresh: boolean;
  readonly callContext: CallContext;
  /** Identity for billing once per operation (G3). */
  readonly objectOf: (value: T) => string;
}

/** An outcome per want, in order; what an object cost is beside it. */
export type Loaded<T> =
  | { readonly ok: T; readonly cache: ItemCache; readonly charged: Thousandths }
  | { readonly fail: ServiceError };

/**
 * Objects in the order they were asked for, as far as the money reaches: those that do not exist use up nothing (B7), and from
 * the first that cannot be covered every one is `no_credits` and is not fetched (batch rule 4, B6). What is covered is read
 * together, in one go unless the money is tight.
 */
export async function loadWithinBudget<Ref, T extends object>(
  entities: Entities<Ref, T>,
  meter: Meter,
  requests: readonly LoadRequest<Ref>[],
  options: LoadOptions<T>,
): Promise<Loaded<T>[]> {
  const { unit, fresh, callContext } = options;
  const cached = fresh ? requests.map(() => undefined) : await entities.peek(requests.map((request) => request.ref));
  const results: Loaded<T>[] = [];
  const full: ItemCache = fresh ? 'bypass' : 'miss';
  while (results.length < requests.length) {
    const end = affordableEnd(meter, cached, results.length, options);
    const run = requests.slice(results.length, end);
    const read = (ref: Ref) => readOne(() => entities.read(ref, fresh, callContext));
    const got = await Promise.all(run.map(({ ref }, i) => cached[results.length + i] ?? read(ref)));
    const delivered = deliver(entities, meter, run, got, options);
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

/** A read that the network failed is this input's own failure: the others are served (B8). */
async function readOne<T>(read: () => Promise<Lookup<T>>): Promise<Lookup<T>> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ServiceError) return { fail: error };
    throw error;
  }
}

/** How far the money reaches if everything not known to be absent exists. */
function affordableEnd<T>(
  meter: Meter,
  cached: readonly (Lookup<T> | undefined)[],
  from: number,
  options: LoadOptions<T>,
): number {
  const { unit, fresh } = options;
  const full = priceOf(unit, fresh ? 'bypass' : 'miss');
  let rest = meter.left;
  for (let i = from; i < cached.length; i += 1) {
    const got = cached[i];
    if (got && 'fail' in got) continue;
    rest -= got ? meter.costOf({ unit, cache: 'hit', object: options.objectOf(got.ok) }) : full;
    if (rest < 0) return i;
  }
  return cached.length;
}

/** Puts what was found on the meter, in order; stops short where the money does not reach after all. */
function deliver<Ref, T extends object>(
  entities: Entities<Ref, T>,
  meter: Meter,
  run: readonly LoadRequest<Ref>[],
  got: readonly Lookup<T>[],
  options: LoadOptions<T>,
): Loaded<T>[] {
  const results: Loaded<T>[] = [];
  for (const [i, request] of run.entries()) {
    const one = got[i];
    if (!one) break;
    if ('fail' in one) {
      meter.receipt.markNotRepeatable();
      results.push(one);
      continue;
    }
    const object = options.objectOf(one.ok);
    const charged = meter.take({ path: request.path, unit: options.unit, cache: one.cache, object });
    if (charged === null) break;
    meter.receipt.noteSource(one.cache, one.fetchedAt);
    meter.receipt.noteDependency(entities.keyOf(request.ref), one.ok);
    results.push({ ok: one.ok, cache: one.cache, charged });
  }
  return results;
}
