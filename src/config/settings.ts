import { DEFAULT_LIFETIMES } from '../read/lifetimes.js';
import {
  baseUrl,
  credits,
  emailAddress,
  type Kind,
  list,
  moment,
  nameValues,
  oneOf,
  oneWord,
  postgresUrl,
  proxyAddress,
  rate,
  redisUrl,
  sellerLines,
  sender,
  share,
  smtpUrl,
  webPage,
  whole,
  words,
} from './kinds.js';

/** One environment variable: the format of its text, in code and in words, and what applies if it is not set. */
interface Setting<T> {
  readonly kind: Kind<T>;
  /** Completes "must be …". */
  readonly right: string;
  /** In words, what applies if it is not set. */
  readonly unset: string;
  /** How much of its value may be shown: addresses can contain a password. */
  readonly shown: 'all' | 'address' | 'never';
}

/** A setting with a default: this text, parsed like any other. */
interface Defaulted<T> extends Setting<T> {
  readonly fallback: string;
}

const optional = <T>(kind: Kind<T>, right: string, unset: string): Setting<T> => ({ kind, right, unset, shown: 'all' });
const secret = <T>(kind: Kind<T>, right: string, unset: string): Setting<T> => ({ kind, right, unset, shown: 'never' });
const store = <T>(kind: Kind<T>, right: string, unset: string): Setting<T> => ({
  kind,
  right,
  unset,
  shown: 'address',
});

const setting = <T>(kind: Kind<T>, right: string, fallback: string): Defaulted<T> => ({
  ...optional(kind, right, fallback),
  fallback,
});

const choice = <const T extends readonly string[]>(values: T, fallback: T[number]): Defaulted<T[number]> =>
  setting(oneOf(values), `one of ${values.join(', ')}`, fallback);

const lifetime = (defaultMs: number): Defaulted<number> =>
  setting(whole(0, 86_400), 'whole seconds from 0 (cache nothing) to 86400', String(defaultMs / 1000));

const PORT = 'a port: a whole number from 0 to 65535 (0 picks a free one)';
const BASE_URL = 'an http or https URL without query or fragment';
const TOKENS = 'one or more tokens without spaces, separated by commas';
const PACE = 'calls per second: a number greater than 0 with at most three decimals';
const CREDITS = 'a number of credits, 0 or more, with at most three decimals';
const MOMENT = 'an RFC 3339 date or date-time, such as 2027-01-31 or 2027-01-31T12:00:00Z';
const HEADERS = 'one or more name=value pairs, separated by commas';
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
const SMTP = 'an smtp or smtps URL, such as smtps://user:password@mail.example:465';

