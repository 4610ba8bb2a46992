/** Codes that networks use for texts without a language: undetermined, no words, art, only pictures or tags. */
const NO_LANGUAGE = /^(?:und|zxx|art|q[a-z]{2})$/i;

/** A language as a network names it; undefined for a code that names none (T28). */
export const knownLanguage = <Code>(code: Code): Code | undefined =>
  typeof code === 'string' && NO_LANGUAGE.test(code) ? undefined : code;

/**
 * The network's objects as the engine models them (interface section 2). Absent means unknown, not zero or false (T10).
 */

export interface User {
  id: string;
  handle: string;
  name: string;
  bio?: string;
  location?: string;
  url?: string;
  avatarUrl?: string;
  bannerUrl?: string;
  verified?: boolean;
  protected?: boolean;
  followersCount?: number;
  followingCount?: number;
  tweetsCount?: number;
  likesCount?: number;
  listedCount?: number;
  /** RFC 3339, UTC, milliseconds. */
  createdAt: string;
  pinnedTweetIds?: readonly string[];
  /** Set if another account now has this handle, which therefore refers to that account. Not shown. */
  lostHandle?: true;
}

export type MediaType = 'photo' | 'video' | 'animated_gif';

export interface Media {
  type: MediaType;
  url?: string;
  /** A still of a video (T15). */
  previewUrl?: string;
  /** Pixels. */
  width?: number;
  /** Pixels. */
  height?: number;
  /** What it shows, in words, as its author wrote it. */
  altText?: string;
}

/** A sound. Sounds have a list of their own, because no type can be added to the types of media (T22). */
export interface Audio {
  url?: string;
  altText?: string;
}

export interface PollOption {
  text: string;
  votes?: number;
}

export interface Poll {
  options: readonly PollOption[];
  /** RFC 3339, UTC, milliseconds. */
  endsAt?: string;
}

/** An article or page that a tweet shows with its title. */
export interface Article {
  title: string;
  url?: string;
}

export interface Tweet {
  id: string;
  text: string;
  lang?: string;
  /** RFC 3339, UTC, milliseconds (T11). */
  createdAt: string;
  authorId: string;
  /** The author as the network sent it with the tweet; free and never an item (M22). */
  author?: User;
  conversationId?: string;
  inReplyToId?: string;
  inReplyToUserId?: string;
  quotedId?: string;
  retweetedId?: string;
  /** The author of the retweeted tweet, whose text this is. Not shown. */
  retweetedAuthorId?: string;
  repliesCount?: number;
  retweetsCount?: number;
  likesCount?: number;
  quotesCount?: number;
  bookmarksCount?: number;
  viewsCount?: number;
  media?: readonly Media[];
  audio?: readonly Audio[];
  poll?: Poll;
  articles?: readonly Article[];
  urls?: readonly string[];
  hashtags?: readonly string[];
  /** Handles, without the @. */
  mentions?: readonly string[];
  isRetweet?: boolean;
  isQuote?: boolean;
  isReply?: boolean;
  source?: string;
}

/**
 * A place in a search result that matches the query: in the text of a tweet, or in the handle, name or bio of a
 * profile. From `start` (inclusive) to `end` (exclusive), in Unicode code points.
 */
export interface Highlight {
  readonly field: 'text' | 'handle' | 'name' | 'bio';
  readonly start: number;
  readonly end: number;
}

export const PRODUCTS = ['Latest', 'Top', 'People', 'Photos', 'Videos'] as const;
export type Product = (typeof PRODUCTS)[number];

/** How a caller refers to a user: only digits are an id, anything else is a handle. */
export type UserRef = { readonly id: string } | { readonly handle: string };

/**
 * The upstream pace that limits a read (section 8.1.7): `fast` for tweets, profiles and timelines, `slow` for the rest.
 */
export type Family = 'fast' | 'slow';
