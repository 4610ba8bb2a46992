import cluster from 'node:cluster';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import { startSupervisor } from '../../adapters/cli/workers/supervisor.js';
import { alone } from '../../adapters/postgres/migrate.js';
import { Lifecycle } from '../../app/lifecycle.js';
import { readConfig } from '../../src/config/config.js';
import { freshDatabase } from '../kit/postgres/database.js';
import { lineTo } from '../kit/postgres/line-to.js';
import { PERCH } from './support/support.js';

const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);

const quiet = (): void => {};

const configOf = (env: Readonly<Record<string, string>>) =>
  readConfig({ env: { PORT: '0', PERCH_DRAIN_MS: '0', ...env }, cwd: '/', terminal: false });

afterEach(() => {
  process.off('unhandledRejection', note);
});

it('ends a worker that hangs at its start, waiting for the schema, although its primary has ended', async () => {
  const database = await freshDatabase();
  const { line, url } = await lineTo(database);
  cluster.setupPrimary({ exec: PERCH, args: ['serve'], execArgv: [], silent: true });
  await alone(database.sql, quiet, async () => {
    const worker = cluster.fork();
    const ended = once(worker, 'exit');
    await once(worker, 'message');
    worker.send({ say: 'serve', worker: 1, config: configOf({ DATABASE_URL: url }), demoKey: null });
    const waiting = () => database.sql`select from pg_locks where locktype = 'advisory' and not granted`;
    await expect.poll(waiting).toHaveLength(1);
    worker.process.disconnect();
    expect(await ended).toEqual([1, null]);
  });
  await line.close();
  await database.drop();
});

it('survives a worker that reports an error while it is killed', async () => {
  cluster.setupPrimary({
    exec: fileURLToPath(new URL('./support/idle-worker.mjs', import.meta.url)),
    args: [],
    execArgv: [],
  });
  process.on('unhandledRejection', note);
  const lifecycle = new Lifecycle();
  const config = configOf({
    WORKERS: '2',
    DATABASE_URL: 'postgres://perch.test/perch',
    REDIS_URL: 'redis://perch.test',
  });
  const supervisor = await startSupervisor(lifecycle, { config, demoKey: null, log: pino({ level: 'silent' }) });
  const workers = Object.values(cluster.workers ?? {});
  expect(workers).toHaveLength(2);
  supervisor.kill();
  for (const worker of workers) worker?.emit('error', new Error('kill EPERM'));
  await lifecycle.close();
  expect(unhandled).toEqual([]);
});
