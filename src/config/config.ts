import { resolve } from 'node:path';
import { addressFault, PRIMARY, type WantedHosts } from '../lib/database-address.js';
import type { Lifetimes } from '../read/lifetimes.js';
import { type ConfigFault, type Environment, readSettings, readVariable, SETTING_NAMES } from './read-settings.js';
import type { SettingName, Values } from './settings.js';

/** The hosts that each database address should lead to. */
const ADDRESSES = {
  DATABASE_URL: PRIMARY,
  CORPUS_DATABASE_URL: {
    targets: ['prefer-standby', 'primary'],
    finds: 'its replicas',
    why: 'it is read from replicas, or from the primary',
  },
  HISTORY_DATABASE_URL: {
    targets: ['prefer-standby', 'standby'],
    finds: 'the replicas',
    why: 'the primary is at DATABASE_URL',
  },
} as const satisfies Partial<Record<SettingName, WantedHosts>>;

/** Rules that involve several variables. Rules about a variable that is already faulty are skipped. */
function crossChecks(values: Values, faulty: ReadonlySet<string>): ConfigFault[] {
  const faults: ConfigFault[] = [];
  const check = (wrong: boolean, name: SettingName, other: SettingName, message: string) => {
    if (wrong && !faulty.has(name) && !faulty.has(other)) faults.push({ name, message });
  };
  const needs = (name: SettingName, other: SettingName) =>
    check(values[name] !== undefined && values[other] === undefined, name, other, `also needs ${other}`);

  for (const name of Object.keys(ADDRESSES) as (keyof typeof ADDRESSES)[]) {
    const fault = values[name] === undefined ? null : addressFault(values[name], ADDRESSES[name]);
    check(fault !== null, name, name, String(fault));
  }
  needs('HISTORY_DATABASE_URL', 'DATABASE_URL');

  const alone = values.WORKERS > 1 && values.REDIS_URL === undefined;
  check(alone, 'WORKERS', 'REDIS_URL', 'above 1 needs REDIS_URL: the processes share rate limits and pace');

  // Section 9.3 promises all three headers, or none.
  const notices = ['PERCH_DEPRECATION', 'PERCH_SUNSET', 'PERCH_DEPRECATION_URL'] as const;
  for (const name of notices) for (const other of notices) if (name !== other) needs(name, other);
  const early = (values.PERCH_SUNSET ?? Infinity) < (values.PERCH_DEPRECATION ?? -Infinity);
  check(early, 'PERCH_SUNSET', 'PERCH_DEPRECATION', 'must not be earlier than PERCH_DEPRECATION');

  needs('BLUESKY_IDENTIFIER', 'BLUESKY_APP_PASSWORD');
  needs('BLUESKY_APP_PASSWORD', 'BLUESKY_IDENTIFIER');
  needs('MASTODON_STREAMING_URL', 'MASTODON_TOKENS');
  needs('STRIPE_WEBHOOK_SECRET', 'STRIPE_SECRET_KEY');

  const sold = values.PERCH_NETWORK === 'x' && values.STRIPE_SECRET_KEY !== undefined;
  check(
    sold && values.X_AGREEMENT === undefined,
    'STRIPE_SECRET_KEY',
    'PERCH_NETWORK',
    'cannot be set while PERCH_NETWORK is x: the X agreement forbids selling what is read. Set X_AGREEMENT=signed if you have a different agreement',
  );

  const noServer = values.PERCH_NETWORK === 'mastodon' && values.MASTODON_BASE_URL === undefined;
  check(
    noServer,
    'MASTODON_BASE_URL',
    'PERCH_NETWORK',
    'is required when PERCH_NETWORK is mastodon: the address of one server',
  );
  return faults;
}

/** Every fault of the environment at once; the message is ready to print. The process exits with 2. */
export class ConfigError extends Error {
  readonly faults: readonly ConfigFault[];

