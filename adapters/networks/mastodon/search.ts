import { ServiceError } from '../../../src/domain/errors.js';
import type { Product } from '../../../src/domain/model.js';
import type { NetworkPage, ReadContext } from '../../../src/ports/network.js';
import type { Api } from './api.js';
import { compileQuery, timeFilter } from './compile-query.js';
import { needsToken, refused } from './failures.js';
import { accountToUser, statusToTweet } from './map.js';
import { isShown } from './objects.js';
import { found, type Status } from './schemas.js';

/** The products that the server can search for. It does not rank, so there is no Top. */
export const SEARCHABLE: readonly Product[] = ['Latest', 'People', 'Photos', 'Videos'];

const SIZE = 40;
/** The server's index does not go back further. */
const LAST_OFFSET = 10_000 - SIZE;

export interface Search {
  readonly q: string;
  readonly product: Product;
  /** How many results to skip. */
  readonly offset: number;
}

/** Throws exactly when a search with this text would be refused: `bad_request`, with the position. Reads nothing. */
export function checkQuery(q: string, product: Product): void {
  compileQuery(q, product);
}

/** One page of a search. Throws `bad_request` for an invalid query, with the position. */
export async function readSearch(api: Api, search: Search, context: ReadContext): Promise<NetworkPage> {
  const { q, product, offset } = search;
  if (!SEARCHABLE.includes(product)) {
    throw new ServiceError(
      'product_unavailable',
      `${product} search is not available on this network. Nothing was charged.`,
    );
  }
  const compiled = compileQuery(q, product);
  const isPeople = product === 'People';
  if (!isPeople && !api.hasToken(context)) throw needsToken('Searching tweets');
  const { accounts, statuses } = await api.get({
    path: '/api/v2/search',
    query: [
      ['type', isPeople ? 'accounts' : 'statuses'],
      ['q', compiled],
      ['limit', String(SIZE)],
      // Without a token, the server refuses an offset.
      ...(offset > 0 ? [['offset', String(offset)] as const] : []),
    ],
    schema: found,
    context,
    // Some servers allow no search without a token; that must not affect other reads.
    failureOf: (refusal) => (refusal.status === 401 && !api.hasToken(context) ? refused(refusal) : undefined),
  });
  // The server filters after counting, so a page that is not full may not be the last; an empty one is.
  const isMore = (isPeople ? accounts : statuses).length > 0;
  const goesOn = isMore && offset + SIZE <= LAST_OFFSET && api.hasToken(context);
  return {
    ...(isPeople
      ? { users: accounts.filter((one) => !one.suspended && !one.noindex).map(accountToUser) }
      : { tweets: statuses.filter(finds(search)).map(statusToTweet) }),
    next: goesOn ? String(offset + SIZE) : null,
    ...(isMore && !goesOn && { endReason: 'network_limit' as const }),
  };
}

const MEDIA_OF: Readonly<Partial<Record<Product, readonly string[]>>> = {
  Photos: ['image'],
  Videos: ['video', 'gifv'],
};

/** Whether a post is within the days, has the media that the product requires, and its author allows it to be found. */
function finds({ q, product }: Search): (status: Status) => boolean {
  const isWithin = timeFilter(q);
  const types = MEDIA_OF[product];
  return (status) => {
    const { indexable, noindex } = status.account;
    if (!isShown(status) || indexable === false || noindex || !isWithin(status.created_at)) return false;
    return types === undefined || (status.media_attachments ?? []).some(({ type }) => types.includes(type));
  };
}
