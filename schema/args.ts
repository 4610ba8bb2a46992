import type { GraphQLResolveInfo } from 'graphql';
import { INPUTS_RULE, sizeRule } from '../src/domain/fields.js';
import type { PageSize } from '../src/domain/lists.js';
import type { PRODUCTS } from '../src/domain/model.js';
import type { ReadOptions } from '../src/read/reads.js';
import { builder, rule } from './builder.js';

/** Arguments used by several fields, each with its description and its rule. */
export const freshArg = builder.args((t) => ({
  fresh: t.boolean({
    defaultValue: false,
    description: 'Read from the network instead of the cache. Doubles the price.',
  }),
}));

export const Product = builder.enumType('Product', {
  description: 'What a search looks for and how it is ordered.',
  values: {
    Latest: { description: 'Tweets, newest first. Always available.' },
    Top: { description: 'Tweets by relevance, where the network serves it.' },
    People: { description: 'Profiles.' },
    Photos: { description: 'Tweets with pictures, newest first.' },
    Videos: { description: 'Tweets with videos, newest first.' },
  } satisfies Record<(typeof PRODUCTS)[number], object>,
});

export const pageArgs = (size: PageSize) =>
  builder.args((t) => ({
    first: t.int({
      defaultValue: size.initial,
      description: `Items per page, 1 to ${size.max}. A page has exactly this many items as long as that many remain.`,
      ...rule(sizeRule(size)),
    }),
    after: t.string({
      description:
        '`pageInfo.endCursor` of the previous page, unchanged. If it leads to a cached page, the items cost half.',
      ...rule({ kind: 'cursor' }),
    }),
  }));

export const sinceArg = builder.args((t) => ({
  since: t.string({
    description:
      '`pageInfo.sinceCursor` of an earlier answer: returns only newer items, oldest first. If there are none, the call is free.',
    ...rule({ kind: 'since' }),
  }),
}));

export const userArg = builder.args((t) => ({
  user: t.id({
    required: true,
    description: 'A numeric id or a handle. Digits alone are an id here; with a leading `@` they are a handle.',
    ...rule({ kind: 'user' }),
  }),
}));

export const tweetIdArg = builder.args((t) => ({
  id: t.id({ required: true, description: 'The numeric id of the tweet.', ...rule({ kind: 'tweetId' }) }),
}));

export const inputsRule = rule(INPUTS_RULE);

/** `path` is the field's position in the operation, by response names without list indices, as on the receipt. */
export function readOptions(info: GraphQLResolveInfo, fresh: boolean | null | undefined): ReadOptions {
  const names: string[] = [];
  for (let path: GraphQLResolveInfo['path'] | undefined = info.path; path; path = path.prev) {
    if (typeof path.key === 'string') names.push(path.key);
  }
  return { path: names.reverse().join('.'), fresh: fresh ?? false };
}
