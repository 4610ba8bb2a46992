import type { Tweet } from '../../src/domain/model.js';
import { freshArg, readOptions } from '../args.js';
import { builder, costs, priced, TweetRef, UserRef } from '../builder.js';
import { ArticleRef, AudioRef, MediaRef, PollRef } from './media.js';
import { Node } from './node.js';

builder.objectType(TweetRef, {
  interfaces: [Node],
  description:
    'A tweet. Its scalars, media and author are free once the tweet is paid for; other tweets and lists are priced.',
  fields: (t) => ({
    id: t.exposeID('id', {
      nullable: false,
      description: 'Numeric id, as a string, unique only among tweets, so store objects by type and id. Free.',
    }),
    text: t.exposeString('text', { nullable: false, description: 'Full text. Free.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', nullable: false, description: 'Time it was posted. Free.' }),
    authorId: t.exposeID('authorId', { nullable: false, description: 'Id of the author. Free.' }),
    author: t.field({
      type: UserRef,
      description: 'The author. Free: an author is never charged as an item.',
      resolve: (tweet, _args, { reads }) => tweet.author ?? reads.author(tweet.authorId),
    }),
    lang: t.exposeString('lang', { description: 'Language code, as given by the network. Free.' }),
    conversationId: t.exposeID('conversationId', {
      description: 'Id of the tweet that started the conversation. Free.',
    }),
    inReplyToId: t.exposeID('inReplyToId', { description: 'Id of the tweet it replies to. Free.' }),
    inReplyToUserId: t.exposeID('inReplyToUserId', { description: 'Id of the user it replies to. Free.' }),
    quotedId: t.exposeID('quotedId', { description: 'Id of the tweet it quotes. Free.' }),
    retweetedId: t.exposeID('retweetedId', { description: 'Id of the tweet it retweets. Free.' }),
    repliesCount: t.expose('repliesCount', { type: 'Count', description: 'Number of replies. Free.' }),
    retweetsCount: t.expose('retweetsCount', { type: 'Count', description: 'Number of retweets. Free.' }),
    likesCount: t.expose('likesCount', { type: 'Count', description: 'Number of likes. Free.' }),
    quotesCount: t.expose('quotesCount', { type: 'Count', description: 'Number of quotes. Free.' }),
    bookmarksCount: t.expose('bookmarksCount', { type: 'Count', description: 'Number of bookmarks. Free.' }),
    viewsCount: t.expose('viewsCount', { type: 'Count', description: 'Number of views. Free.' }),
    media: t.field({
      type: [MediaRef],
      description: 'Images and videos. Free.',
      resolve: (tweet) => tweet.media,
    }),
    audio: t.field({ type: [AudioRef], description: 'Audio files. Free.', resolve: (tweet) => tweet.audio }),
    poll: t.field({
      type: PollRef,
      description: 'The poll; null if it has none. Free.',
      resolve: (tweet) => tweet.poll,
    }),
    articles: t.field({
      type: [ArticleRef],
      description: 'Articles and linked pages whose titles the network gives. Free.',
      resolve: (tweet) => tweet.articles,
    }),
    urls: t.exposeStringList('urls', { description: 'Links in the text, expanded. Free.' }),
    hashtags: t.exposeStringList('hashtags', { description: 'Hashtags, without #. Free.' }),
    mentions: t.exposeStringList('mentions', { description: 'Handles mentioned, without @. Free.' }),
    isRetweet: t.exposeBoolean('isRetweet', { description: 'Whether it is a retweet. Free.' }),
    isQuote: t.exposeBoolean('isQuote', { description: 'Whether it quotes a tweet. Free.' }),
    isReply: t.exposeBoolean('isReply', { description: 'Whether it is a reply. Free.' }),
    source: t.exposeString('source', { description: 'The app it was posted with. Free.' }),
    quoted: t.field({
      type: TweetRef,
      description: `The tweet it quotes; null, without an error, if it quotes none. ${costs('tweet')}`,
      args: freshArg,
      ...priced({ unit: 'tweet', items: 'one' }),
      resolve: (tweet, { fresh }, { reads }, info) =>
        other(tweet.quotedId, (id) => reads.tweet(id, readOptions(info, fresh))),
    }),
    retweeted: t.field({
      type: TweetRef,
      description: `The tweet it retweets; null, without an error, if it is not a retweet. ${costs('tweet')}`,
      args: freshArg,
      ...priced({ unit: 'tweet', items: 'one' }),
      resolve: (tweet, { fresh }, { reads }, info) =>
        other(tweet.retweetedId, (id) => reads.tweet(id, readOptions(info, fresh))),
    }),
    inReplyTo: t.field({
      type: TweetRef,
      description: `The tweet it replies to; null, without an error, if it is not a reply. ${costs('tweet')}`,
      args: freshArg,
      ...priced({ unit: 'tweet', items: 'one' }),
      resolve: (tweet, { fresh }, { reads }, info) =>
        other(tweet.inReplyToId, (id) => reads.tweet(id, readOptions(info, fresh))),
    }),
  }),
});

/** The tweet that another one points to, or null if it points to none. */
const other = (id: string | undefined, read: (id: string) => Promise<Tweet>): Promise<Tweet> | null =>
  id === undefined ? null : read(id);
