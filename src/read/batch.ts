import type { Thousandths } from '../domain/credits.js';
import { badRequest, batchCode, type ErrorCode, type ServiceError } from '../domain/errors.js';
import type { Loaded, LoadRequest } from './load-within-budget.js';

export interface BatchFault {
  readonly input: string;
  readonly code: ErrorCode;
  readonly message: string;
}

export interface Batch<T> {
  readonly nodes: readonly T[];
  readonly errors: readonly BatchFault[];
  readonly cacheHits: number;
  readonly charged: Thousandths;
  readonly fresh: boolean;
}

interface Input<Ref> {
  readonly input: string;
  readonly ref: Ref | null;
}

/**
 * Folds duplicates, keeping the first spelling and position (B2). Inputs that cannot be a name stay as failures.
 */
export function fold<Ref>(
  texts: readonly string[],
  parse: (text: string) => { key: string; ref: Ref } | null,
): Input<Ref>[] {
  const seen = new Set<string>();
  const inputs: Input<Ref>[] = [];
  for (const input of texts) {
    const parsed = parse(input);
    const key = parsed ? parsed.key : `\0${input}`;
    if (seen.has(key)) continue;
    seen.add(key);
    inputs.push({ input, ref: parsed ? parsed.ref : null });
  }
  return inputs;
}

/** The objects found, in input order, and for every other input the reason why not (B11). */
export async function batch<Ref, T>(
  inputs: readonly Input<Ref>[],
  path: string,
  fresh: boolean,
  load: (requests: LoadRequest<Ref>[]) => Promise<Loaded<T>[]>,
): Promise<Batch<T>> {
  const requests = inputs.flatMap(({ ref }) => (ref === null ? [] : [{ ref, path }]));
  const results = await load(requests);
  const nodes: T[] = [];
  const errors: BatchFault[] = [];
  const fails: ServiceError[] = [];
  // From the first input that cannot be paid for, every one is `no_credits` (B6), whatever else is wrong with it.
  let cut: ServiceError | undefined;
  let next = 0;
  let charged = 0;
  let cacheHits = 0;
  for (const { input, ref } of inputs) {
    const result = ref === null ? { fail: cut ?? badRequest('Not a valid handle or id.') } : results[next++];
    if (!result) continue;
    if ('ok' in result) {
      nodes.push(result.ok);
      charged += result.charged;
      if (result.cache === 'hit') cacheHits += 1;
    } else {
      if (result.fail.code === 'no_credits') cut ??= result.fail;
      fails.push(result.fail);
      errors.push({ input, code: batchCode(result.fail.code), message: result.fail.message });
    }
  }
  throwIfAllFailedUpstream(fails, inputs.length);
  return { nodes, errors, cacheHits, charged, fresh };
}

/** If every input failed upstream for the same reason, the whole call fails, so that a retry loop notices (B8). */
function throwIfAllFailedUpstream(fails: readonly ServiceError[], inputs: number): void {
  const [first] = fails;
  if (!first || fails.length < inputs || first.status !== 503) return;
  if (fails.every((fail) => fail.code === first.code)) throw first;
}
