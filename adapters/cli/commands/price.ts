import type { Command } from 'commander';
import { withCaret } from '../../../src/domain/caret.js';
import { toCredits } from '../../../src/domain/credits.js';
import { ServiceError } from '../../../src/domain/errors.js';
import { counted, figure, inCredits } from '../../../src/domain/figures.js';
import type { RawRequest } from '../../rest/request.js';
import { examples, method } from '../command-line.js';
import { Failure, WRONG_USE } from '../failure.js';
import { answer } from '../print.js';

/** price. */
export function priceCommand(program: Command): void {
  program
    .command('price')
    .description('show the maximum cost of a call; reads nothing and needs no database')
    .argument('<method>', 'GET or POST', method)
    .argument('<path>', 'a path under /v1 with its query string, or a full URL')
    .option('--body <json>', 'the body of a POST request')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      examples(
        "perch price GET '/v1/users/harbor_obs/followers?count=200'",
        "perch price GET '/v1/tweets/search?q=comet&fresh=true'",
        'perch price POST /v1/users/batch --body \'{"handles":["harbor_obs","brindle_wx"]}\'',
      ),
    )
    .action(price);
}

interface PriceOptions {
  readonly body?: string;
  readonly json?: boolean;
}

/**
 * Prints what a call would cost at most, from the route table, the schema's prices and the planner; nothing is read.
 * Every refusal is a fault of the command line, so the exit code is 2.
 */
export async function price(method: string, address: string, options: PriceOptions): Promise<void> {
  try {
    await priceCall(method, address, options);
  } catch (error) {
    throw error instanceof ServiceError ? new Failure(withCaret(error.message, error.detail.place), WRONG_USE) : error;
  }
}

async function priceCall(method: string, address: string, options: PriceOptions): Promise<void> {
  const { estimatePrice, matchRoute, parseUrl } = await import('../call-price.js');
  const { pathname, searchParams } = parseUrl(address);
  const { row, path } = matchRoute(method, pathname);
  if (options.body !== undefined && method !== 'POST') throw new Failure('--body is only for POST', WRONG_USE);
  const raw: RawRequest = {
    method,
    path,
    query: searchParams,
    body: options.body === undefined ? null : Buffer.from(options.body),
    contentType: 'application/json',
    maxCreditsHeader: undefined,
  };
  const { items, uncached, cached, fresh } = estimatePrice(row, raw);
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
