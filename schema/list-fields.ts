import type { GraphQLResolveInfo } from 'graphql';
import { FOLLOWED_READS, hasSince, LIST_READS, type ListRead } from '../src/domain/lists.js';
import type { PRODUCTS } from '../src/domain/model.js';
import type { PageParams } from '../src/read/reads.js';
import { freshArg, Product, pageArgs, readOptions, sinceArg, tweetIdArg, userArg } from './args.js';
import { builder, costs, priced, rule, TweetRef, UserRef } from './builder.js';
import { IdPage, SearchPage, TweetPage, UserPage } from './types/page.js';

const queryArgs = builder.args((t) => ({
  q: t.string({
    required: true,
    description: 'The query, at most 1,024 characters.',
    ...rule({ kind: 'query' }),
  }),
  product: t.field({ type: Product, defaultValue: 'Latest', description: 'What to look for.' }),
}));

/** The page type that a list returns. */
function pageType({ list, idsOnly }: ListRead) {
  if (idsOnly) return IdPage;
  if (list.products) return SearchPage;
  return { tweets: TweetPage, users: UserPage }[list.items];
}

/** Options common to all list fields, whether they belong to the query or to their subject. */
const common = (read: ListRead, description: string, costing: { isStream?: boolean } = {}) => ({
  type: pageType(read),
  description: `${description} ${costs(read.unit, costing)}`,
  ...priced({ unit: read.unit, items: 'first' }, read.kind),
});

/** The arguments that name a list's subject. */
const SUBJECT_ARGS = { user: userArg, tweet: tweetIdArg, query: queryArgs } as const;

const sinceArgOf = (read: ListRead) => (hasSince(read) ? sinceArg : {});

/** All arguments that a list's field may have. */
interface ListArgs {
  readonly user?: string;
  readonly id?: string;
  readonly q?: string;
  readonly product?: (typeof PRODUCTS)[number] | null | undefined;
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly since?: string | null | undefined;
  readonly fresh?: boolean | null | undefined;
}

const pageParams = (
  { kind, idsOnly, size, list }: ListRead,
  { user, id, q, product, first, after, since, fresh }: ListArgs,
  info: GraphQLResolveInfo,
): PageParams => ({
  ...{ kind, idsOnly, after, since, count: first ?? size.initial },
  subject: user ?? id ?? q ?? '',
  ...(list.products && { product: product ?? 'Latest' }),
  ...readOptions(info, fresh),
});

/** A list as a field of the query: an argument names its subject. */
builder.queryFields((t) => {
  const listField = (read: ListRead) =>
    t.field({
      ...common(read, read.query.description),
      args: { ...SUBJECT_ARGS[read.list.subject], ...pageArgs(read.size), ...sinceArgOf(read), ...freshArg },
      resolve: (_root, args, { reads }, info) => reads.page(pageParams(read, args, info)),
    });
  return Object.fromEntries(LIST_READS.map((read) => [read.query.name, listField(read)]));
});

/** Never called, because the streams of `src/live` run the operation again for each batch. */
const notSubscribed = (): never => {
  throw new TypeError('Subscriptions are not run by the engine.');
};

/** A list as a field of the subscription: new items as they appear, oldest first. */
builder.subscriptionFields((t) => {
  const liveField = (read: ListRead) =>
    t.field({
      ...common(
        read,
        `Follows a list and sends new items as they appear, oldest first. The list: ${read.query.description}`,
        { isStream: true },
      ),
      args: { ...SUBJECT_ARGS[read.list.subject], first: pageArgs(read.size).first, ...sinceArg },
      subscribe: notSubscribed,
      resolve: (_root, args, { reads, follow }, info) => {
        if (follow === undefined) throw new TypeError('A subscription is run as a stream.');
        return reads.follow(pageParams(read, args, info), follow);
      },
    });
  return Object.fromEntries(FOLLOWED_READS.map((read) => [read.query.name, liveField(read)]));
});

/** Lists as fields of their subject. */
for (const [subject, ref] of [
  ['user', UserRef],
  ['tweet', TweetRef],
] as const) {
  builder.objectFields(ref, (t) => {
    const fields = LIST_READS.flatMap((read) => {
      if (read.list.subject !== subject || read.field === null) return [];
      const field = t.field({
        ...common(read, read.field.description),
        args: { ...pageArgs(read.size), ...sinceArgOf(read), ...freshArg },
        resolve: ({ id }, args, { reads }, info) => reads.page(pageParams(read, { ...args, id }, info)),
      });
      return [[read.field.name, field] as const];
    });
    return Object.fromEntries(fields);
  });
}
