import { range } from '../../kit/networks/scripted-network.js';
import { COUNTS, PEOPLE, TWEETS } from './small-corpus.js';

/** A list of `/v1`, as its documentation describes it. */
export interface ListEndpoint {
  readonly name: string;
  /** The path of the list of a subject, which is a user or a tweet. */
  readonly of: (subject: string) => string;
  /** The subject used in tests, and all ids of its list in order. */
  readonly subject: string;
  readonly ids: readonly string[];
  /** Parameters that the path needs, as `q=…&`. */
  readonly query?: string;
  readonly size: { readonly initial: number; readonly max: number };
  /** Credits per item, read and cached. */
  readonly price: number;
  /** The first item, if a page has more than ids. */
  readonly first?: readonly [what: string, item: object];
  /** Subjects whose list is empty. */
  readonly empty?: readonly (readonly [what: string, subject: string])[];
  /** Subjects that are not found, with the reason if one is given. */
  readonly missing?: readonly (readonly [what: string, subject: string, reason?: string])[];
  /** Whether 403 is among its answers, because the network may refuse the list to our session. */
  readonly deniable: boolean;
}

const NEWEST_FIRST = range(COUNTS.timeline, 50_001).map(String).reverse();
const FOLLOWERS = range(COUNTS.followers, 1001).map(String);
const ANSWERS = range(COUNTS.replies - 1, 61_001).map(String);

const NOBODY = ['404 not_found, free: nobody has the id', '987654321'] as const;
const PROTECTED = ['404 not_found, free: the account is protected', PEOPLE.garden] as const;
const NO_TWEET = ['404 not_found, free: there is no such tweet', '99999'] as const;
const WHOLE_PROFILES = '200: a UserPage of whole profiles';

export const LIST_ENDPOINTS: readonly ListEndpoint[] = [
  {
    name: 'GET /v1/users/{user}/tweets',
    of: (user) => `/v1/users/${user}/tweets`,
    subject: 'Aurora_Obs',
    ids: NEWEST_FIRST,
    size: { initial: 20, max: 100 },
    price: 1,
    empty: [['200: a user without tweets has an empty page: no charge, no cursor (M4)', PEOPLE.lonely]],
    missing: [
      NOBODY,
      ['404 not_found, free: nobody has the handle', 'nobody_here'],
      [...PROTECTED, 'private'],
      ['404 not_found, free: no user can be called so', 'a%20b', 'unknown'],
    ],
    deniable: false,
  },
  {
    name: 'GET /v1/users/{user}/followers',
    of: (user) => `/v1/users/${user}/followers`,
    subject: 'Aurora_Obs',
    ids: FOLLOWERS,
    size: { initial: 50, max: 200 },
    price: 0.1,
    first: [WHOLE_PROFILES, { id: '1001', handle: 'follower1', name: 'Follower 1', followers: 1, following: 1 }],
    empty: [['200: a user without followers has an empty page: no charge, no cursor (M4)', PEOPLE.lonely]],
    missing: [NOBODY, PROTECTED],
    deniable: true,
  },
  {
    name: 'GET /v1/users/{user}/followers/ids',
    of: (user) => `/v1/users/${user}/followers/ids`,
    subject: 'Aurora_Obs',
    ids: FOLLOWERS,
    size: { initial: 200, max: 200 },
    price: 0.02,
    missing: [NOBODY, PROTECTED],
    deniable: true,
  },
  {
    name: 'GET /v1/users/{user}/following',
    of: (user) => `/v1/users/${user}/following`,
    subject: PEOPLE.library,
    ids: range(70, 1001).map(String),
    size: { initial: 50, max: 200 },
    price: 0.1,
    first: [WHOLE_PROFILES, { id: '1001', handle: 'follower1', name: 'Follower 1' }],
    empty: [['200: a user who follows nobody has an empty page: no charge, no cursor (M4)', PEOPLE.lonely]],
    missing: [NOBODY, PROTECTED],
    deniable: true,
  },
  {
    name: 'GET /v1/tweets/{id}/replies',
    of: (id) => `/v1/tweets/${id}/replies`,
    subject: TWEETS.root,
    ids: [TWEETS.answer, ...ANSWERS],
    size: { initial: 20, max: 50 },
    price: 1,
    empty: [['200: a tweet that nobody answered has an empty page: no charge, no cursor (M4)', TWEETS.photo]],
    missing: [NO_TWEET, ['404 not_found, free: its author is protected', TWEETS.hidden]],
    deniable: false,
  },
  {
    name: 'GET /v1/tweets/{id}/quotes',
    of: (id) => `/v1/tweets/${id}/quotes`,
    subject: TWEETS.root,
    ids: range(COUNTS.quotes, 62_001).map(String).reverse(),
    size: { initial: 20, max: 50 },
    price: 1,
    empty: [
      ['200, empty and free: nobody quoted it', TWEETS.photo],
      ['200, empty and free: there is no such tweet (T6)', '99999'],
    ],
    missing: [['404 not_found for what cannot be an id (I5)', '12a']],
    deniable: true,
  },
  {
    name: 'GET /v1/tweets/{id}/retweeters',
    of: (id) => `/v1/tweets/${id}/retweeters`,
    subject: TWEETS.root,
    ids: range(COUNTS.retweeters, 1001).map(String).reverse(),
    size: { initial: 50, max: 200 },
    price: 0.5,
    first: [WHOLE_PROFILES, { id: '1060', handle: 'follower60', tweets: 1 }],
    empty: [
      ['200, empty and free: nobody retweeted it', TWEETS.photo],
      ['200, empty and free: there is no such tweet (T6)', '99999'],
    ],
    deniable: true,
  },
  {
    name: 'GET /v1/tweets/{id}/thread',
    of: (id) => `/v1/tweets/${id}/thread`,
    subject: TWEETS.root,
    ids: [TWEETS.root, TWEETS.answer, TWEETS.deeper, ...ANSWERS],
    size: { initial: 20, max: 50 },
    price: 1,
    missing: [
      NO_TWEET,
      ['404 not_found, free: its author is protected (T3)', TWEETS.hidden],
      ['404 not_found, free: no tweet can have such an id', '0x1'],
    ],
    deniable: false,
  },
  {
    name: 'GET /v1/tweets/search',
    of: () => '/v1/tweets/search',
    subject: '',
    query: 'q=%23aurora&',
    ids: NEWEST_FIRST,
    size: { initial: 20, max: 50 },
    price: 1,
    deniable: true,
  },
];
