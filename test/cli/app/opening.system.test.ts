/** A start that fails at any step leaves nothing open, and neither does a closed service. */

import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../../../adapters/cli/workers/free-port.js';
import { compose } from '../../../app/compose.js';
import { type Closing, Lifecycle } from '../../../app/lifecycle.js';
import { openStores } from '../../../app/stores.js';
import { readConfig } from '../../../src/config/config.js';
import type { Network } from '../../../src/ports/network.js';
import { createScriptedNetwork } from '../../kit/networks/scripted-network.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';
import { describeOnRedis } from '../../kit/redis/redis.js';
import { until } from '../../kit/time/until.js';
import { type Collector, startCollector } from '../../ops/observing/collector.js';
import { openHome, removeHome } from '../../postgres/embedded/home.js';
import { serverOf } from '../../postgres/embedded/launcher-support.js';

/** Every step of a start with everything configured, in order. A new step needs a row here, which tests it. */
const STEPS = [
  'secrets',
  'perch',
  'migrations',
  'pepper',
  'perch look-ups',
  'perch settling',
  'perch corpus',
  'perch history',
  'search index',
  'network',
  'look for the demo',
  'traces',
  'server',
  'sign-in by mail',
  "clients' documents",
  'notices, alerts and webhooks',
  'poll of open checkouts',
  'sweep of what is over',
  'maintenance of the ledger',
  'sums of costs',
  'announcements of the network',
  'tombstones',
  'changes of keys',
  'watches',
  'history of the status',
  "network's own check",
  'sums of requests',
  'logs of requests',
  'end of old requests',
  'metrics',
  'port of the metrics',
  'interfaces',
  'pages for customers',
  'listening',
];

/** The steps that leave something open. */
const LEFT_OPEN = STEPS.filter(
  (name) =>
    !/^(?:secrets|migrations|pepper|look for the demo|port of the metrics|interfaces|pages for customers)$/.test(name),
);

/** Steps that are closed at the same time, in any order. */
const GROUPS: readonly (readonly string[])[] = [
  STEPS.filter((name) => /^perch/.test(name)),
  STEPS.slice(STEPS.indexOf('sign-in by mail'), STEPS.indexOf('maintenance of the ledger') + 1),
];

/** The names with those of each group sorted. */
function grouped(names: readonly string[]): string[] {
  const sorted = [...names];
  for (const group of GROUPS) {
    const own = names.filter((name) => group.includes(name));
    const first = names.findIndex((name) => group.includes(name));
    if (first >= 0) sorted.splice(first, own.length, ...own.sort());
  }
  return sorted;
}

/** Fails at one step, and records what is opened and closed. */
class Watched extends Lifecycle {
  readonly steps: string[] = [];
  readonly opened: string[] = [];
  readonly closed: string[] = [];
  readonly #failing: string | undefined;

  constructor(failing?: string) {
    super();
    this.#failing = failing;
  }

  override async open<T>(
    name: string,
    open: () => T | PromiseLike<T>,
    close?: (part: T) => unknown,
    closing?: Closing,
  ): Promise<T> {
    if (name === this.#failing) return super.open<T>(name, () => Promise.reject(new Error(`no ${name}`)));
    const noting = async (part: T): Promise<void> => {
      await close?.(part);
      this.closed.push(name);
    };
    const part = await super.open(name, open, close && noting, closing);
    this.steps.push(name);
    if (close) this.opened.push(name);
    return part;
  }
}

let database: FreshDatabase;
let collector: Collector;
let env: Record<string, string>;
beforeAll(async () => {
  database = await freshDatabase({ max: 1 });
  // Opens the test's own connection before anything is counted.
  await database.sql`select 1`;
  collector = await startCollector();
});
afterAll(async () => {
  await collector.close();
  await database.drop();
});
beforeEach(async () => {
  env = {
    PORT: String(await freePort('127.0.0.1')),
    PERCH_METRICS_PORT: String(await freePort('127.0.0.1')),
    PERCH_DEMO: 'off',
    PERCH_SECRET: 's'.repeat(32),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'perch@example.org',
    STRIPE_SECRET_KEY: 'sk_test_none',
    STRIPE_WEBHOOK_SECRET: 'whsec_none',
    STRIPE_BASE_URL: 'http://127.0.0.1:1',
  };
});

/** Named corpus, because only the corpus can be the demo. Its self-check runs until it is aborted. */
const network: Network = {
  ...createScriptedNetwork().network,
  name: 'corpus',
  selfCheck: ({ signal }) =>
    new Promise((resolve) => {
      const held = setInterval(() => {}, 1000);
      signal.addEventListener('abort', () => {
        clearInterval(held);
        resolve({ ok: false, findings: [] });
      });
    }),
};

async function start(lifecycle: Lifecycle): Promise<string> {
  const config = readConfig({ env, cwd: '/', terminal: false });
  const log = pino({ level: 'silent' });
  const demoKey = `perch_live_${'0'.repeat(32)}`;
  return lifecycle.start(async () => {
    const stores = await openStores(lifecycle, config, { database: database.target });
    return (await compose(lifecycle, config, stores, { log, network, demoKey })).url;
  });
}

/** What keeps this process alive: sockets, servers, timers and so on, counted by type. */
function resources(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) counts[name] = (counts[name] ?? 0) + 1;
  // Short-lived resources of the test itself.
  for (const passing of ['Immediate', 'FSReqPromise', 'CloseReq']) delete counts[passing];
  return counts;
}

