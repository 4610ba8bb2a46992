import type { Family, Product } from './model.js';
import type { Unit } from './prices.js';

/** Items on a page: the default number, and the most. The least is always one. */
export interface PageSize {
  readonly initial: number;
  readonly max: number;
}

/** How a list is sold, and the names under which callers know it, none of which can be changed. */
interface Offer {
  readonly unit: Unit;
  readonly size: PageSize;
  /** The GraphQL field of the query. */
  readonly query: Named;
  /** The GraphQL field of the subject's type; null if the subject has none. */
  readonly field: Named | null;
  /** The persisted operation. In camel case it is also the name in the OpenAPI document, and thus in clients. */
  readonly operation: string;
  /** The last part of the endpoint's path. */
  readonly path: string;
  /** The name for `perch export`. */
  readonly export: string;
  readonly tool: {
    readonly name: string;
    readonly title: string;
    /** Advice for a model with a budget, in addition to how to continue. */
    readonly advice?: string;
  };
}

interface Named {
  readonly name: string;
  /** Without the price. */
  readonly description: string;
}

interface Contents {
  readonly items: 'tweets' | 'users';
  /** Whether it is ordered by time, newest first: a position can then be found again by comparing times. */
  readonly newestFirst: boolean;
  /** Present if callers can ask for items newer than an earlier answer. */
  readonly hasSince?: true;
}

/** A list that networks can be paged through. */
export interface List extends Offer, Contents {
  readonly subject: 'user' | 'tweet' | 'query';
  /** The upstream pace that applies to it (section 8.1.7). */
  readonly family: Family;
  /** How long its pages stay cached (M11). All pages of a slowly changing list are kept equally long. */
  readonly lifetime: 'by depth' | 'as followers';
  /**
   * The answer if the subject does not exist (T6). With `not_found`, the list disappears when its subject does.
   */
  readonly withoutSubject: 'not_found' | 'empty';
  /** The same pages, sold as ids only. */
  readonly ids?: Offer;
  /** What the product of a search changes. */
  readonly products?: Readonly<Record<Product, Contents & { readonly unit: Unit }>>;
}

const BY_TIME = { items: 'tweets', newestFirst: true, hasSince: true, unit: 'tweet' } as const;

const TWEETS = { items: 'tweets', unit: 'tweet', family: 'slow', lifetime: 'by depth' } as const;
const FOLLOWS = {
  subject: 'user',
  items: 'users',
  newestFirst: false,
  unit: 'edge_profile',
  size: { initial: 50, max: 200 },
  family: 'slow',
  lifetime: 'as followers',
  withoutSubject: 'not_found',
} as const;

/**
 * Every list: its subject, its items, and how it is ordered, sold, cached and named. The schema, the persisted
 * operations, endpoints, tools, `perch export` and the engine are all derived from this table. See
 * `docs/adding-a-read.md` for how to add a list.
 */
const ROWS = {
  timeline: {
    ...TWEETS,
    ...BY_TIME,
    subject: 'user',
    size: { initial: 20, max: 100 },
    family: 'fast',
    withoutSubject: 'not_found',
    query: { name: 'timeline', description: "A user's tweets, newest first, without paying for the profile." },
    field: {
      name: 'tweets',
      description: 'Their timeline, newest first: tweets, retweets, quotes and replies.',
    },
    operation: 'user-tweets',
    path: 'tweets',
    export: 'tweets',
    tool: { name: 'get_user_tweets', title: "Read a user's tweets" },
  },
  followers: {
    ...FOLLOWS,
    query: { name: 'followers', description: 'The followers of a user.' },
    field: { name: 'followers', description: 'Their followers.' },
    operation: 'followers',
    path: 'followers',
    export: 'followers',
    tool: {
      name: 'get_followers',
      title: 'List followers',
      advice: 'If ids are enough, `get_follower_ids` costs a fifth.',
    },
    ids: {
      unit: 'follower_id',
      size: { initial: 200, max: 200 },
      query: {
        name: 'followerIds',
        description: 'The ids of the followers of a user: the cheapest way to read a whole list.',
      },
      field: { name: 'followerIds', description: 'The ids of their followers.' },
      operation: 'follower-ids',
      path: 'followers/ids',
      export: 'follower-ids',
      tool: { name: 'get_follower_ids', title: 'List follower ids' },
    },
  },
  following: {
    ...FOLLOWS,
    query: { name: 'following', description: 'The users that a user follows.' },
    field: { name: 'following', description: 'The users they follow.' },
    operation: 'following',
    path: 'following',
    export: 'following',
    tool: { name: 'get_following', title: 'List users someone follows' },
  },
  thread: {
    ...TWEETS,
    subject: 'tweet',
    newestFirst: false,
    // P6.
    size: { initial: 20, max: 50 },
    withoutSubject: 'not_found',
    query: {
      name: 'thread',
      description: 'A conversation: the tweet, its ancestors from the root, then its descendants.',
    },
    field: {
      name: 'thread',
      description: 'The conversation: this tweet, its ancestors from the root, then its descendants.',
    },
    operation: 'thread',
    path: 'thread',
    export: 'thread',
    tool: { name: 'get_thread', title: 'Read a conversation' },
  },
  replies: {
    ...TWEETS,
    subject: 'tweet',
    newestFirst: false,
    hasSince: true,
    size: { initial: 20, max: 50 },
    withoutSubject: 'not_found',
    query: { name: 'replies', description: 'Direct replies to a tweet.' },
    field: { name: 'replies', description: 'Direct replies.' },
    operation: 'replies',
    path: 'replies',
    export: 'replies',
    tool: { name: 'get_replies', title: 'List replies to a tweet' },
  },
  quotes: {
    ...TWEETS,
    ...BY_TIME,
    subject: 'tweet',
    size: { initial: 20, max: 50 },
    withoutSubject: 'empty',
    query: { name: 'quotes', description: 'Tweets that quote a tweet, newest first.' },
    field: { name: 'quotes', description: 'Tweets that quote it, newest first.' },
    operation: 'quotes',
    path: 'quotes',
    export: 'quotes',
    tool: { name: 'get_quotes', title: 'List tweets that quote a tweet' },
  },
  retweeters: {
    subject: 'tweet',
    items: 'users',
    newestFirst: false,
    unit: 'retweeter',
    size: { initial: 50, max: 200 },
    family: 'slow',
    lifetime: 'by depth',
    withoutSubject: 'empty',
    query: { name: 'retweeters', description: 'The users who retweeted a tweet.' },
    field: { name: 'retweeters', description: 'The users who retweeted it.' },
    operation: 'retweeters',
    path: 'retweeters',
    export: 'retweeters',
    tool: { name: 'get_retweeters', title: 'List users who retweeted a tweet' },
  },
  search: {
    ...BY_TIME,
    subject: 'query',
    size: { initial: 20, max: 50 },
    family: 'slow',
    lifetime: 'by depth',
    withoutSubject: 'empty',
    query: {
      name: 'search',
      description:
        'Search by words and the search operators of the network (from:, since:, min_faves:, -filter:replies …).',
    },
    field: null,
    operation: 'search',
    path: 'search',
    export: 'search',
    tool: {
      name: 'search_tweets',
      title: 'Search tweets or people',
      advice: 'Narrow the query with operators before raising `count`.',
    },
    products: {
      Latest: BY_TIME,
      Top: { items: 'tweets', newestFirst: false, unit: 'tweet' },
      People: { items: 'users', newestFirst: false, unit: 'profile' },
      Photos: BY_TIME,
      Videos: BY_TIME,
    },
  },
} satisfies Readonly<Record<string, List>>;

