import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe } from 'vitest';
import { createMemoryCache } from '../../../adapters/memory/cache.js';
import { createMemoryPace, createMemorySingleFlight } from '../../../adapters/memory/pace.js';
import { createMemoryRateLimiter } from '../../../adapters/memory/rate-limiter.js';
import type { LinkOptions, RedisLink } from '../../../adapters/redis/link.js';
import type { Clock } from '../../../src/ports/clock.js';
import { until } from '../time/until.js';

const SERVERS = ['redis-server', 'valkey-server'];
const SLOTS = 16_384;

const findServer = (): string | undefined =>
  SERVERS.find((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);

const redisAvailable = (): boolean => findServer() !== undefined;

const quiet = { info: () => undefined, warn: () => undefined };

/** For exact results: a busy machine must not look like an outage. */
export const patient = {
  log: quiet,
  clock: { now: Date.now },
  deadlineMs: 10_000,
} satisfies LinkOptions;

/** What is read. */
export const source = 'network';

/** A link that loses every message. */
export const deaf = (link: RedisLink): RedisLink => ({
  time: link.time,
  run: (operation, fallback) => link.run(operation, fallback),
  state: () => link.state(),
  onChange: (listener) => link.onChange(listener),
  subscribe: () => () => undefined,
  close: () => link.close(),
});

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer();
  const free = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
  await new Promise((resolve) => server.close(resolve));
  return free;
};

/** The bus of a cluster's server is on its port plus 10,000. */
const BUS = 10_000;

/** A port that is free, as is its bus: both below the ports for outgoing connections (32,768 and up). */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 10_000);
    if ((await isFree(port)) && (await isFree(port + BUS))) return port;
  }
}

/** One real server. It keeps its port when it is restarted, and remembers nothing but its place in a cluster. */
class Server {
  readonly port: number;
  readonly #folder = mkdtempSync(join(tmpdir(), 'perch-redis-'));
  readonly #args: string[];
  #child: ChildProcess | undefined;

