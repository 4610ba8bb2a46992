import { baseUrl, bearerToken, list, oneOf, oneWord, socketUrl } from './kinds.js';
import { BASE_URL, choice, optional, secret, setting } from './setting.js';

const SOCKET_URL = 'a ws or wss URL without query or fragment';
const TOKENS = 'one or more tokens in ASCII without spaces, separated by commas';

/** How the live networks are read: addresses, credentials and variants. */
export const NETWORK_SETTINGS = {
  BLUESKY_BASE_URL: optional('The URL of a different AppView.', baseUrl, BASE_URL, 'the public AppView'),
  BLUESKY_SERVICE_URL: setting('Where the account signs in.', baseUrl, BASE_URL, 'https://bsky.social'),
  BLUESKY_DIRECTORY_URL: setting('Where identities are registered.', baseUrl, BASE_URL, 'https://plc.directory'),
  BLUESKY_IDENTIFIER: optional(
    'Handle or email address of an account. Enables search.',
    oneWord,
    'the handle or email address of an account',
    'no search',
  ),
  BLUESKY_APP_PASSWORD: secret('An app password of that account.', oneWord, 'an app password', 'no search'),
  BLUESKY_JETSTREAM_URL: optional(
    'A [Jetstream](live-networks.md#sooner-than-by-asking) server, which announces new posts in followed timelines.',
    socketUrl,
    SOCKET_URL,
    'followed timelines are read at intervals',
  ),
  X_BASE_URL: setting('A different base URL of the X API.', baseUrl, BASE_URL, 'https://api.x.com'),
  X_BEARER_TOKENS: secret(
    'Your tokens, separated by commas. Each is a network session.',
    list(bearerToken),
    TOKENS,
    'none',
  ),
  X_SEARCH: choice(
    '`recent` is the last seven days; `archive` is everything, if your tokens allow it.',
    ['recent', 'archive'],
    'recent',
  ),
  X_VOCABULARY: choice('The names used in requests to X.', ['tweet', 'post'], 'tweet'),
  X_AGREEMENT: optional(
    '`signed`: your agreement with X allows you to sell what is read.',
    oneOf(['signed']),
    'signed',
    'none: card payments cannot be enabled with X',
  ),
  MASTODON_BASE_URL: optional('The server to read.', baseUrl, BASE_URL, 'none'),
  MASTODON_TOKENS: secret('User tokens for that server. Each is a network session.', list(bearerToken), TOKENS, 'none'),
  MASTODON_STREAMING_URL: optional(
    'The [streaming API](live-networks.md#sooner-than-by-asking) of that server, which announces new posts in followed timelines.',
    socketUrl,
    SOCKET_URL,
    'followed timelines are read at intervals',
  ),
} as const;
