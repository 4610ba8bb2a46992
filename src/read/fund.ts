import type { Thousandths } from '../core/credits.js';
import { ServiceError } from '../core/errors.js';
import { type ItemCache, priceOf, type Unit } from '../core/prices.js';
import type { Meter } from '../metering/meter.js';
import type { Entities, Got } from './entities.js';
import type { Errand } from './errand.js';

/** One paid object wanted: by what reference, and under which path it is billed. */
export interface Want<Ref> {
  readonly ref: Ref;
  readonly path: string;
}

export interface Terms<T> {
  readonly unit: Unit;
  readonly fresh: boolean;
  readonly errand: Errand;
  /** Identity for billing once per operation (G3). */
  readonly objectOf: (value: T) => string;
}

/** An outcome per want, in order; what an object cost is beside it. */
export type Funded<T> =
  | { readonly ok: T; readonly cache: ItemCache; readonly charged: Thousandths }
  | { readonly fail: ServiceError };

/**
 * Objects in the order they were asked for, as far as the money reaches: those that do not exist use up nothing (B7), and from
 * the first that cannot be covered every one is `no_credits` and is not fetched (batch rule 4, B6). What is covered is read
 * together, in one go unless the money is tight.
 */
export async function fund<Ref, T extends object>(
  entities: Entities<Ref, T>,
  meter: Meter,
  wants: readonly Want<Ref>[],
  terms: Terms<T>,
): Promise<Funded<T>[]> {
  const { unit, fresh, errand } = terms;
  const held = fresh ? wants.map(() => undefined) : await entities.peek(wants.map((want) => want.ref));
  const results: Funded<T>[] = [];
  const full: ItemCache = fresh ? 'bypass' : 'miss';
  while (results.length < wants.length) {
    const end = reach(meter, held, results.length, terms);
    const run = wants.slice(results.length, end);
    const read = (ref: Ref) => readOne(() => entities.read(ref, fresh, errand));
    const got = await Promise.all(run.map(({ ref }, i) => held[results.length + i] ?? read(ref)));
    const delivered = deliver(entities, meter, run, got, terms);
    results.push(...delivered);
    if (delivered.length < run.length || run.length === 0) break;
  }
  const missing = wants.length - results.length;
  if (missing > 0) {
    meter.receipt.onlyOnce();
    const fail = meter.noCredits(unit, full);
    for (let i = 0; i < missing; i += 1) results.push({ fail });
  }
  return results;
}

/** A read that the network failed is this input's own failure: the others are served (B8). */
async function readOne<T>(read: () => Promise<Got<T>>): Promise<Got<T>> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ServiceError) return { fail: error };
    throw error;
  }
}

/** How far the money reaches if everything not known to be absent exists. */
function reach<T>(meter: Meter, held: readonly (Got<T> | undefined)[], from: number, terms: Terms<T>): number {
  const { unit, fresh } = terms;
  const full = priceOf(unit, fresh ? 'bypass' : 'miss');
  let rest = meter.left;
  for (let i = from; i < held.length; i += 1) {
    const got = held[i];
    if (got && 'fail' in got) continue;
    rest -= got ? meter.costOf({ unit, cache: 'hit', object: terms.objectOf(got.ok) }) : full;
    if (rest < 0) return i;
  }
  return held.length;
}

/** Puts what was found on the meter, in order; stops short where the money does not reach after all. */
function deliver<Ref, T extends object>(
  entities: Entities<Ref, T>,
  meter: Meter,
  run: readonly Want<Ref>[],
  got: readonly Got<T>[],
  terms: Terms<T>,
): Funded<T>[] {
  const results: Funded<T>[] = [];
  for (const [i, want] of run.entries()) {
    const one = got[i];
    if (!one) break;
    if ('fail' in one) {
      meter.receipt.onlyOnce();
      results.push(one);
      continue;
    }
    const object = terms.objectOf(one.ok);
    const charged = meter.take({ path: want.path, unit: terms.unit, cache: one.cache, object });
    if (charged === null) break;
    meter.receipt.saw(one.cache, one.fetchedAt);
    meter.receipt.used(entities.keyOf(want.ref), one.ok);
    results.push({ ok: one.ok, cache: one.cache, charged });
  }
  return results;
}
