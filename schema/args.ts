import type { GraphQLResolveInfo } from 'graphql';
import type { Site } from '../src/read/reads.js';
import { builder, rule } from './builder.js';
import { BATCH_MAX, SIZES, type Sized, sizeRule } from './sizes.js';

/** The arguments that recur, each with its description and its rule. */
export const freshArg = builder.args((t) => ({
  fresh: t.boolean({
    defaultValue: false,
    description: 'Read from the network instead of the cache. Doubles the price.',
  }),
}));

export const pageArgs = (list: Sized) =>
  builder.args((t) => ({
    first: t.int({
      defaultValue: SIZES[list].initial,
      description: `Items on the page, 1 to ${SIZES[list].max}. The page holds exactly so many while that many remain.`,
      ...rule(sizeRule(list)),
    }),
    after: t.string({
      description: '`pageInfo.endCursor` of the previous page, unchanged. A cursor into a cached page costs half.',
      ...rule({ kind: 'cursor' }),
    }),
  }));

export const userArg = builder.args((t) => ({
  user: t.id({
    required: true,
    description: 'A numeric id or a handle. Digits alone are always an id; a leading `@` makes it a handle.',
    ...rule({ kind: 'user' }),
  }),
}));

export const tweetIdArg = builder.args((t) => ({
  id: t.id({ required: true, description: 'The numeric id of the tweet.', ...rule({ kind: 'tweetId' }) }),
}));

export const listRule = (of: 'handles' | 'ids') => rule({ kind: 'list', min: 1, max: BATCH_MAX, of });

/** Where a field stands in the operation, by response names without list indices: what the receipt calls it (G4). */
export function siteOf(info: GraphQLResolveInfo, fresh: boolean | null | undefined): Site {
  const names: string[] = [];
  for (let path: GraphQLResolveInfo['path'] | undefined = info.path; path; path = path.prev) {
    if (typeof path.key === 'string') names.push(path.key);
  }
  return { path: names.reverse().join('.'), fresh: fresh ?? false };
}
