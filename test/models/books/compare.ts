/** Compares an answer of the service with the model's. */
import { expect } from 'vitest';
import type { Answer, ReadAnswer } from '../calls/calls.js';
import type { Seen, SeenRead } from './seen.js';
import type { CallParams, ReadRequest } from './steps.js';

/** A read in a form that both sides can state: a single object has no label of its own in GraphQL. */
const comparable = (request: ReadRequest | undefined, read: SeenRead | ReadAnswer): unknown => {
  const isObject = request?.read === 'user' || request?.read === 'tweet';
  const failed = read.code !== null;
  return {
    code: read.code,
    ids: read.ids,
    errors: read.errors,
    ...(!isObject && !failed && { label: read.label, hits: read.hits }),
    truncated: read.truncated,
    hasNext: read.next !== null,
    nested: read.nested.map((each) => comparable(undefined, each)),
  };
};

/** Compares all that an answer says of money, cache and pages, in its headers too. */
export function compare(params: CallParams, seen: Seen, model: Answer): void {
  const isRefused = model.code !== null;
  const isWhole = model.reads.length > 0;
  // The envelope has one label, that of the batch, which `comparable` compares.
  const isBatch = params.over !== 'graphql' && params.requests.some((request) => 'ids' in request);
  const view = (side: Seen | Answer) => ({
    code: side.code,
    charged: side.charged,
    ...(seen.balance !== null && { balance: side.balance }),
    ...(!isRefused && !isBatch && { label: side.label }),
    ...(isWhole && { reads: side.reads.map((read, n) => comparable(params.requests[n], read)) }),
  });
  expect(view(seen)).toEqual(view(model));
  if (!isRefused && seen.balance === null) throw new Error('An answer without a balance.');
  compareHeaders(params, seen, model);
}

function compareHeaders({ over }: CallParams, { headers }: Seen, model: Answer): void {
  const said = (name: string): string | null => headers.get(name);
  if (over !== 'mcp' || said('ratelimit') !== null) expect(said('ratelimit')).toBe(model.rate);
  if (over === 'mcp' || model.code !== null) return;
  expect({
    charged: said('x-credits-charged'),
    remaining: said('x-credits-remaining'),
    age: said('age'),
  }).toEqual({
    charged: String(model.charged / 1000),
    remaining: String((model.balance ?? 0) / 1000),
    age: model.ageSeconds === null ? null : String(model.ageSeconds),
  });
}
