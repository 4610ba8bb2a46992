import { domainToASCII } from 'node:url';
import type { Article, Audio, Media, MediaType, Poll, PollOption, Tweet, User } from '../../../src/domain/model.js';
import { knownLanguage } from '../../../src/domain/model.js';
import { withoutUnknown } from '../upstream/readable.js';
import { textOfHtml } from './html-text.js';
import type { Account, Post, Status } from './schemas.js';

export function accountToUser(account: Account): User {
  const fields = account.fields ?? [];
  const [site] = fields.flatMap(({ value }) => textOfHtml(value).links);
  return withoutUnknown<User>({
    id: account.id,
    handle: acctToHandle(account.acct),
    name: account.display_name || account.username,
    bio: textOfHtml(account.note ?? '').text || null,
    location: null,
    url: site ?? account.url,
    avatarUrl: picture(account.avatar),
    bannerUrl: picture(account.header),
    // The account has proven that it owns a web page: Mastodon verifies nothing else.
    verified: fields.some(({ verified_at }) => verified_at != null),
    // Accounts that approve their followers still have public posts, so none is protected (T19).
    protected: false,
    followersCount: account.followers_count,
    followingCount: account.following_count,
    tweetsCount: account.statuses_count,
    likesCount: null,
    listedCount: null,
    createdAt: account.created_at,
    pinnedTweetIds: null,
    lostHandle: null,
  });
}

/** A boost has its own id, time and author, and everything else from the boosted post. */
export function statusToTweet(status: Status): Tweet {
  const shown: Post = status.reblog ?? status;
  const { text, links } = textOfHtml(shown.content ?? '');
  const card = shown.card?.url;
  // The boosted post may be a quote; the boost is not.
  const quote = status.reblog ? null : status.quote;
  return withoutUnknown<Tweet>({
    id: status.id,
    text: [shown.spoiler_text, text].filter(Boolean).join('\n\n'),
    lang: knownLanguage(shown.language),
    createdAt: status.created_at,
    authorId: status.account.id,
    author: status.account.profile && accountToUser(status.account.profile),
    // The network does not provide it.
    conversationId: null,
    inReplyToId: status.in_reply_to_id,
    inReplyToUserId: status.in_reply_to_account_id,
    quotedId: acceptedQuoteId(quote),
    retweetedId: status.reblog?.id,
    retweetedAuthorId: status.reblog?.account.id,
    repliesCount: status.replies_count,
    retweetsCount: status.reblogs_count,
    likesCount: status.favourites_count,
    quotesCount: status.quotes_count,
    bookmarksCount: null,
    viewsCount: null,
    media: shown.media_attachments?.flatMap(attachmentToMedia),
    audio: shown.media_attachments?.flatMap(attachmentToAudio),
    poll: shown.poll && toPoll(shown.poll),
    articles: cardToArticles(shown.card),
    urls: [...new Set([...(card ? [card] : []), ...links])],
    hashtags: shown.tags?.map(({ name }) => name),
    mentions: shown.mentions?.map(({ acct }) => acctToHandle(acct)),
    isRetweet: status.reblog != null,
    // Servers before 4.5 do not say.
    isQuote: quote === undefined ? null : quote !== null,
    isReply: status.in_reply_to_id === undefined ? null : status.in_reply_to_id !== null,
    source: shown.application?.name,
  });
}

/** The id of the quoted post, if its author has accepted the quote; if not, the network does not show it as a quote. */
function acceptedQuoteId(quote: Post['quote']): string | undefined {
  if (quote?.state !== 'accepted') return undefined;
  return quote.quoted_status?.id ?? quote.quoted_status_id ?? undefined;
}

const MEDIA_TYPES: ReadonlyMap<string, MediaType> = new Map([
  ['image', 'photo'],
  ['video', 'video'],
  ['gifv', 'animated_gif'],
]);

type Attachment = NonNullable<Post['media_attachments']>[number];

function attachmentToMedia({ type, url, remote_url, preview_url, description, meta }: Attachment): Media[] {
  const kind = MEDIA_TYPES.get(type);
  if (kind === undefined) return [];
  const { width, height } = meta?.original ?? {};
  const previewUrl = kind === 'photo' ? null : preview_url;
  const altText = description || null;
  return [withoutUnknown<Media>({ type: kind, url: url ?? remote_url, previewUrl, width, height, altText })];
}

const attachmentToAudio = ({ type, url, remote_url, description }: Attachment): Audio[] =>
  type === 'audio' ? [withoutUnknown<Audio>({ url: url ?? remote_url, altText: description || null })] : [];

const toPoll = ({ options, expires_at: endsAt }: NonNullable<Post['poll']>): Poll | null =>
  options
    ? withoutUnknown<Poll>({
        options: options.map(({ title: text, votes_count: votes }) => withoutUnknown<PollOption>({ text, votes })),
        endsAt,
      })
    : null;

/** No article without a card; null if the server does not say whether there is one. */
function cardToArticles(card: Post['card']): Article[] | null {
  if (card === undefined) return null;
  return card?.title ? [withoutUnknown<Article>({ title: card.title, url: card.url || null })] : [];
}

/** `user` on this server, `user@domain` on another, with the domain encoded so that the account can be looked up. */
function acctToHandle(acct: string): string {
  const at = acct.indexOf('@');
  if (at === -1) return acct;
  const domain = acct.slice(at + 1);
  return `${acct.slice(0, at)}@${domainToASCII(domain) || domain}`;
}

/** Null for the default picture, which accounts without one of their own show. */
const picture = (url: string | null | undefined): string | null => (url && !url.endsWith('/missing.png') ? url : null);
