import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../src/config/config.js';
import { describeConfig } from '../src/config/describe.js';
import { SETTING_NAMES } from '../src/config/read-settings.js';
import { DEFAULT_LIFETIMES } from '../src/read/lifetimes.js';

type Env = Record<string, string>;
const read = (env: Env = {}) => readConfig({ env, cwd: '/srv/perch', terminal: false });

function faults(env: Env): ConfigError {
  try {
    read(env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('nothing was found wrong');
}
const faultyNames = (env: Env) => faults(env).faults.map(({ name }) => name);

describe('an empty environment', () => {
  it('gives the documented defaults', () => {
    expect(read()).toMatchObject({
      host: '127.0.0.1',
      port: 4000,
      home: '/srv/perch/.perch',
      databaseUrl: null,
      redisUrls: [],
      baseUrl: null,
      authUrl: null,
      network: 'corpus',
      demo: true,
      networks: {
        bluesky: {
          baseUrl: null,
          serviceUrl: 'https://bsky.social',
          directoryUrl: 'https://plc.directory',
          identifier: null,
          appPassword: null,
        },
        x: { baseUrl: 'https://api.x.com', bearerTokens: [], search: 'recent', vocabulary: 'tweet' },
        mastodon: { baseUrl: null, tokens: [] },
      },
      pace: { fast: null, slow: null },
      stripe: { secretKey: null },
      mail: { smtpUrl: null },
      deadlineMs: 30_000,
      notice: { deprecationMs: null, sunsetMs: null, url: null },
      log: { level: 'info', format: 'json' },
      workers: 1,
      secret: null,
      drainMs: 0,
      metricsPort: null,
      cacheBytes: 256 * 1024 * 1024,
      maxOperationThousandths: 1_000_000,
      startingThousandths: 0,
      warnings: [],
    });
  });

  it('holds things for as long as M11 and M24 say', () => {
    expect(read().lifetimes).toEqual(DEFAULT_LIFETIMES);
  });

  it('logs prettily on a terminal only', () => {
    expect(readConfig({ env: {}, cwd: '/', terminal: true }).log.format).toBe('pretty');
    expect(readConfig({ env: { LOG_FORMAT: 'json' }, cwd: '/', terminal: true }).log.format).toBe('json');
  });

  it('is what empty and blank variables amount to', () => {
    const blank = Object.fromEntries(SETTING_NAMES.map((name, index) => [name, ' '.repeat(index % 3)]));
    expect(read(blank)).toEqual(read());
  });
});

describe('a variable', () => {
  it.each<[string, Env, object]>([
    ['PORT 0 picks a free port', { PORT: '0' }, { port: 0 }],
    [
      'a base address loses its last slash',
      { PERCH_BASE_URL: 'https://api.example/perch/' },
      { baseUrl: 'https://api.example/perch' },
    ],
    [
      'the auth address follows the base address',
      { PERCH_BASE_URL: 'https://a.example' },
      { authUrl: 'https://a.example' },
    ],
    ['a database of one’s own has no demo', { DATABASE_URL: 'postgres://u:p@h1/db' }, { demo: false }],
    [
      'several hosts of a database, and which of them is meant',
      { DATABASE_URL: 'postgres://u:p@h1:1,h2:2/db?target_session_attrs=primary' },
      { databaseUrl: 'postgres://u:p@h1:1,h2:2/db?target_session_attrs=primary' },
    ],
    [
      'one host of a database that must be the primary',
      { DATABASE_URL: 'postgres://h1/db?prepare=false&target_session_attrs=primary' },
      { databaseUrl: 'postgres://h1/db?prepare=false&target_session_attrs=primary' },
    ],
    ['a live network has no demo', { PERCH_NETWORK: 'bluesky' }, { demo: false }],
    ['the demo can be switched off', { PERCH_DEMO: 'off' }, { demo: false }],
    ['several Redis nodes', { REDIS_URL: 'redis://a:1, rediss://b:2' }, { redisUrls: ['redis://a:1', 'rediss://b:2'] }],
    ['tokens once each', { X_BEARER_TOKENS: 'a,b,,a' }, { networks: { x: { bearerTokens: ['a', 'b'] } } }],
    ['a pace below one', { PERCH_PACE_SLOW: '0.5' }, { pace: { fast: null, slow: 0.5 } }],
    ['an absolute home', { PERCH_HOME: '/data' }, { home: '/data' }],
    ['credits to the thousandth', { PERCH_MAX_OPERATION_CREDITS: '0.125' }, { maxOperationThousandths: 125 }],
    ['starting credits (M27)', { PERCH_STARTING_CREDITS: '2.5' }, { startingThousandths: 2500 }],
    ['starting credits of development (M27)', { NODE_ENV: 'development' }, { startingThousandths: 1_000_000 }],
    ['a lifetime of nothing', { PERCH_TTL_PROFILE_S: '0' }, { lifetimes: { profileMs: 0 } }],
    ['workers with Redis', { WORKERS: '4', REDIS_URL: 'redis://a' }, { workers: 4 }],
    ['a shared secret', { PERCH_SECRET: 's'.repeat(32) }, { secret: 's'.repeat(32) }],
    [
      'replicas of the corpus, whose data is no demo',
      { CORPUS_DATABASE_URL: 'postgres://h1,h2/db?target_session_attrs=prefer-standby' },
      { corpusUrl: 'postgres://h1,h2/db?target_session_attrs=prefer-standby', demo: false },
    ],
    ['a drain for a balancer, where there may be one', { DATABASE_URL: 'postgres://h/db' }, { drainMs: 5000 }],
    ['a drain as asked for', { DATABASE_URL: 'postgres://h/db', PERCH_DRAIN_MS: '0' }, { drainMs: 0 }],
    ['a drain with the embedded database', { PERCH_DRAIN_MS: '60000' }, { drainMs: 60_000 }],
    ['a named sender', { MAIL_FROM: 'Perch <perch@example.org>' }, { mail: { from: 'Perch <perch@example.org>' } }],
    [
      'a seller, line by line',
      { PERCH_SELLER: 'Perch Ltd | 1 Quay Street|Bristol' },
      { seller: ['Perch Ltd', '1 Quay Street', 'Bristol'] },
    ],
    ['another network', { PERCH_NETWORK: 'bluesky' }, { network: 'bluesky' }],
    [
      'a date is its midnight, a date-time its moment (section 9)',
      {
        PERCH_DEPRECATION: '2027-01-31',
        PERCH_SUNSET: '2028-02-01T01:00:00+01:00',
        PERCH_DEPRECATION_URL: 'https://perch.example/v2',
      },
      { notice: { deprecationMs: Date.UTC(2027, 0, 31), sunsetMs: Date.UTC(2028, 1, 1) } },
    ],
  ])('%s', (_what, env, expected) => {
    expect(read(env)).toMatchObject(expected);
  });

  it.each([
    ['PORT', ['http', '-1', '65536', '80.5', '1e3']],
    ['HOST', ['two words']],
    ['DATABASE_URL', ['mysql://h/db', 'h/db']],
    ['REDIS_URL', ['http://h', 'redis://a,h:1', ',']],
    ['PERCH_BASE_URL', ['example.org', 'ftp://h', 'https://h/?a=b', 'https://h/#x', 'https://u:p@h']],
    ['PERCH_NETWORK', ['twitter', 'X']],
    ['PERCH_DEMO', ['on', 'false']],
    ['PERCH_PACE_FAST', ['0', '-1', 'fast', '1e3']],
    ['PERCH_DEADLINE_MS', ['0', '30s']],
    ['PERCH_DEPRECATION', ['2027', '2027-02-30', 'Sun, 31 Jan 2027 00:00:00 GMT', '2027-01-31T12:00:00']],
    ['PERCH_DEPRECATION_URL', ['what-changed', 'https://h/\nX-Evil: 1', 'https://h/>']],
    ['SMTP_URL', ['mail.example', 'http://mail.example']],
    ['MAIL_FROM', ['Perch', 'a@b, c@d']],
    ['LOG_LEVEL', ['verbose']],
    ['LOG_FORMAT', ['text']],
    ['WORKERS', ['0', 'auto']],
    ['PERCH_SECRET', ['short', 's'.repeat(31)]],
    ['PERCH_DRAIN_MS', ['-1', '5s', '60001']],
    ['PERCH_CACHE_MB', ['0', '1.5']],
    ['PERCH_TTL_TWEET_S', ['15m', '86401']],
    ['PERCH_MAX_OPERATION_CREDITS', ['-1', '0.0001', 'all']],
    ['X_SEARCH', ['all']],
    ['X_BEARER_TOKENS', ['a b', ',,', '“a”']],
    ['PERCH_CONTACT', ['Zoë, zoe@perch.example', 'https://東京.example', 'help@perch.example\nX-Evil: 1']],
    ['PERCH_TRUST_PROXY', ['10.0.0.0/255.0.0.0', '10.0.0.0/33', 'balancer']],
    ['PERCH_METRICS_PORT', ['0']],
  ])('%s is refused by name when it is one of %j, with what is right', (name, texts) => {
    for (const text of texts) {
      const { faults: found, message } = faults({ [name]: text });
      expect(found.map((fault) => fault.name)).toEqual([name]);
      expect(message).toContain(`${name} must be `);
    }
  });
});

describe('the whole environment', () => {
  it('has all its faults reported at once', () => {
    const error = faults({
      PORT: 'x',
      LOG_LEVEL: 'loud',
      WORKERS: '2',
      STRIPE_WEBHOOK_SECRET: 's',
      BLUESKY_IDENTIFIER: 'a',
    });
    expect(error.faults.map(({ name }) => name)).toEqual([
      'PORT',
      'LOG_LEVEL',
      'WORKERS',
      'BLUESKY_IDENTIFIER',
      'STRIPE_WEBHOOK_SECRET',
    ]);
    expect(error.message.split('\n')).toHaveLength(6);
    expect(error.message).toContain('not "loud"');
  });

  it.each<[string, Env, string[]]>([
    ['several processes need Redis', { WORKERS: '2' }, ['WORKERS']],
    ['a sunset needs the other two headers', { PERCH_SUNSET: '2028-01-01' }, ['PERCH_SUNSET', 'PERCH_SUNSET']],
    [
      'a deprecation needs the other two headers (section 9.3)',
      { PERCH_DEPRECATION: '2028-01-01' },
      ['PERCH_DEPRECATION', 'PERCH_DEPRECATION'],
    ],
    [
      'a page about the move needs both dates',
      { PERCH_DEPRECATION_URL: 'https://perch.example/v2' },
      ['PERCH_DEPRECATION_URL', 'PERCH_DEPRECATION_URL'],
    ],
    [
      'a sunset comes after the deprecation',
      {
        PERCH_DEPRECATION: '2028-01-01',
        PERCH_SUNSET: '2027-01-01',
        PERCH_DEPRECATION_URL: 'https://perch.example/v2',
      },
      ['PERCH_SUNSET'],
    ],
    ['an account needs its password', { BLUESKY_APP_PASSWORD: 'p' }, ['BLUESKY_APP_PASSWORD']],
    ['webhooks need a key', { STRIPE_WEBHOOK_SECRET: 's' }, ['STRIPE_WEBHOOK_SECRET']],
    [
      'card payments cannot be enabled with X',
      { PERCH_NETWORK: 'x', STRIPE_SECRET_KEY: 'sk_test_x', STRIPE_WEBHOOK_SECRET: 'w' },
      ['STRIPE_SECRET_KEY'],
    ],
    ['Mastodon is one server, which must be named', { PERCH_NETWORK: 'mastodon' }, ['MASTODON_BASE_URL']],
    ['a faulty variable is blamed once', { WORKERS: '2', REDIS_URL: 'h:1' }, ['REDIS_URL']],
    ['and not for another', { WORKERS: '2', REDIS_URL: 'h:1', PORT: 'x' }, ['PORT', 'REDIS_URL']],
  ])('%s', (_what, env, names) => {
    expect(faultyNames(env)).toEqual(names);
  });

  it.each([
    ['several hosts without a word on which is meant', 'h1,h2/db', /ends? with \?target_session_attrs=primary/],
    [
      'a target that the driver cannot tell from a standby',
      'h/db?target_session_attrs=read-write',
      /instead of read-write/,
    ],
    ['a target that takes no writes', 'h1,h2/db?target_session_attrs=prefer-standby', /not "prefer-standby"/],
    ['two targets', 'h/db?target_session_attrs=primary&target_session_attrs=any', /not "any"/],
    ['a comma without a host', 'u:p@h1,/db?target_session_attrs=primary', /before and after each comma/],
    ['IPv6 addresses, which the driver cannot tell apart', '[::1],[::2]/db?target_session_attrs=primary', /IPv6/],
    ['a port for one host, which would count for all', 'h1:6432,h2/db?target_session_attrs=primary', /or of none/],
  ])('refuses a database address with %s', (_what, rest, says) => {
    const { faults: found, message } = faults({ DATABASE_URL: `postgres://${rest}` });
    expect(found.map(({ name }) => name)).toEqual(['DATABASE_URL']);
    expect(message).toMatch(says);
  });

  it.each([
    ['CORPUS_DATABASE_URL', 'h1,h2/db', /ends? with \?target_session_attrs=prefer-standby, which finds its replicas/],
    ['CORPUS_DATABASE_URL', 'h1,h2/db?target_session_attrs=read-write', /=prefer-standby or primary, not "read-write"/],
    ['HISTORY_DATABASE_URL', 'h1,h2/db', /ends? with \?target_session_attrs=prefer-standby, which finds the replicas/],
    ['HISTORY_DATABASE_URL', 'h1/db?target_session_attrs=primary', /not "primary": the primary is at DATABASE_URL/],
  ])('refuses %s=%s', (name, rest, says) => {
    const { faults: found, message } = faults({ DATABASE_URL: 'postgres://h/db', [name]: `postgres://${rest}` });
    expect(found.map((fault) => fault.name)).toEqual([name]);
    expect(message).toMatch(says);
  });

  it('refuses a replica of the embedded server, which has none', () => {
    const { message } = faults({ HISTORY_DATABASE_URL: 'postgres://h/db' });
    expect(message).toContain('HISTORY_DATABASE_URL also needs DATABASE_URL');
  });

  it('warns of a PERCH_ variable that does not exist, and of no other’s', () => {
    const { warnings } = read({ PERCH_PACE_FASTT: '3', PERCH_CORPUS: '/data', PATH: '/bin', PERCH_EMPTY: '' });
    expect(warnings).toEqual([expect.stringContaining('PERCH_PACE_FASTT')]);
  });

  it('warns of checkout without its events: refunds and disputes would go unnoticed', () => {
    const sold = { STRIPE_SECRET_KEY: 'sk_test_x' };
    expect(read(sold).warnings).toEqual([expect.stringContaining('STRIPE_WEBHOOK_SECRET')]);
    expect(read({ ...sold, STRIPE_WEBHOOK_SECRET: 'whsec_x' }).warnings).toEqual([]);
  });

  it('is frozen all through', () => {
    const config = read({ X_BEARER_TOKENS: 'a' });
    for (const part of [config, config.networks, config.networks.x, config.networks.x.bearerTokens, config.lifetimes]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it('becomes a configuration or a list of faults, whatever stands in it', () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.webUrl(), fc.double().map(String));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...SETTING_NAMES), text, { maxKeys: 8 }), (env) => {
        try {
          read(env);
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
        }
      }),
    );
  });
});

