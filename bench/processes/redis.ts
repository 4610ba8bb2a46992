import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { freePort } from './perch.js';

const PROGRAM = 'redis-server';

export const hasRedis = (): boolean => spawnSync(PROGRAM, ['--version'], { stdio: 'ignore' }).status === 0;

/** Counters of a Redis since its start. */
export interface RedisCounts {
  readonly cpuSeconds: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Calls by command, including those inside scripts. */
  readonly calls: Readonly<Record<string, number>>;
}

export interface RedisServer {
  readonly url: string;
  readonly client: Redis;
  readonly counts: () => Promise<RedisCounts>;
  readonly stop: () => Promise<void>;
}

/** A separate Redis on the loopback, without persistence. */
export async function startRedis(folder: string): Promise<RedisServer> {
  await mkdir(folder, { recursive: true });
  const port = await freePort();
  const own = { port, bind: '127.0.0.1', save: '', appendonly: 'no', dir: folder };
  const words = Object.entries(own).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn(PROGRAM, words, { stdio: 'ignore' });
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => 50, maxRetriesPerRequest: 100 });
  // Connections are refused until it listens; the client tries again.
  client.on('error', () => {});
  await client.ping();
  return {
    url: `redis://127.0.0.1:${port}`,
    client,
    counts: async () => countsIn(await client.info('everything')),
    async stop() {
      client.disconnect();
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

function countsIn(info: string): RedisCounts {
  const lines = new Map(info.split('\r\n').map((line) => line.split(':', 2) as [string, string]));
  const figure = (name: string): number => Number(lines.get(name));
  const calls: Record<string, number> = {};
  for (const [name, text] of lines) {
    if (name.startsWith('cmdstat_')) calls[name.slice(8)] = Number(/calls=(\d+)/.exec(text)?.[1]);
  }
  return {
    cpuSeconds: figure('used_cpu_user') + figure('used_cpu_sys'),
    bytesIn: figure('total_net_input_bytes'),
    bytesOut: figure('total_net_output_bytes'),
    calls,
  };
}