  constructor(faults: readonly ConfigFault[]) {
    const lines = faults.map(({ name, message }) => `  ${name} ${message}`);
    super(`Invalid configuration:\n${lines.join('\n')}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/** Known variables that only the tests read. */
const OTHERS_NAMES: ReadonlySet<string> = new Set(['PERCH_CORPUS']);

/** An unknown variable that looks like one of Perch's is usually a typo. */
function unknownNames(env: Environment): string[] {
  const known: ReadonlySet<string> = new Set([...SETTING_NAMES, ...OTHERS_NAMES]);
  const unknown = Object.keys(env).filter(
    (name) => name.startsWith('PERCH_') && !known.has(name) && readVariable(env, name),
  );
  return unknown.sort().map((name) => `${name} is set, but Perch has no such variable. Is it misspelled?`);
}

const lifetimesConfig = (values: Values): Lifetimes => ({
  profileMs: values.PERCH_TTL_PROFILE_S * 1000,
  tweetMs: values.PERCH_TTL_TWEET_S * 1000,
  firstPageMs: values.PERCH_TTL_FIRST_PAGE_S * 1000,
  deeperPageMs: values.PERCH_TTL_DEEPER_PAGE_S * 1000,
  followersMs: values.PERCH_TTL_FOLLOWERS_S * 1000,
  absentMs: values.PERCH_TTL_ABSENT_S * 1000,
});

const networksConfig = (values: Values) => ({
  bluesky: {
    baseUrl: values.BLUESKY_BASE_URL ?? null,
    serviceUrl: values.BLUESKY_SERVICE_URL,
    directoryUrl: values.BLUESKY_DIRECTORY_URL,
    identifier: values.BLUESKY_IDENTIFIER ?? null,
    appPassword: values.BLUESKY_APP_PASSWORD ?? null,
    jetstreamUrl: values.BLUESKY_JETSTREAM_URL ?? null,
  },
  x: {
    baseUrl: values.X_BASE_URL,
    bearerTokens: values.X_BEARER_TOKENS ?? [],
    search: values.X_SEARCH,
    vocabulary: values.X_VOCABULARY,
  },
  mastodon: {
    baseUrl: values.MASTODON_BASE_URL ?? null,
    tokens: values.MASTODON_TOKENS ?? [],
    streamingUrl: values.MASTODON_STREAMING_URL ?? null,
  },
});

function tracesConfig(values: Values): { url: string; serviceName: string } | null {
  const base = values.OTEL_EXPORTER_OTLP_ENDPOINT;
  const url = values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base === undefined ? undefined : `${base}/v1/traces`);
  return url === undefined ? null : { url, serviceName: values.OTEL_SERVICE_NAME };
}

export interface ConfigInput {
  readonly env: Environment;
  /** The base of relative folders. */
  readonly cwd: string;
  /** Whether the log goes to a terminal. */
  readonly terminal: boolean;
}

const buildConfig = (values: Values, { env, cwd, terminal }: ConfigInput) => ({
  host: values.HOST,
  /** 0 picks a free one. */
  port: values.PORT,
  /** Absolute. */
  home: resolve(cwd, values.PERCH_HOME),
  /** Absolute; null: receipts of archived months cannot be read. */
  archiveFolder: values.PERCH_ARCHIVES === undefined ? null : resolve(cwd, values.PERCH_ARCHIVES),
  /** Null: the embedded server. */
  databaseUrl: values.DATABASE_URL ?? null,
  /** Null: the corpus is in the same database as everything else. */
  corpusUrl: values.CORPUS_DATABASE_URL ?? null,
  /** Null: history is read from the database that it is written to. */
  historyUrl: values.HISTORY_DATABASE_URL ?? null,
  /** The secret that pepper and cursor secret are derived from; null: both are generated and kept in `home`. */
  secret: values.PERCH_SECRET ?? null,
  /** Empty: in-process stores. */
  redisUrls: values.REDIS_URL ?? [],
  /** Load balancers whose X-Forwarded-For is trusted to name the client's address. */
  trustedProxies: values.PERCH_TRUST_PROXY ?? [],
  /** Without a trailing slash; null: derived from the listen address. */
  baseUrl: values.PERCH_BASE_URL ?? null,
  authUrl: values.PERCH_AUTH_URL ?? values.PERCH_BASE_URL ?? null,
  /** What pages say about the operator; null: not given. */
  publisher: {
    contact: values.PERCH_CONTACT ?? null,
    terms: values.PERCH_TERMS_URL ?? null,
    privacy: values.PERCH_PRIVACY_URL ?? null,
    refunds: values.PERCH_REFUNDS_URL ?? null,
  },
  /** Email addresses, in lower case, that may see the operator's pages; empty: only the demo account, on a demo. */
  operators: values.PERCH_OPERATORS ?? [],
  /** Name and address on receipts, line by line; empty: none. */
  seller: values.PERCH_SELLER ?? [],
  network: values.PERCH_NETWORK,
  /** Whether an empty database becomes a demo; never if a real network is read. */
  demo:
    values.PERCH_DEMO !== 'off' &&
    values.DATABASE_URL === undefined &&
    values.CORPUS_DATABASE_URL === undefined &&
    values.PERCH_NETWORK === 'corpus',
  networks: networksConfig(values),
  /** Upstream calls per second; null: the network's default pace. */
  pace: { fast: values.PERCH_PACE_FAST ?? null, slow: values.PERCH_PACE_SLOW ?? null },
  /** Without a secret key, checkout answers `billing_disabled`. */
  stripe: {
    secretKey: values.STRIPE_SECRET_KEY ?? null,
    webhookSecret: values.STRIPE_WEBHOOK_SECRET ?? null,
    baseUrl: values.STRIPE_BASE_URL ?? null,
  },
  /** Without an address, links are printed to the log. */
  mail: { smtpUrl: values.SMTP_URL ?? null, from: values.MAIL_FROM ?? null },
  deadlineMs: values.PERCH_DEADLINE_MS,
  /** Section 9 headers; Unix milliseconds, null: not sent. */
  notice: {
    deprecationMs: values.PERCH_DEPRECATION ?? null,
    sunsetMs: values.PERCH_SUNSET ?? null,
    url: values.PERCH_DEPRECATION_URL ?? null,
  },
  log: { level: values.LOG_LEVEL, format: values.LOG_FORMAT ?? (terminal ? 'pretty' : 'json') },
  workers: values.WORKERS,
  /** How long /healthz reports shutdown before connections are refused. */
  drainMs: values.PERCH_DRAIN_MS ?? (values.DATABASE_URL === undefined ? 0 : 5000),
  /** The operator's contact, sent to the networks with every upstream call. */
  contact: values.PERCH_CONTACT ?? values.PERCH_BASE_URL ?? null,
  /** Null: no metrics. */
  metricsPort: values.PERCH_METRICS_PORT ?? null,
  /** Where traces go; null: nowhere. */
  traces: tracesConfig(values),
  cacheBytes: values.PERCH_CACHE_MB * 1024 * 1024,
  /** Limits of each process. Null `maxRssBytes`: its share of the container's limit, if there is one. */
  overload: {
    maxInFlight: values.PERCH_MAX_IN_FLIGHT,
    /** Null: as many as the process's files allow. */
    maxConnections: values.PERCH_MAX_CONNECTIONS ?? null,
    maxRssBytes: values.PERCH_MAX_RSS_MB === undefined ? null : values.PERCH_MAX_RSS_MB * 1024 * 1024,
    // The process that starts the workers needs as much memory as an idle worker.
    processes: values.WORKERS === 1 ? 1 : values.WORKERS + 1,
  },
  lifetimes: lifetimesConfig(values),
  /** The default budget of one operation (G8). */
  maxOperationThousandths: values.PERCH_MAX_OPERATION_CREDITS,
  /** The credits of a new account (M27). */
  startingThousandths: values.PERCH_STARTING_CREDITS ?? (env.NODE_ENV === 'development' ? 1_000_000 : 0),
});

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

export type Config = DeepReadonly<ReturnType<typeof buildConfig>> & {
  /** Sentences to log at start: problems that need not stop the service. */
  readonly warnings: readonly string[];
};

function deepFreeze<T extends object>(thing: T): T {
  for (const part of Object.values(thing)) if (typeof part === 'object' && part !== null) deepFreeze(part);
  return Object.freeze(thing);
}

/** Combinations of settings that work, but probably not as the operator expects. */
function halfSet({ STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET }: Values): string[] {
  if (STRIPE_SECRET_KEY === undefined || STRIPE_WEBHOOK_SECRET !== undefined) return [];
  return ['STRIPE_SECRET_KEY is set without STRIPE_WEBHOOK_SECRET: refunds and disputes will go unnoticed.'];
}

/** Links in the log of a public service let anyone who reads it sign in as any user who asks for a link. */
function linksInLog({ PERCH_AUTH_URL, PERCH_BASE_URL, SMTP_URL }: Values): string[] {
  if (SMTP_URL !== undefined || !(PERCH_AUTH_URL ?? PERCH_BASE_URL)?.startsWith('https:')) return [];
  return [
    'SMTP_URL is not set: working sign-in links are written to the log, and anyone who can read it can sign in with them.',
  ];
}

/** The environment as typed, frozen configuration. Throws one ConfigError that lists every fault. */
export function readConfig(input: ConfigInput): Config {
  const { values, faults } = readSettings(input.env);
  const all = [...faults, ...crossChecks(values, new Set(faults.map(({ name }) => name)))];
  if (all.length > 0) throw new ConfigError(all);
  return deepFreeze({
    ...buildConfig(values, input),
    warnings: [...unknownNames(input.env), ...halfSet(values), ...linksInLog(values)],
  });
}