/** Every variable the service reads, one row each, in display order. */
export const SETTINGS = {
  PORT: setting(whole(0, 65_535), PORT, '4000'),
  HOST: setting(oneWord, 'a host name or an IP address', '127.0.0.1'),
  PERCH_HOME: setting(words, 'a folder', '.perch'),
  DATABASE_URL: store(postgresUrl, 'a postgres:// or postgresql:// URL', 'the embedded server'),
  PERCH_SECRET: secret(
    words.refine((text) => text.length >= 32),
    'at least 32 characters, the same on every machine',
    'generated, and kept in PERCH_HOME',
  ),
  REDIS_URL: store(list(redisUrl), 'one or more redis:// or rediss:// URLs, separated by commas', 'in-process stores'),
  PERCH_TRUST_PROXY: optional(
    list(proxyAddress),
    'IP addresses, ranges (such as 10.0.0.0/8), or loopback, linklocal, uniquelocal, separated by commas',
    "none: a client's address is the connection's",
  ),
  PERCH_BASE_URL: optional(baseUrl, BASE_URL, 'from the listen address'),
  PERCH_AUTH_URL: optional(baseUrl, BASE_URL, 'from the base address'),
  PERCH_TERMS_URL: optional(webPage, 'an http or https URL', 'no terms are linked'),
  PERCH_PRIVACY_URL: optional(webPage, 'an http or https URL', 'no privacy policy is linked'),
  PERCH_OPERATORS: optional(
    list(emailAddress),
    'one or more email addresses, separated by commas',
    'on a demo the demo account, otherwise nobody',
  ),
  PERCH_SELLER: optional(
    sellerLines,
    'at most 8 lines of 100 characters, separated by vertical bars: name, street, town',
    'receipts name no seller',
  ),
  PERCH_CONTACT: optional(words, 'an email address or web page of the operator', 'the base address'),
  PERCH_NETWORK: choice(['corpus', 'bluesky', 'x', 'mastodon'], 'corpus'),
  PERCH_DEMO: optional(
    oneOf(['off']),
    'off',
    'a demo when the network is `corpus` and the database is embedded and empty',
  ),
  BLUESKY_BASE_URL: optional(baseUrl, BASE_URL, 'the public AppView'),
  BLUESKY_SERVICE_URL: setting(baseUrl, BASE_URL, 'https://bsky.social'),
  BLUESKY_DIRECTORY_URL: setting(baseUrl, BASE_URL, 'https://plc.directory'),
  BLUESKY_IDENTIFIER: optional(oneWord, 'the handle or email address of an account', 'no search'),
  BLUESKY_APP_PASSWORD: secret(oneWord, 'an app password', 'no search'),
  X_BASE_URL: setting(baseUrl, BASE_URL, 'https://api.x.com'),
  X_BEARER_TOKENS: secret(list(oneWord), TOKENS, 'none'),
  X_SEARCH: choice(['recent', 'archive'], 'recent'),
  X_VOCABULARY: choice(['tweet', 'post'], 'tweet'),
  X_AGREEMENT: optional(oneOf(['signed']), 'signed', 'none: card payments cannot be enabled with X'),
  MASTODON_BASE_URL: optional(baseUrl, BASE_URL, 'none'),
  MASTODON_TOKENS: secret(list(oneWord), TOKENS, 'none'),
  STRIPE_SECRET_KEY: secret(oneWord, 'a key without spaces', 'checkout answers billing_disabled'),
  STRIPE_WEBHOOK_SECRET: secret(oneWord, 'a secret without spaces', 'none'),
  STRIPE_BASE_URL: optional(baseUrl, BASE_URL, "Stripe's own"),
  SMTP_URL: store(smtpUrl, SMTP, 'sign-in links are printed to the log'),
  MAIL_FROM: optional(sender, 'a sender, such as perch@example.org', 'no-reply at the host of the public address'),
  PERCH_PACE_FAST: optional(rate, PACE, "the network's own"),
  PERCH_PACE_SLOW: optional(rate, PACE, "the network's own"),
  PERCH_DEADLINE_MS: setting(whole(1, 600_000), 'whole milliseconds from 1 to 600000', '30000'),
  PERCH_DEPRECATION: optional(moment, MOMENT, 'no such header'),
  PERCH_SUNSET: optional(moment, MOMENT, 'no such header'),
  PERCH_DEPRECATION_URL: optional(webPage, 'an http or https URL', 'no such header'),
  LOG_LEVEL: choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
  LOG_FORMAT: optional(oneOf(['pretty', 'json']), 'one of pretty, json', 'pretty on a terminal, else json'),
  WORKERS: setting(whole(1, 256), 'a whole number from 1 to 256', '1'),
  PERCH_DRAIN_MS: optional(
    whole(0, 60_000),
    'whole milliseconds from 0 to 60000',
    '0 with the embedded database, else 5000',
  ),
  PERCH_METRICS_PORT: optional(whole(1, 65_535), 'a port: a whole number from 1 to 65535', 'no metrics'),
  // Names and meanings as in OpenTelemetry; its SDK reads headers and sampler itself.
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(baseUrl, BASE_URL, 'no traces'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optional(baseUrl, BASE_URL, '/v1/traces under OTEL_EXPORTER_OTLP_ENDPOINT'),
  OTEL_EXPORTER_OTLP_HEADERS: secret(nameValues, HEADERS, 'none'),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: secret(nameValues, HEADERS, 'OTEL_EXPORTER_OTLP_HEADERS'),
  OTEL_SERVICE_NAME: setting(words, 'a name', 'perch'),
  OTEL_TRACES_SAMPLER: choice(SAMPLERS, 'parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: optional(share, 'a fraction from 0 to 1, such as 0.05', '1'),
  PERCH_CACHE_MB: setting(whole(1, 1_048_576), 'whole mebibytes from 1 to 1048576', '256'),
  PERCH_MAX_IN_FLIGHT: setting(whole(1, 1_000_000), 'a whole number from 1 to 1000000', '1000'),
  PERCH_MAX_CONNECTIONS: optional(
    whole(1, 1_000_000),
    'a whole number from 1 to 1000000',
    'half of the files that the process may open, at most 10000',
  ),
  PERCH_MAX_RSS_MB: optional(
    whole(64, 1_048_576),
    'whole mebibytes from 64 to 1048576',
    "nine tenths of the container's limit, shared among its processes; without one, no limit",
  ),
  PERCH_TTL_PROFILE_S: lifetime(DEFAULT_LIFETIMES.profileMs),
  PERCH_TTL_TWEET_S: lifetime(DEFAULT_LIFETIMES.tweetMs),
  PERCH_TTL_FIRST_PAGE_S: lifetime(DEFAULT_LIFETIMES.firstPageMs),
  PERCH_TTL_DEEPER_PAGE_S: lifetime(DEFAULT_LIFETIMES.deeperPageMs),
  PERCH_TTL_FOLLOWERS_S: lifetime(DEFAULT_LIFETIMES.followersMs),
  PERCH_TTL_ABSENT_S: lifetime(DEFAULT_LIFETIMES.absentMs),
  PERCH_MAX_OPERATION_CREDITS: setting(credits, CREDITS, '1000'),
  PERCH_STARTING_CREDITS: optional(credits, CREDITS, '0, or 1000 when NODE_ENV is development'),
} as const;

export type SettingName = keyof typeof SETTINGS;

type ValueOf<S> = S extends Defaulted<infer T> ? T : S extends Setting<infer T> ? T | undefined : never;

/** The typed value of every variable; undefined if it is not set and has no default. */
export type Values = { readonly [N in SettingName]: ValueOf<(typeof SETTINGS)[N]> };
