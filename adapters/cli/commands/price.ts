import { schema } from '../../../schema/index.js';
import { readOperations } from '../../../schema/operations.js';
import { Documents } from '../../../src/documents/documents.js';
import type { Checks } from '../../../src/documents/rules.js';
import { withCaret } from '../../../src/domain/caret.js';
import { toCredits } from '../../../src/domain/credits.js';
import { ServiceError } from '../../../src/domain/errors.js';
import { counted, figure, inCredits } from '../../../src/domain/figures.js';
import { PRODUCTS } from '../../../src/domain/model.js';
import { normaliseQuery } from '../../../src/read/subjects.js';
import { checkQuery } from '../../networks/corpus/search/search.js';
import { endpointOf } from '../../rest/parameters.js';
import { paramsOf, type RawRequest } from '../../rest/request.js';
import type { RouteRow } from '../../rest/routes.js';
import { configOfProcess } from '../environment.js';
import { Failure, WRONG_USE } from '../failure.js';
import { answer, note } from '../print.js';
import { routeOf, urlOf } from '../route.js';

interface PriceOptions {
  readonly body?: string;
  readonly json?: boolean;
}

interface Price {
  readonly items: number;
  /** Thousandths of a credit, within the caller's budget, if nothing is cached. */
  readonly uncached: number;
  /** The same if everything is cached. */
  readonly cached: number;
  readonly fresh: boolean;
}

/**
 * What a call would cost at most, from the route table, the schema's prices and the planner; nothing is read. Every
 * refusal is a fault of the command line, so the exit code is 2.
 */
export async function price(method: string, address: string, options: PriceOptions): Promise<void> {
  try {
    priceCall(method, address, options);
  } catch (error) {
    throw error instanceof ServiceError ? new Failure(withCaret(error.message, error.detail.place), WRONG_USE) : error;
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
  const { items, uncached, cached, fresh } = priceOf(row, raw);
  const result = {
    method,
    path: pathname + (searchParams.size > 0 ? `?${searchParams}` : ''),
    operation: row.operation,
    max_items: items,
    unit: items === 0 ? 0 : toCredits(uncached / items),
    max_credits: toCredits(uncached),
    max_credits_cached: toCredits(cached),
  };
  answer(result, options.json, () => {
    if (items === 0) return 'Free.';
    const sum = `At most ${inCredits(toCredits(uncached))} for up to ${counted(items, 'item')}`;
    if (fresh) return `${sum}: double price, because fresh=true bypasses the cache.`;
    return `${sum}; ${figure(toCredits(cached))} if all of it is cached. Items that do not exist cost nothing.`;
  });
}

function priceOf(row: RouteRow, raw: RawRequest): Price {
  const text = readOperations()[row.operation] ?? '';
  const isCorpus = configOfProcess().network === 'corpus';
  const checks: Checks = {
    // A cursor is signed by the installation that issued it; the cost doesn't depend on it.
    cursor: () => {},
    cursorOf: () => {},
    query(query, product) {
      const q = normaliseQuery(query);
      // Only the other network knows which queries it accepts.
      if (isCorpus) checkQuery(q, PRODUCTS.find((known) => known === product) ?? 'Latest');
    },
    serves: () => true,
  };
  const documents = new Documents(schema, { [row.operation]: text });
  const operation = documents.find({ name: row.operation });
  const endpoint = endpointOf(schema, text);
  const { warnings = [], variables, budget } = paramsOf(endpoint, raw);
  for (const warning of warnings) note(`perch: ${warning}`);
  const { amount, items, fresh } = operation.worst(operation.coerce(variables), checks);
  const within = (price: number): number => Math.min(price, budget ?? Number.POSITIVE_INFINITY);
  return { items, uncached: within(amount), cached: within(fresh ? amount : amount / 2), fresh };
}
