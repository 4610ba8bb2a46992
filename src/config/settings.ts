import { DEFAULT_LIFETIMES } from '../read/lifetimes.js';
import {
  baseUrl,
  bearerToken,
  credits,
  emailAddress,
  headerText,
  list,
  moment,
  oneOf,
  oneWord,
  postgresUrl,
  proxyAddress,
  rate,
  redisUrl,
  sellerLines,
  sender,
  smtpUrl,
  webPage,
  whole,
  words,
} from './kinds.js';
import { NETWORK_SETTINGS } from './network-settings.js';
import {
  BASE_URL,
  choice,
  type Defaulted,
  lifetime,
  optional,
  type Setting,
  secret,
  setting,
  store,
} from './setting.js';
import { TRACE_SETTINGS } from './trace-settings.js';

const PORT = 'a port: a whole number from 0 to 65535 (0 picks a free one)';
const PACE = 'calls per second: a number greater than 0 with at most three decimals';
const CREDITS = 'a number of credits, 0 or more, with at most three decimals';
const MOMENT = 'an RFC 3339 date or date-time, such as 2027-01-31 or 2027-01-31T12:00:00Z';
const SMTP = 'an smtp or smtps URL, such as smtps://user:password@mail.example:465';

/** Every variable the service reads, one row each, in display order. */
export const SETTINGS = {
  PORT: setting('The port to listen on.', whole(0, 65_535), PORT, '4000'),
  HOST: setting(
    'The address to listen on. `0.0.0.0` accepts connections from other machines.',
    oneWord,
    'a host name or an IP address',
    '127.0.0.1',
  ),
  PERCH_HOME: setting(
    'The data folder: the embedded database, and the secrets behind keys and cursors.',
    words,
    'a folder',
    '.perch',
  ),
  DATABASE_URL: store(
    'Your own Postgres, version 15 or newer; with `?target_session_attrs=primary`, several hosts separated by commas: [fail-over](deploying.md#fail-over).',
    postgresUrl,
    'a postgres:// or postgresql:// URL',
    'the embedded server',
  ),
  CORPUS_DATABASE_URL: store(
    'A Postgres for the corpus alone; with several hosts and `?target_session_attrs=prefer-standby`, its replicas are read: [three addresses](deploying.md#three-addresses).',
    postgresUrl,
    'a postgres:// or postgresql:// URL',
    'the same as DATABASE_URL',
  ),
  HISTORY_DATABASE_URL: store(
    'A standby of DATABASE_URL, for usage, receipts and statements: [three addresses](deploying.md#three-addresses).',
    postgresUrl,
    'a postgres:// or postgresql:// URL',
    'the same as DATABASE_URL',
  ),
  PERCH_ARCHIVES: optional(
    'The folder of [`perch ledger archive`](command-line.md#archiving-the-ledger): receipts of archived months are answered from its Parquet files. Needs `@duckdb/node-api`.',
    words,
    'a folder',
    'receipts of archived months are not answered',
  ),
  PERCH_SECRET: secret(
    'The secret behind keys and cursors. Must be the same on every machine.',
    words.refine((text) => text.length >= 32),
    'at least 32 characters, the same on every machine',
    'generated, and kept in PERCH_HOME',
  ),
  REDIS_URL: store(
    'A Redis, version 6.2 or newer, or the nodes of a cluster separated by commas. It holds what several processes share.',
    list(redisUrl),
    'one or more redis:// or rediss:// URLs, separated by commas',
    'in-process stores',
  ),
  PERCH_TRUST_PROXY: optional(
    'Load balancers whose `X-Forwarded-For` is trusted.',
    list(proxyAddress),
    'IP addresses, ranges (such as 10.0.0.0/8), or loopback, linklocal, uniquelocal, separated by commas',
    "none: a client's address is the connection's",
  ),
  PERCH_BASE_URL: optional('The public address of the service.', baseUrl, BASE_URL, 'from the listen address'),
  PERCH_AUTH_URL: optional(
    'The public address of sign-in, dashboard and consent, if it is different.',
    baseUrl,
    BASE_URL,
    'from the base address',
  ),
  PERCH_TERMS_URL: optional(
    'Your terms of use, linked from every page.',
    webPage,
    'an http or https URL',
    'no terms are linked',
  ),
  PERCH_PRIVACY_URL: optional(
    'Your privacy policy, linked from every page.',
    webPage,
    'an http or https URL',
    'no privacy policy is linked',
  ),
  PERCH_REFUNDS_URL: optional(
    'Your refund policy, linked from every page and next to the prices.',
    webPage,
    'an http or https URL',
    'no refund policy is linked',
  ),
  PERCH_OPERATORS: optional(
    "Email addresses of the accounts that see the [operator's pages](operator.md) at `/operator`.",
    list(emailAddress),
    'one or more email addresses, separated by commas',
    'the demo account on a demo, otherwise no account',
  ),
  PERCH_SELLER: optional(
    'Name and address of the operator, on receipts of purchases.',
    sellerLines,
    'at most 8 lines of 100 characters, separated by vertical bars: name, street, town',
    'receipts name no seller',
  ),
  PERCH_CONTACT: optional(
    'Who runs this service, and where its customers get help. Shown on every page, and sent to the network with every call.',
    headerText,
    'an email address or web page of the operator, in ASCII',
    'pages name no contact, and the network is sent the base address',
  ),
  PERCH_NETWORK: choice('Which [network](live-networks.md) to read.', ['corpus', 'bluesky', 'x', 'mastodon'], 'corpus'),
  PERCH_DEMO: optional(
    '`off`: no demo network and no demo account.',
    oneOf(['off']),
    'off',
    'a demo when the network is `corpus` and the database is embedded and empty',
  ),
  ...NETWORK_SETTINGS,
  STRIPE_SECRET_KEY: secret(
    'Enables card payments.',
    bearerToken,
    'a key in ASCII without spaces',
    'checkout answers billing_disabled',
  ),
  STRIPE_WEBHOOK_SECRET: secret(
    'The signing secret of the endpoint `/webhooks/stripe`. Without it, refunds and disputes go unnoticed.',
    oneWord,
    'a secret without spaces',
    'none',
  ),
  STRIPE_BASE_URL: optional('A different base URL of the Stripe API.', baseUrl, BASE_URL, "Stripe's own"),
  SMTP_URL: store(
    'A mail server, for sign-in links, low-balance notices and alerts.',
    smtpUrl,
    SMTP,
    'sign-in links are printed to the log',
  ),
  MAIL_FROM: optional(
    'The sender of mail.',
    sender,
    'a sender, such as perch@example.org',
    'no-reply at the host of the public address',
  ),
  PERCH_PACE_FAST: optional(
    'Upstream calls per second, for each network session, for tweets, profiles and timelines.',
    rate,
    PACE,
    "the network's own",
  ),
  PERCH_PACE_SLOW: optional('The same for all other lists.', rate, PACE, "the network's own"),
  PERCH_DEADLINE_MS: setting(
    'The longest a call may take, including its charge.',
    whole(1, 600_000),
    'whole milliseconds from 1 to 600000',
    '30000',
  ),
  PERCH_DEPRECATION: optional(
    'Sent as the header `Deprecation`. Needs `PERCH_SUNSET` and `PERCH_DEPRECATION_URL`.',
    moment,
    MOMENT,
    'no such header',
  ),
  PERCH_SUNSET: optional(
    'Sent as the header `Sunset`. Needs `PERCH_DEPRECATION` and `PERCH_DEPRECATION_URL`.',
    moment,
    MOMENT,
    'no such header',
  ),
  PERCH_DEPRECATION_URL: optional(
    'A page that explains the change, sent as the header `Link`. Needs `PERCH_DEPRECATION` and `PERCH_SUNSET`.',
    webPage,
    'an http or https URL',
    'no such header',
  ),
  LOG_LEVEL: choice(
    'The least severe level that is logged. Without `SMTP_URL`, sign-in links are always logged, except at `silent`.',
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    'info',
  ),
  LOG_FORMAT: optional(
    '`pretty` is for people, `json` for programs.',
    oneOf(['pretty', 'json']),
    'one of pretty, json',
    'pretty on a terminal, else json',
  ),
  WORKERS: setting(
    'Processes that serve the port together. More than one needs `REDIS_URL`.',
    whole(1, 256),
    'a whole number from 1 to 256',
    '1',
  ),
  PERCH_DRAIN_MS: optional(
    'After SIGTERM, how long `/healthz` answers 503 before connections are refused.',
    whole(0, 60_000),
    'whole milliseconds from 0 to 60000',
    '0 with the embedded database, else 5000',
  ),
  PERCH_METRICS_PORT: optional(
    'A separate port on `HOST` for Prometheus, at `/metrics`. Keep it private.',
    whole(1, 65_535),
    'a port: a whole number from 1 to 65535',
    'no metrics',
  ),
  ...TRACE_SETTINGS,
  PERCH_CACHE_MB: setting(
    'Memory for the cache of one process. The least recently used entries are dropped first.',
    whole(1, 1_048_576),
    'whole mebibytes from 1 to 1048576',
    '256',
  ),
  PERCH_MAX_IN_FLIGHT: setting(
    'Requests that one process works on at a time; more get 503 with `Retry-After`. One account, or one address without a key, can use a quarter of them, or four fifths while nobody else needs them; all calls waiting for the network can use half of them together.',
    whole(1, 1_000_000),
    'a whole number from 1 to 1000000',
    '1000',
  ),
  PERCH_MAX_CONNECTIONS: optional(
    'Connections open at a time in one process; more get 503 and are closed. One address can open a quarter of them, a trusted proxy all.',
    whole(1, 1_000_000),
    'a whole number from 1 to 1000000',
    'half of the files that the process may open, at most 10000',
  ),
  PERCH_MAX_RSS_MB: optional(
    'Memory of one process above which requests get 503.',
    whole(64, 1_048_576),
    'whole mebibytes from 64 to 1048576',
    "nine tenths of the container's limit, shared among its processes; without one, no limit",
  ),
  PERCH_TTL_PROFILE_S: lifetime('How long a profile stays cached.', DEFAULT_LIFETIMES.profileMs),
  PERCH_TTL_TWEET_S: lifetime('How long a tweet stays cached.', DEFAULT_LIFETIMES.tweetMs),
  PERCH_TTL_FIRST_PAGE_S: lifetime('How long the first page of a list stays cached.', DEFAULT_LIFETIMES.firstPageMs),
  PERCH_TTL_DEEPER_PAGE_S: lifetime('How long a deeper page stays cached.', DEFAULT_LIFETIMES.deeperPageMs),
  PERCH_TTL_FOLLOWERS_S: lifetime(
    'How long a page of followers or following stays cached.',
    DEFAULT_LIFETIMES.followersMs,
  ),
  PERCH_TTL_ABSENT_S: lifetime('How long Perch remembers that something does not exist.', DEFAULT_LIFETIMES.absentMs),
  PERCH_MAX_OPERATION_CREDITS: setting(
    'The most a call without a budget of its own may cost.',
    credits,
    CREDITS,
    '1000',
  ),
  PERCH_STARTING_CREDITS: optional(
    'The credits a new account starts with.',
    credits,
    CREDITS,
    '0, or 1000 when NODE_ENV is development',
  ),
} as const;

export type SettingName = keyof typeof SETTINGS;

type ValueOf<S> = S extends Defaulted<infer T> ? T : S extends Setting<infer T> ? T | undefined : never;

/** The typed value of every variable; undefined if it is not set and has no default. */
export type Values = { readonly [N in SettingName]: ValueOf<(typeof SETTINGS)[N]> };
