import { familyOfList } from '../../core/lists.js';
import type { ListRef, Tweet, User, UserRef } from '../../core/model.js';
import type { Found, Network, NetworkPage } from '../../ports/network.js';
import { listHash, userKey } from '../keys.js';
import type { Carrier } from './job.js';

export interface PageInput {
  readonly list: ListRef;
  readonly token: string | null;
}

/** How each kind of read is made with the network. */
export interface Carriers {
  readonly users: Carrier<UserRef, Found<User>>;
  readonly tweets: Carrier<string, Found<Tweet>>;
  page(list: ListRef): Carrier<PageInput, NetworkPage>;
}

export function carriersOf(network: Network): Carriers {
  return {
    users: {
      kind: 'users',
      family: 'fast',
      most: network.batchSize.users,
      nameOf: userKey,
      read: (refs, context) => network.users(refs, context),
    },
    tweets: {
      kind: 'tweets',
      family: 'fast',
      most: network.batchSize.tweets,
      nameOf: (id) => id,
      read: (ids, context) => network.tweets(ids, context),
    },
    page: (list) => ({
      kind: kindOf(list),
      family: familyOfList(list.kind),
      most: 1,
      nameOf: ({ token }) => `${listHash(list)} ${token ?? ''}`,
      read: ([input], context) => Promise.all(input ? [network.page(input.list, input.token, context)] : []),
    }),
  };
}

/** A session may serve one product of the search and not another (4, `product`). */
const kindOf = ({ kind, product }: ListRef): string =>
  product === undefined || product === 'Latest' ? kind : `${kind}:${product}`;
