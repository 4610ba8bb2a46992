import { schema } from '../../../schema/index.js';
import { readOperations } from '../../../schema/operations.js';
import { toCredits } from '../../../src/core/credits.js';
import { ServiceError } from '../../../src/core/errors.js';
import { PRODUCTS } from '../../../src/core/model.js';
import { normaliseQuery } from '../../../src/read/subjects.js';
import { Documents } from '../../../src/serve/documents.js';
import { checkQuery } from '../../networks/corpus/search/search.js';
import { endpointOf } from '../../rest/parameters.js';
import { paramsOf, type RawRequest } from '../../rest/request.js';
import type { RouteRow } from '../../rest/routes.js';
import { configOfProcess } from '../environment.js';
import { Failure, WRONG_USE } from '../failure.js';
import { answer, count, note, plural } from '../print.js';
import { routeOf, urlOf } from '../route.js';

interface PriceOptions {
  readonly body?: string;
  readonly json?: boolean;
}

interface Price {
  readonly items: number;
  /** Thousandths of a credit: this call, what is held already counted at full price, and within the caller's budget. */
  readonly most: number;
  /** The same when everything is held. */
  readonly held: number;
  readonly fresh: boolean;
}

/**
 * What a call would cost at most, from the route table, the schema's prices and the planner; nothing is read. Whatever is
 * refused is a fault of the words, so the exit code is 2.
 */
export async function price(method: string, address: string, options: PriceOptions): Promise<void> {
  try {
    priceCall(method, address, options);
  } catch (error) {
    throw error instanceof ServiceError ? new Failure(error.message, WRONG_USE) : error;
  }
}

function priceCall(method: string, address: string, options: PriceOptions): void {
  const { pathname, searchParams } = urlOf(address);
  const { row, path } = routeOf(method, pathname);
  if (options.body !== undefined && method !== 'POST') throw new Failure('--body is only for POST', WRONG_USE);
  const raw: RawRequest = {
    method,
    path,
    query: searchParams,
    body: options.body === undefined ? null : Buffer.from(options.body),
    contentType: 'application/json',
    maxCreditsHeader: undefined,
  };
  const { items, most, held: cached, fresh } = priceOf(row, raw);
  const result = {
    method,
    path: pathname + (searchParams.size > 0 ? `?${searchParams}` : ''),
    operation: row.operation,
    max_items: items,
    unit: items === 0 ? 0 : toCredits(most / items),
    max_credits: toCredits(most),
    max_credits_held: toCredits(cached),
  };
  answer(result, options.json, () => {
    if (items === 0) return 'Free.';
    const sum = `At most ${plural(toCredits(most), 'credit')} for up to ${plural(items, 'item')}`;
    if (fresh) return `${sum}: double price, because fresh=true bypasses the cache.`;
    return `${sum}; ${count(toCredits(cached))} if all of it is cached. Items that do not exist cost nothing.`;
  });
}

function priceOf(row: RouteRow, raw: RawRequest): Price {
  const text = readOperations()[row.operation] ?? '';
  const isCorpus = configOfProcess().network === 'corpus';
  const documents = new Documents(
    schema,
    { [row.operation]: text },
    {
      // A cursor is signed by the installation that gave it; what it costs doesn't depend on it.
      cursor: () => {},
      query(query, product) {
        const q = normaliseQuery(query);
        // What another network understands only it can tell.
        if (isCorpus) checkQuery(q, PRODUCTS.find((known) => known === product) ?? 'Latest');
      },
      serves: () => true,
    },
  );
  const operation = documents.find({ name: row.operation });
  const endpoint = endpointOf(schema, text);
  const { warnings = [], variables, budget } = paramsOf(endpoint, raw);
  for (const warning of warnings) note(`perch: ${warning}`);
  const { amount, items, fresh } = operation.worst(operation.coerce(variables));
  const most = budget ?? Number.POSITIVE_INFINITY;
  const cached = fresh ? amount : amount / 2;
  return { items, most: Math.min(amount, most), held: Math.min(cached, most), fresh };
}
