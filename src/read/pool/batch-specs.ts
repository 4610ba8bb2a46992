import { familyOfList, type ListRef } from '../../domain/lists.js';
import type { Tweet, User, UserRef } from '../../domain/model.js';
import { withReadableText } from '../../lib/text.js';
import type { CachedObjects, Found, Network, NetworkPage, ReadContext } from '../../ports/network.js';
import { listHash, userKey } from '../keys.js';
import type { BatchSpec } from './job.js';

/** What a reader needs from a page, and which objects it already has. */
export interface PageNeeds {
  /** How many items; undefined: a natural page. Passed only to a network that bills by item. */
  readonly want?: number | undefined;
  readonly cached?: CachedObjects | undefined;
}

interface PageInput extends PageNeeds {
  readonly list: ListRef;
  readonly token: string | null;
}

/** How each kind of read is batched and sent. Texts from the network are made readable for all clients. */
export interface BatchSpecs {
  user(ref: UserRef): BatchSpec<UserRef, Found<User>>;
  readonly tweets: BatchSpec<string, Found<Tweet>>;
  page(list: ListRef): BatchSpec<PageInput, NetworkPage>;
}

export function createBatchSpecs(network: Network): BatchSpecs {
  const users = (kind: string): BatchSpec<UserRef, Found<User>> => ({
    kind,
    family: 'fast',
    maxBatchSize: network.batchSize.users,
    nameOf: userKey,
    subjectOf: userKey,
    read: async (refs, context) => withReadableText(await network.users(refs, context)),
  });
  const [byId, byHandle] = [users('users'), users(network.handlesApart === true ? 'users:handle' : 'users')];
  const billedWant = ({ want }: PageInput): number | undefined => (network.billing?.per === 'item' ? want : undefined);
  return {
    user: (ref) => ('id' in ref ? byId : byHandle),
    tweets: {
      kind: 'tweets',
      family: 'fast',
      maxBatchSize: network.batchSize.tweets,
      nameOf: (id) => id,
      subjectOf: (id) => id,
      read: async (ids, context) => withReadableText(await network.tweets(ids, context)),
    },
    page: (list) => ({
      kind: batchKind(list),
      family: familyOfList(list.kind),
      maxBatchSize: 1,
      subjectOf: () => listHash(list),
      nameOf: (input) => `${listHash(list)} ${billedWant(input) ?? ''} ${input.token ?? ''}`,
      async read([input], context) {
        if (input === undefined) return [];
        const page = await network.page(input.list, input.token, knowing(input, context), billedWant(input));
        return [withReadableText(page)];
      },
    }),
  };
}

const knowing = ({ cached }: PageInput, context: ReadContext): ReadContext =>
  cached === undefined ? context : { ...context, cached };

/** A session may serve one search product and not another (4, `product`). */
const batchKind = ({ kind, product }: ListRef): string =>
  product === undefined || product === 'Latest' ? kind : `${kind}:${product}`;
