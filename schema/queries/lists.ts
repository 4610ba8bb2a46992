import type { PRODUCTS } from '../../src/core/model.js';
import { freshArg, pageArgs, siteOf, tweetIdArg, userArg } from '../args.js';
import { builder, costs, priced, rule } from '../builder.js';
import { IdPage, SearchPage, TweetPage, UserPage } from '../types/page.js';

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

builder.queryFields((t) => ({
  timeline: t.field({
    type: TweetPage,
    description: `A user's tweets, newest first, without paying for the profile. ${costs('tweet')}`,
    args: { ...userArg, ...pageArgs('timeline'), ...freshArg },
    ...priced({ unit: 'tweet', items: 'first' }),
    resolve: (_root, { user, first, after, fresh }, { reads }, info) =>
      reads.page({ kind: 'timeline', subject: user, first: first ?? 20, after, ...siteOf(info, fresh) }),
  }),
  followers: t.field({
    type: UserPage,
    description: `Who follows a user. ${costs('edge_profile')}`,
    args: { ...userArg, ...pageArgs('followers'), ...freshArg },
    ...priced({ unit: 'edge_profile', items: 'first' }),
    resolve: (_root, { user, first, after, fresh }, { reads }, info) =>
      reads.page({ kind: 'followers', subject: user, first: first ?? 50, after, ...siteOf(info, fresh) }),
  }),
  followerIds: t.field({
    type: IdPage,
    description: `Who follows a user, ids only: the cheapest way to a whole list. ${costs('follower_id')}`,
    args: { ...userArg, ...pageArgs('followerIds'), ...freshArg },
    ...priced({ unit: 'follower_id', items: 'first' }),
    resolve: (_root, { user, first, after, fresh }, { reads }, info) =>
      reads.page({
        kind: 'followers',
        idsOnly: true,
        subject: user,
        first: first ?? 200,
        after,
        ...siteOf(info, fresh),
      }),
  }),
  following: t.field({
    type: UserPage,
    description: `Whom a user follows. ${costs('edge_profile')}`,
    args: { ...userArg, ...pageArgs('following'), ...freshArg },
    ...priced({ unit: 'edge_profile', items: 'first' }),
    resolve: (_root, { user, first, after, fresh }, { reads }, info) =>
      reads.page({ kind: 'following', subject: user, first: first ?? 50, after, ...siteOf(info, fresh) }),
  }),
  thread: t.field({
    type: TweetPage,
    description: `A conversation: the tweet, its ancestors from the root, then its descendants. ${costs('tweet')}`,
    args: { ...tweetIdArg, ...pageArgs('thread'), ...freshArg },
    ...priced({ unit: 'tweet', items: 'first' }),
    resolve: (_root, { id, first, after, fresh }, { reads }, info) =>
      reads.page({ kind: 'thread', subject: id, first: first ?? 20, after, ...siteOf(info, fresh) }),
  }),
  replies: t.field({
    type: TweetPage,
    description: `Direct replies to a tweet. ${costs('tweet')}`,
    args: { ...tweetIdArg, ...pageArgs('replies'), ...freshArg },
    ...priced({ unit: 'tweet', items: 'first' }),
    resolve: (_root, { id, first, after, fresh }, { reads }, info) =>
      reads.page({ kind: 'replies', subject: id, first: first ?? 20, after, ...siteOf(info, fresh) }),
  }),
  quotes: t.field({
    type: TweetPage,
    description: `Tweets that quote a tweet, newest first. ${costs('tweet')}`,
    args: { ...tweetIdArg, ...pageArgs('quotes'), ...freshArg },
    ...priced({ unit: 'tweet', items: 'first' }),
    resolve: (_root, { id, first, after, fresh }, { reads }, info) =>
      reads.page({ kind: 'quotes', subject: id, first: first ?? 20, after, ...siteOf(info, fresh) }),
  }),
  retweeters: t.field({
    type: UserPage,
    description: `Who retweeted a tweet. ${costs('retweeter')}`,
    args: { ...tweetIdArg, ...pageArgs('retweeters'), ...freshArg },
    ...priced({ unit: 'retweeter', items: 'first' }),
    resolve: (_root, { id, first, after, fresh }, { reads }, info) =>
      reads.page({ kind: 'retweeters', subject: id, first: first ?? 50, after, ...siteOf(info, fresh) }),
  }),
  search: t.field({
    type: SearchPage,
    description: `Search by words and the network's operators (from:, since:, min_faves:, -filter:replies …). ${costs('tweet')}`,
    args: {
      q: t.arg.string({
        required: true,
        description: 'The query, at most 1,024 characters.',
        ...rule({ kind: 'query' }),
      }),
      product: t.arg({ type: Product, defaultValue: 'Latest', description: 'What to look for.' }),
      ...pageArgs('search'),
      ...freshArg,
    },
    ...priced({ unit: 'tweet', items: 'first' }),
    resolve: (_root, { q, product, first, after, fresh }, { reads }, info) =>
      reads.page({
        kind: 'search',
        subject: q,
        product: product ?? 'Latest',
        first: first ?? 20,
        after,
        ...siteOf(info, fresh),
      }),
  }),
}));
