import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import { startSupervisor } from '../../adapters/cli/workers/supervisor.js';
import { Lifecycle } from '../../app/lifecycle.js';
import { readConfig } from '../../src/config/config.js';

const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);

afterEach(() => {
  process.off('unhandledRejection', note);
});

it('survives a worker that reports an error while it is killed', async () => {
  cluster.setupPrimary({
    exec: fileURLToPath(new URL('./support/idle-worker.mjs', import.meta.url)),
    args: [],
    execArgv: [],
  });
  process.on('unhandledRejection', note);
  const lifecycle = new Lifecycle();
  const config = readConfig({
    env: { PORT: '0', WORKERS: '2', DATABASE_URL: 'postgres://perch.test/perch', REDIS_URL: 'redis://perch.test' },
    cwd: '/',
    terminal: false,
  });
  const supervisor = await startSupervisor(lifecycle, { config, demoKey: null, log: pino({ level: 'silent' }) });
  const workers = Object.values(cluster.workers ?? {});
  expect(workers).toHaveLength(2);
  supervisor.kill();
  for (const worker of workers) worker?.emit('error', new Error('kill EPERM'));
  await lifecycle.close();
  expect(unhandled).toEqual([]);
});
