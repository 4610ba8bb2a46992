import { toCredits } from '../../../src/domain/credits.js';
import { itemPrice } from '../../../src/domain/prices.js';

const NETWORK_NAMES: Readonly<Record<string, string>> = { bluesky: 'Bluesky', x: 'X', mastodon: 'Mastodon' };

/** What a service reads, in words that follow "reads". `network`: the name in the configuration. */
export const networkInWords = (network: string): string =>
  NETWORK_NAMES[network] ?? 'the tweets and profiles of its own database';

/** An account that is certain to exist on each live network; imported data has its own. */
export const KNOWN_HANDLES: Readonly<Record<string, string>> = { bluesky: 'bsky.app', x: 'X' };

/** The account in the first examples; it exists on the demo network, and for every test key. */
export const DEMO_HANDLE = 'harbor_obs';

const TWEETS = 20;

/** What the first example costs, in credits: a profile and its newest tweets, read from the network or cached. */
export function firstQueryPrice(cache: 'miss' | 'hit'): {
  profile: number;
  tweets: number;
  count: number;
  sum: number;
} {
  const profile = itemPrice('profile', cache);
  const tweets = itemPrice('tweet', cache) * TWEETS;
  return {
    profile: toCredits(profile),
    tweets: toCredits(tweets),
    count: TWEETS,
    sum: toCredits(profile + tweets),
  };
}

/** The first query of the landing page and of GraphiQL. */
export const firstQuery = (handle: string): string => `query ProfileAndTimeline {
  user(handle: ${JSON.stringify(handle)}) {
    id
    handle
    name
    bio
    followersCount
    tweets(first: ${TWEETS}) {
      nodes {
        id
        text
        createdAt
        likesCount
      }
      pageInfo {
        endCursor
        hasNextPage
      }
      meta {
        items
        creditsCharged
        cache
      }
    }
  }
}`;

export const firstPath = (handle: string): string => `/v1/users/${handle}`;

/** A GET that works when pasted into a shell that has the key. On two lines, so that it fits beside the query. */
export const curl = (baseUrl: string, path: string): string =>
  `curl -H "x-api-key: $PERCH_KEY" \\\n  ${baseUrl}${path}`;

export const firstCurl = (baseUrl: string, handle: string): string => curl(baseUrl, firstPath(handle));

/** The same for everything that the account posts from now on. */
export const liveCurl = (baseUrl: string, handle: string): string =>
  `curl -N -H "x-api-key: $PERCH_KEY" \\\n  ${baseUrl}/v1/live?user=${handle}`;

/** The envelope of the first answer, without most of the profile. */
export const firstAnswer = (handle: string): string =>
  JSON.stringify(
    {
      request_id: '…',
      balance_remaining: 999,
      items: 1,
      credits_charged: toCredits(itemPrice('profile', 'miss')),
      cache: 'miss',
      data: { id: '…', handle, name: '…' },
    },
    null,
    2,
  );
