import { LIST_READS, type ListRead, takesSince } from '../src/domain/lists.js';
import type { PRODUCTS } from '../src/domain/model.js';
import type { FollowCall } from '../src/read/newer.js';
import { freshArg, pageArgs, readOptions, sinceArg, tweetIdArg, userArg } from './args.js';
import { builder, costs, priced, rule, TweetRef, UserRef } from './builder.js';
import { IdPage, SearchPage, TweetPage, UserPage } from './types/page.js';

const Product = builder.enumType('Product', {
  description: 'What a search looks for and how it is ordered.',
  values: {
    Latest: { description: 'Tweets, newest first. Always available.' },
    Top: { description: 'Tweets by relevance, where the network serves it.' },
    People: { description: 'Profiles.' },
    Photos: { description: 'Tweets with pictures, newest first.' },
    Videos: { description: 'Tweets with videos, newest first.' },
  } satisfies Record<(typeof PRODUCTS)[number], object>,
});

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

/** What every list field has in common, whether it belongs to the query or to its subject. */
const common = (read: ListRead, description: string) => ({
  type: pageType(read),
  description: `${description} ${costs(read.unit)}`,
  ...priced({ unit: read.unit, items: 'first' }, read.kind),
});

/** The arguments of a page. Those of no list but some are there only where the list takes them. */
const argsOf = (read: ListRead) => ({
  ...pageArgs(read.size),
  ...(takesSince(read) ? sinceArg : {}),
  ...freshArg,
});

interface PageArgs {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly since?: string | null | undefined;
}

const pageParams = ({ kind, idsOnly, size }: ListRead, subject: string, { first, after, since }: PageArgs) => ({
  kind,
  idsOnly,
  subject,
  count: first ?? size.initial,
  after,
  since,
});

/** A list as a field of the query: an argument names its subject. */
builder.queryFields((t) => {
  const listField = (read: ListRead) => {
    const field = common(read, read.query.description);
    const args = argsOf(read);
    switch (read.list.subject) {
      case 'user':
        return t.field({
          ...field,
          args: { ...userArg, ...args },
          resolve: (_root, { user, fresh, ...page }, { reads }, info) =>
            reads.page({ ...pageParams(read, user, page), ...readOptions(info, fresh) }),
        });
      case 'tweet':
        return t.field({
          ...field,
          args: { ...tweetIdArg, ...args },
          resolve: (_root, { id, fresh, ...page }, { reads }, info) =>
            reads.page({ ...pageParams(read, id, page), ...readOptions(info, fresh) }),
        });
      case 'query':
        return t.field({
          ...field,
          args: { ...queryArgs, ...args },
          resolve: (_root, { q, product, fresh, ...page }, { reads }, info) =>
            reads.page({ ...pageParams(read, q, page), product: product ?? 'Latest', ...readOptions(info, fresh) }),
        });
    }
  };
  return Object.fromEntries(LIST_READS.map((read) => [read.query.name, listField(read)]));
});

/** Never called: the streams of `src/live` run the operation anew for each batch. */
const notSubscribed = (): never => {
  throw new TypeError('Subscriptions are not run by the engine.');
};

/** A list as a field of the subscription: the same items as they come, oldest first. */
builder.subscriptionFields((t) => {
  const liveField = (read: ListRead) => {
    const field = {
      ...common(read, `New items, as they come, oldest first. ${read.query.description}`),
      subscribe: notSubscribed,
    };
    const { first } = pageArgs(read.size);
    const args = { first, ...sinceArg };
    switch (read.list.subject) {
      case 'user':
        return t.field({
          ...field,
          args: { ...userArg, ...args },
          resolve: (_root, { user, ...page }, { reads, follow }, info) =>
            reads.follow({ ...pageParams(read, user, page), ...readOptions(info, false) }, followed(follow)),
        });
      case 'tweet':
        return t.field({
          ...field,
          args: { ...tweetIdArg, ...args },
          resolve: (_root, { id, ...page }, { reads, follow }, info) =>
            reads.follow({ ...pageParams(read, id, page), ...readOptions(info, false) }, followed(follow)),
        });
      case 'query':
        return t.field({
          ...field,
          args: { ...queryArgs, ...args },
          resolve: (_root, { q, product, ...page }, { reads, follow }, info) =>
            reads.follow(
              { ...pageParams(read, q, page), product: product ?? 'Latest', ...readOptions(info, false) },
              followed(follow),
            ),
        });
    }
  };
  return Object.fromEntries(LIST_READS.filter(takesSince).map((read) => [read.query.name, liveField(read)]));
});

function followed(follow: FollowCall | undefined): FollowCall {
  if (follow === undefined) throw new TypeError('A subscription is run as a stream.');
  return follow;
}

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
        args: argsOf(read),
        resolve: (parent, { fresh, ...page }, { reads }, info) =>
          reads.page({ ...pageParams(read, parent.id, page), ...readOptions(info, fresh) }),
      });
      return [[read.field.name, field] as const];
    });
    return Object.fromEntries(fields);
  });
}
