import { SETTINGS, type SettingName } from '../../src/config/settings.js';
import { tableText } from './parts.js';

/** What each variable means, by subject. Values and defaults come from the code. */
const SUBJECTS = {
  Server: {
    PORT: 'The port to listen on.',
    HOST: 'The address to listen on. `0.0.0.0` accepts connections from other machines.',
    PERCH_BASE_URL: 'The public address of the service.',
    PERCH_AUTH_URL: 'The public address of sign-in, dashboard and consent, if it is a different one.',
    PERCH_TRUST_PROXY: 'Load balancers whose `X-Forwarded-For` is trusted.',
    WORKERS: 'Processes that serve the port together. More than one needs `REDIS_URL`.',
    PERCH_DRAIN_MS: 'After SIGTERM, how long `/healthz` answers 503 before connections are refused.',
  },
  'Storage and secrets': {
    PERCH_HOME: 'The data folder: the embedded database, and the secrets behind keys and cursors.',
    DATABASE_URL: 'A Postgres of your own, version 15 or newer.',
    REDIS_URL:
      'A Redis, version 6.2 or newer, or the nodes of a cluster separated by commas: what several processes share.',
    PERCH_SECRET: 'The secret behind keys and cursors. Must be the same on every machine.',
    PERCH_DEMO: '`off`: no demo network and no demo account.',
  },
  Network: {
    PERCH_NETWORK: 'Which [network](live-networks.md) to read.',
    PERCH_CONTACT: 'Who runs this service. Sent to the network with every call.',
    BLUESKY_BASE_URL: 'The URL of another AppView.',
    BLUESKY_SERVICE_URL: 'Where the account signs in.',
    BLUESKY_DIRECTORY_URL: 'Where identities are registered.',
    BLUESKY_IDENTIFIER: 'Handle or email address of an account. Enables search.',
    BLUESKY_APP_PASSWORD: 'An app password of that account.',
    X_BASE_URL: 'Another base URL of the X API.',
    X_BEARER_TOKENS: 'Your tokens, separated by commas. Each is a network session.',
    X_SEARCH: '`recent` is the last seven days; `archive` is everything, if your tokens allow it.',
    X_VOCABULARY: 'The names used in requests to X.',
    X_AGREEMENT: '`signed`: your agreement with X allows you to sell what is read.',
    MASTODON_BASE_URL: 'The server to read.',
    MASTODON_TOKENS: 'User tokens for that server. Each is a network session.',
  },
  'Reading and caching': {
    PERCH_PACE_FAST: 'Upstream calls per second and network session for tweets, profiles and timelines.',
    PERCH_PACE_SLOW: 'The same for all other lists.',
    PERCH_DEADLINE_MS: 'The longest a call may take, its charge included.',
    PERCH_CACHE_MB: 'Memory for the cache of one process. The least recently used entries are dropped first.',
    PERCH_TTL_PROFILE_S: 'How long a profile stays cached.',
    PERCH_TTL_TWEET_S: 'How long a tweet stays cached.',
    PERCH_TTL_FIRST_PAGE_S: 'How long the first page of a list stays cached.',
    PERCH_TTL_DEEPER_PAGE_S: 'How long a deeper page stays cached.',
    PERCH_TTL_FOLLOWERS_S: 'How long a page of followers or following stays cached.',
    PERCH_TTL_ABSENT_S: 'How long it is remembered that something does not exist.',
  },
  Limits: {
    PERCH_MAX_IN_FLIGHT:
      'Requests that one process works on at a time; more get 503 with `Retry-After`. One account, or one address without a key, can use a quarter of them, or four fifths while nobody else needs them, and calls waiting for the network half of them together.',
    PERCH_MAX_CONNECTIONS:
      'Connections open at a time in one process; more get 503 and are closed. One address can open a quarter of them, a trusted proxy all.',
    PERCH_MAX_RSS_MB: 'Memory of one process above which requests get 503.',
    PERCH_MAX_OPERATION_CREDITS: 'The most a call without a budget of its own may cost.',
  },
  'Credits, payments and mail': {
    PERCH_TERMS_URL: 'Your terms of use, linked from `/legal`, which every page links to.',
    PERCH_PRIVACY_URL: 'Your privacy policy, linked from the same page.',
    PERCH_OPERATORS: "Email addresses of the accounts that see the [operator's pages](operator.md) at `/operator`.",
    PERCH_SELLER: 'Name and address of the operator, on receipts of purchases.',
    PERCH_STARTING_CREDITS: 'The credits a new account starts with.',
    STRIPE_SECRET_KEY: 'Enables card payments.',
    STRIPE_WEBHOOK_SECRET:
      'The signing secret of the endpoint `/webhooks/stripe`. Without it, refunds and disputes go unnoticed.',
    STRIPE_BASE_URL: 'Another base URL of the Stripe API.',
    SMTP_URL: 'A mail server, for sign-in links, low-balance notices and alerts.',
    MAIL_FROM: 'The sender of mail.',
  },
  'Logs, metrics and traces': {
    LOG_LEVEL: 'The least severe level that is logged.',
    LOG_FORMAT: '`pretty` is for people, `json` for programs.',
    PERCH_METRICS_PORT: 'A separate port on `HOST` for Prometheus, at `/metrics`. Keep it private.',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'An OpenTelemetry collector, over HTTP. Enables traces.',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'A different one for traces.',
    OTEL_EXPORTER_OTLP_HEADERS: 'Headers sent to the collector.',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'Headers for traces only.',
    OTEL_SERVICE_NAME: "The service's name in traces.",
    OTEL_TRACES_SAMPLER: 'Which traces are sent.',
    OTEL_TRACES_SAMPLER_ARG: 'The share of traces, for samplers that take one.',
  },
  'Announcing the end of a version': {
    PERCH_DEPRECATION: 'Sent as the header `Deprecation`.',
    PERCH_SUNSET: 'Sent as the header `Sunset`.',
    PERCH_DEPRECATION_URL: 'A page that explains the change, sent as the header `Link`.',
  },
} as const satisfies Readonly<Record<string, Partial<Record<SettingName, string>>>>;

/** The tables of docs/environment.md. */
export function environmentTables(): string {
  const sections = Object.entries(SUBJECTS).map(([subject, meanings]) => {
    const rows = Object.entries(meanings).map(([name, meaning]) => {
      const { right, unset } = SETTINGS[name as SettingName];
      return [`\`${name}\``, meaning, right, unset];
    });
    return `## ${subject}\n\n${tableText(['Variable', 'Meaning', 'Value', 'Default'], rows)}`;
  });
  return sections.join('\n\n');
}