describe('the configuration as shown', () => {
  const env = {
    PORT: '4001',
    DATABASE_URL: 'postgres://perch:p@ss/w,rd@db.example:5432/perch?password=q',
    REDIS_URL: 'redis://:hush@a.example:1,redis://b.example:2',
    STRIPE_SECRET_KEY: 'sk_live_hush',
    PERCH_SECRET: 'hush'.repeat(8),
    X_BEARER_TOKENS: 'hush,hush2',
    SMTP_URL: 'smtps://me:hush@mail.example',
  };
  const shown = (name: string) => describeConfig(env).find((line) => line.name === name);

  it('is every variable with what holds for it', () => {
    expect(describeConfig(env).map(({ name }) => name)).toEqual(SETTING_NAMES);
    expect(shown('PORT')).toMatchObject({ isSet: true, value: '4001' });
    expect(shown('HOST')).toMatchObject({ isSet: false, value: '127.0.0.1' });
    expect(shown('SMTP_URL')?.value).toBe('smtps://…@mail.example');
    expect(shown('DATABASE_URL')?.value).toBe('postgres://…@db.example:5432/perch');
    expect(shown('REDIS_URL')?.value).toBe('redis://…@a.example:1,redis://b.example:2');
  });

  it('reveals no secret, valid or not', () => {
    expect(JSON.stringify(describeConfig(env))).not.toMatch(/hush|p@ss|w,rd|=q/);
    const wrong = {
      DATABASE_URL: 'perch:hush@db.example/perch',
      REDIS_URL: 'tcp://:hush@a',
      STRIPE_SECRET_KEY: 'sk hush',
      PERCH_BASE_URL: 'https://u:hush@h',
    };
    expect(faults(wrong).faults).toHaveLength(4);
    expect(faults(wrong).message).not.toContain('hush');
  });
});
