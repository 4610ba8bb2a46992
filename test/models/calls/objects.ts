/** Profiles and tweets, alone and in batches: in the requested order, as far as the credits go (M1, B6, B7). */
import type { Bill, ItemLabel } from './bill.js';
import { type ModelCache, NotFound, nameRead, UpstreamFault } from './cache.js';
import { type BatchRead, failed, type ObjectRead, type ReadAnswer } from './calls.js';
import type { Label } from './prices.js';
import type { What } from './world.js';

type One = { readonly label: ItemLabel } | { readonly code: string };

/** Delivers one object if it exists and is covered. */
function one(cache: ModelCache, bill: Bill, what: What, id: string, fresh: boolean): One {
  const name = nameRead(what, id);
  const sold = `${fresh ? 'fresh ' : ''}${what} ${id}`;
  const kept = fresh ? undefined : cache.object(name);
  if (kept) {
    if (!bill.take('object', 'hit', sold)) return { code: 'no_credits' };
    bill.saw('hit', kept.fetchedAt);
    return { label: 'hit' };
  }
  if (!fresh && cache.isAbsent(name)) return { code: 'not_found' };
  const label = fresh ? 'bypass' : 'miss';
  // Nothing is read unless its full price is covered (M1).
  if (!bill.spending.covers(fresh ? 2000 : 1000)) return { code: 'no_credits' };
  try {
    cache.readObject(what, id);
  } catch (error) {
    if (error instanceof NotFound) return { code: 'not_found' };
    if (error instanceof UpstreamFault) return { code: error.message };
    throw error;
  }
  bill.take('object', label, sold);
  bill.saw(label, cache.nowMs);
  return { label };
}

export function readObject(cache: ModelCache, bill: Bill, read: ObjectRead, fresh: boolean): ReadAnswer {
  const got = one(cache, bill, read.read, read.id, fresh);
  if ('code' in got) return failed(got.code);
  return { ...failed(''), code: null, ids: [read.id], label: got.label, hits: got.label === 'hit' ? 1 : 0 };
}

export function readBatch(cache: ModelCache, bill: Bill, read: BatchRead, fresh: boolean): ReadAnswer {
  const what = read.read === 'users' ? 'user' : 'tweet';
  const ids: string[] = [];
  const errors: string[] = [];
  const codes = new Set<string>();
  let hits = 0;
  let isCut = false;
  const inputs = [...new Set(read.ids)];
  for (const id of inputs) {
    const got: One = isCut ? { code: 'no_credits' } : one(cache, bill, what, id, fresh);
    if ('code' in got) {
      // From the first input that is not covered on, none is served, cached or not (B6).
      isCut ||= got.code === 'no_credits';
      codes.add(got.code);
      errors.push(`${id} ${got.code}`);
      continue;
    }
    ids.push(id);
    if (got.label === 'hit') hits += 1;
  }
  // If all failed at the network for one reason, the batch fails, because a retry loop must notice (B8).
  const [code = ''] = codes;
  if (ids.length === 0 && codes.size === 1 && code !== 'no_credits' && code !== 'not_found') return failed(code);
  return { ...failed(''), code: null, ids, errors, hits, label: batchLabel(ids.length, hits, fresh) };
}

function batchLabel(items: number, hits: number, fresh: boolean): Label {
  if (fresh) return 'bypass';
  if (items === 0 || hits === 0) return 'miss';
  return hits === items ? 'hit' : 'mixed';
}