/** A list's internal name. Follower ids are not a list of their own: they come from the followers' page (section 1). */
export type ListKind = keyof typeof ROWS;

export const LISTS: Readonly<Record<ListKind, List>> = ROWS;

export const LIST_KINDS = Object.keys(LISTS) as readonly ListKind[];

/** A list as callers can request it: whole items, or ids only. */
export interface ListRead extends Offer {
  readonly kind: ListKind;
  readonly list: List;
  readonly idsOnly: boolean;
}

/** Every list that can be requested. */
export const LIST_READS: readonly ListRead[] = LIST_KINDS.flatMap((kind) => {
  const list = LISTS[kind];
  const { ids } = list;
  const whole: ListRead = { ...list, kind, list, idsOnly: false };
  return ids ? [whole, { ...ids, kind, list, idsOnly: true }] : [whole];
});

/** One list of the network: its kind, its subject, and for a search the product. */
export interface ListRef {
  readonly kind: ListKind;
  /** A user id, a tweet id, or the normalised query. */
  readonly subject: string;
  readonly product?: Product;
}

interface KindAndProduct {
  readonly kind: ListKind;
  readonly product?: Product | undefined;
}

/** The contents of a list, which for a search depend on the product. */
function listContents({ kind, product }: KindAndProduct): Contents & { readonly unit: Unit } {
  const list = LISTS[kind];
  return (product && list.products?.[product]) ?? list;
}

export const isListKind = (name: string): name is ListKind => Object.hasOwn(LISTS, name);

export const familyOfList = (kind: ListKind): Family => LISTS[kind].family;

/** Whether the list contains profiles rather than tweets. */
export const holdsUsers = (list: KindAndProduct): boolean => listContents(list).items === 'users';

/** Lists ordered by time, newest first: a position in them can be found again by comparing times. */
export const isNewestFirst = (list: KindAndProduct): boolean => listContents(list).newestFirst;

/** Whether callers can ask for items newer than an earlier answer. */
export const hasSince = (list: KindAndProduct): boolean => listContents(list).hasSince === true;

/** Lists that can be followed. */
export const FOLLOWED_READS: readonly ListRead[] = LIST_READS.filter(hasSince);

/** The parameter that names the list's subject in a request that may be for any of the lists that can be followed. */
export const subjectParameter = ({ list, path }: Pick<ListRead, 'list' | 'path'>): string =>
  ({ user: 'user', query: 'q', tweet: path })[list.subject];

/** The unit in which a list's items are sold: whole objects, or ids only. */
export function unitOfList(list: KindAndProduct, idsOnly = false): Unit {
  const { ids } = LISTS[list.kind];
  return idsOnly && ids ? ids.unit : listContents(list).unit;
}

/** What a key can be limited to: objects by name or id, and each list. The account's own data is always accessible. */
export type Scope = 'profiles' | 'tweets' | ListKind;

export const SCOPES: readonly Scope[] = ['profiles', 'tweets', ...LIST_KINDS];

export const isScope = (text: string): text is Scope => SCOPES.some((scope) => scope === text);
