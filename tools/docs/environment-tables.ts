import { SETTINGS, type SettingName } from '../../src/config/settings.js';
import { tableText } from './parts.js';

/** The settings by subject, in the order of the page. Meanings, values and defaults come from their rows. */
const SUBJECTS = {
  Server: ['PORT', 'HOST', 'PERCH_BASE_URL', 'PERCH_AUTH_URL', 'PERCH_TRUST_PROXY', 'WORKERS', 'PERCH_DRAIN_MS'],
  'Storage and secrets': [
    'PERCH_HOME',
    'PERCH_ARCHIVES',
    'DATABASE_URL',
    'CORPUS_DATABASE_URL',
    'HISTORY_DATABASE_URL',
    'REDIS_URL',
    'PERCH_SECRET',
    'PERCH_DEMO',
  ],
  Network: [
    'PERCH_NETWORK',
    'BLUESKY_BASE_URL',
    'BLUESKY_SERVICE_URL',
    'BLUESKY_DIRECTORY_URL',
    'BLUESKY_IDENTIFIER',
    'BLUESKY_APP_PASSWORD',
    'BLUESKY_JETSTREAM_URL',
    'X_BASE_URL',
    'X_BEARER_TOKENS',
    'X_SEARCH',
    'X_VOCABULARY',
    'X_AGREEMENT',
    'MASTODON_BASE_URL',
    'MASTODON_TOKENS',
    'MASTODON_STREAMING_URL',
  ],
  'Reading and caching': [
    'PERCH_PACE_FAST',
    'PERCH_PACE_SLOW',
    'PERCH_DEADLINE_MS',
    'PERCH_CACHE_MB',
    'PERCH_TTL_PROFILE_S',
    'PERCH_TTL_TWEET_S',
    'PERCH_TTL_FIRST_PAGE_S',
    'PERCH_TTL_DEEPER_PAGE_S',
    'PERCH_TTL_FOLLOWERS_S',
    'PERCH_TTL_ABSENT_S',
  ],
  Limits: ['PERCH_MAX_IN_FLIGHT', 'PERCH_MAX_CONNECTIONS', 'PERCH_MAX_RSS_MB', 'PERCH_MAX_OPERATION_CREDITS'],
  'Credits, payments and mail': [
    'PERCH_CONTACT',
    'PERCH_TERMS_URL',
    'PERCH_PRIVACY_URL',
    'PERCH_REFUNDS_URL',
    'PERCH_OPERATORS',
    'PERCH_SELLER',
    'PERCH_STARTING_CREDITS',
    'STRIPE_SECRET_KEY',
    'STRIPE_WEBHOOK_SECRET',
    'STRIPE_BASE_URL',
    'SMTP_URL',
    'MAIL_FROM',
  ],
  'Logs, metrics and traces': [
    'LOG_LEVEL',
    'LOG_FORMAT',
    'PERCH_METRICS_PORT',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    'OTEL_EXPORTER_OTLP_HEADERS',
    'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
    'OTEL_SERVICE_NAME',
    'OTEL_TRACES_SAMPLER',
    'OTEL_TRACES_SAMPLER_ARG',
  ],
  'Announcing the end of a version': ['PERCH_DEPRECATION', 'PERCH_SUNSET', 'PERCH_DEPRECATION_URL'],
} as const satisfies Readonly<Record<string, readonly SettingName[]>>;

/** The tables of docs/environment.md. Throws for a setting without a subject. */
export function environmentTables(): string {
  const placed: ReadonlySet<string> = new Set(Object.values(SUBJECTS).flat());
  const missing = Object.keys(SETTINGS).filter((name) => !placed.has(name));
  if (missing.length > 0) throw new RangeError(`Settings without a subject in this file: ${missing.join(', ')}`);
  const sections = Object.entries(SUBJECTS).map(([subject, names]) => {
    const rows = names.map((name) => {
      const { meaning, right, unset } = SETTINGS[name];
      return [`\`${name}\``, meaning, right, unset];
    });
    return `## ${subject}\n\n${tableText(['Variable', 'Meaning', 'Value', 'Default'], rows)}`;
  });
  return sections.join('\n\n');
}