  constructor(port: number, args: readonly string[]) {
    this.port = port;
    const own = { port, bind: '127.0.0.1', save: '', appendonly: 'no', dir: this.#folder };
    this.#args = [...Object.entries(own).flatMap(([name, value]) => [`--${name}`, `${value}`]), ...args];
  }

  async start(): Promise<void> {
    const child = spawn(findServer() ?? '', this.#args, { stdio: 'ignore' });
    this.#child = child;
    const end = () => child.kill('SIGKILL');
    process.once('exit', end);
    child.once('exit', () => process.off('exit', end));
    await until(`Redis listens on ${this.port}`, () => this.send(['PING']).catch(() => undefined));
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Sends a command over a connection of its own. */
  async send([command = '', ...args]: readonly (string | number)[]): Promise<unknown> {
    const options = { retryStrategy: () => null, maxRetriesPerRequest: 0, lazyConnect: true };
    const client = new Redis(this.port, '127.0.0.1', options).on('error', () => undefined);
    try {
      return await client.call(String(command), args);
    } finally {
      client.disconnect();
    }
  }
}

/** New stores of one process. */
export const localStores = (clock: Clock) => ({
  cache: createMemoryCache({ clock }),
  unpaid: createMemoryCache({ clock }),
  limiter: createMemoryRateLimiter({ clock }),
  pace: createMemoryPace({ clock }),
  flights: createMemorySingleFlight(),
});

export interface TestRedis {
  readonly urls: readonly string[];
  /** Empties all servers. */
  flush(): Promise<void>;
  /** Sends the command to one server. */
  sendTo(server: number, ...command: readonly (string | number)[]): Promise<unknown>;
  /** Sends the command to every server. */
  send(...command: readonly (string | number)[]): Promise<unknown[]>;
  /** Kills all servers, or this many, as a power cut does. */
  kill(servers?: number): Promise<void>;
  /** Starts the killed servers again, on the same ports and empty. */
  restart(): Promise<void>;
  /** Hangs all servers, or this many: connections stay open, and nothing is answered. */
  pause(servers?: number): void;
  resume(): void;
  remove(): Promise<void>;
}

function testRedis(servers: readonly Server[], ready: () => Promise<void>): TestRedis {
  const all = (step: (server: Server) => unknown) => Promise.all(servers.map(step));
  return {
    urls: servers.map(({ port }) => `redis://127.0.0.1:${port}`),
    sendTo: async (n, ...command) => servers[n]?.send(command),
    send: (...command) => all((server) => server.send(command)),
    flush: async () => void (await all((server) => server.send(['FLUSHALL']))),
    kill: async (count = servers.length) => {
      await Promise.all(servers.slice(0, count).map((server) => server.kill()));
    },
    async restart() {
      await all((server) => server.start());
      await ready();
    },
    pause(count = servers.length) {
      for (const server of servers.slice(0, count)) server.signal('SIGSTOP');
    },
    resume: () => void all((server) => server.signal('SIGCONT')),
    remove: async () => void (await all((server) => server.remove())),
  };
}

/** One server that is not started yet. */
export const prepareRedis = async (): Promise<TestRedis> =>
  testRedis([new Server(await freePort(), [])], async () => undefined);

async function startRedis(): Promise<TestRedis> {
  const redis = await prepareRedis();
  await redis.restart();
  return redis;
}

/** Three masters that share the slots, each with this many replicas. The masters come first. */
async function startCluster(replicas = 0): Promise<TestRedis> {
  const args = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '3000'];
  const servers = Array.from({ length: 3 * (1 + replicas) }, async () => new Server(await freePort(), args));
  const [first, ...others] = await Promise.all(servers);
  if (first === undefined) throw new Error('No server');
  const members = [first, ...others];
  const isWell = async (server: Server): Promise<boolean> => {
    const info = String(await server.send(['CLUSTER', 'INFO']));
    return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${members.length}`);
  };
  const redis = testRedis(members, () =>
    until('the cluster is well', async () => (await Promise.all(members.map(isWell))).every(Boolean)),
  );
  await Promise.all(members.map((server) => server.start()));
  const masters = members.slice(0, 3);
  const share = Math.ceil(SLOTS / masters.length);
  for (const [n, server] of masters.entries()) {
    await server.send(['CLUSTER', 'ADDSLOTSRANGE', n * share, Math.min(SLOTS, (n + 1) * share) - 1]);
    await server.send(['CLUSTER', 'SET-CONFIG-EPOCH', n + 1]);
  }
  for (const { port } of others) await first.send(['CLUSTER', 'MEET', '127.0.0.1', port]);
  await until('the cluster is well', async () => (await Promise.all(members.map(isWell))).every(Boolean));
  for (const [n, server] of members.slice(masters.length).entries()) {
    const id = await masters[n % masters.length]?.send(['CLUSTER', 'MYID']);
    await server.send(['CLUSTER', 'REPLICATE', String(id)]);
    const isReplica = async () => String(await server.send(['INFO', 'replication'])).includes('master_link_status:up');
    await until('a replica follows', isReplica);
  }
  return redis;
}

function describeWith(name: string, start: () => Promise<TestRedis>, suite: (redis: () => TestRedis) => void): void {
  const whole = () => {
    let redis: TestRedis | undefined;
    beforeAll(async () => {
      redis = await start();
    });
    afterAll(() => redis?.remove());
    suite(() => {
      if (redis === undefined) throw new Error('Redis is not started');
      return redis;
    });
  };
  // On CI a missing Redis is a failure, not a reason to leave the suite out.
  if (redisAvailable() || process.env.CI === 'true') describe(name, whole);
  else describe.skip(`${name} [left out: no redis-server or valkey-server on the PATH]`, whole);
}

/** A suite on one real server, which it may kill. Without Redis, the suite is left out and its name says why. */
export const describeOnRedis = (name: string, suite: (redis: () => TestRedis) => void): void =>
  describeWith(name, startRedis, suite);

/** The same suite on one server and on a cluster of three masters. */
export function describeOnBoth(name: string, suite: (redis: () => TestRedis) => void): void {
  describeWith(`${name}, on one server`, startRedis, suite);
  describeWith(`${name}, on a cluster`, () => startCluster(), suite);
}

/** A suite on a cluster of three masters, each with a replica. */
export const describeOnReplicatedCluster = (name: string, suite: (redis: () => TestRedis) => void): void =>
  describeWith(name, () => startCluster(1), suite);