let before: Record<string, number>;
beforeEach(() => {
  before = resources();
});

/** Connections of the service to the database: all except the test's own. */
async function connections(): Promise<string[]> {
  const rows = await database.sql<{ name: string }[]>`
    select application_name as name from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`;
  return rows.map(({ name }) => name);
}

async function expectNothingLeft(): Promise<void> {
  await until('the database has no connection of it', async () => (await connections()).length === 0);
  const left = () => Object.entries(resources()).filter(([name, count]) => count > (before[name] ?? 0));
  await until('nothing is left', () => left().length === 0).catch(() => expect(left()).toEqual([]));
  for (const port of [env.PORT, env.PERCH_METRICS_PORT]) {
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
  }
}

describe('a start', () => {
  test.each(STEPS)('that fails at "%s" closes what was opened before, in reverse order', async (failing) => {
    const lifecycle = new Watched(failing);
    await expect(start(lifecycle)).rejects.toThrow(`no ${failing}`);
    expect(lifecycle.steps).toEqual(STEPS.slice(0, STEPS.indexOf(failing)));
    expect(lifecycle.opened).toEqual(LEFT_OPEN.filter((name) => STEPS.indexOf(name) < STEPS.indexOf(failing)));
    expect(grouped(lifecycle.closed)).toEqual(grouped(lifecycle.opened.toReversed()));
    await expectNothingLeft();
  });

  describe('with a real fault', () => {
    let taken: ReturnType<typeof createServer> | undefined;
    afterEach(async () => {
      taken?.close();
      taken = undefined;
      await database.sql`delete from installation`;
    });

    /** Takes the port with another server. */
    const take = (port: string | undefined): Promise<void> =>
      new Promise((resolve) => {
        taken = createServer().listen(Number(port), '127.0.0.1', resolve);
      });

    test.each<[string, RegExp, () => Promise<void>]>([
      ['its port is taken', /EADDRINUSE/, () => take(env.PORT)],
      ['the port of its metrics is taken', /PERCH_METRICS_PORT/, () => take(env.PERCH_METRICS_PORT)],
      [
        'the database has the keys of other secrets',
        /PERCH_SECRET to the same value/,
        async () => {
          await database.sql`insert into installation (pepper_fingerprint) values (${randomBytes(32)})`;
        },
      ],
    ])('leaves nothing behind: %s', async (_name, says, spoil) => {
      const first = new Lifecycle();
      await start(first);
      await first.close();
      await spoil();
      before = resources();
      const lifecycle = new Watched();
      await expect(start(lifecycle)).rejects.toThrow(says);
      expect(grouped(lifecycle.closed)).toEqual(grouped(lifecycle.opened.toReversed()));
      await new Promise((resolve) => taken?.close(resolve) ?? resolve(undefined));
      await expectNothingLeft();
    });
  });
});

test('that succeeds leaves nothing behind once the service is closed, whatever it has done', async () => {
  const lifecycle = new Watched();
  const url = await start(lifecycle);
  expect(lifecycle.steps).toEqual(STEPS);
  for (const path of ['/status', '/v1/me', '/', '/sign-in', '/openapi.yaml']) {
    await (await fetch(url + path, { headers: { connection: 'close' } })).text();
  }
  expect((await connections()).length).toBeGreaterThan(0);
  await Promise.all([lifecycle.close(), lifecycle.close()]);
  expect(grouped(lifecycle.closed)).toEqual(grouped(LEFT_OPEN.toReversed()));
  await expectNothingLeft();
});

describe('with the embedded database', () => {
  let home: string;
  beforeAll(async () => {
    home = await openHome();
  });
  afterAll(() => removeHome(home));

  test.each(['perch', 'pepper', 'network', 'listening'])('stops it when a start fails at "%s"', async (failing) => {
    env = { ...env, PERCH_HOME: home };
    const config = readConfig({ env, cwd: '/', terminal: false });
    const lifecycle = new Watched(failing);
    const starting = lifecycle.start(async () => {
      const stores = await openStores(lifecycle, config);
      await compose(lifecycle, config, stores, { log: pino({ level: 'silent' }), network });
    });
    await expect(starting).rejects.toThrow(`no ${failing}`);
    expect(lifecycle.opened[0]).toBe('embedded database');
    expect(grouped(lifecycle.closed)).toEqual(grouped(lifecycle.opened.toReversed()));
    await expect(serverOf(home)).rejects.toThrow('postmaster.pid');
    await expectNothingLeft();
  });
});

describeOnRedis('with a Redis', (redis) => {
  test.each(['network', 'tombstones', 'listening'])('disconnects when a start fails at "%s"', async (failing) => {
    env = { ...env, REDIS_URL: redis().urls.join() };
    const lifecycle = new Watched(failing);
    await expect(start(lifecycle)).rejects.toThrow(`no ${failing}`);
    expect(lifecycle.steps).toContain('Redis');
    expect(grouped(lifecycle.closed)).toEqual(grouped(lifecycle.opened.toReversed()));
    await expectNothingLeft();
    await until('Redis has no client but the one that asks', async () => {
      const [clients] = await redis().send('CLIENT', 'LIST');
      return String(clients).trim().split('\n').length === 1;
    });
  });
});
