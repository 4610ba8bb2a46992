import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeOnRedis, type TestRedis } from '../kit/redis/redis.js';
import { isAlive, isDatabaseDown, type Service, SLOW_MS, serve, until } from './support/service.js';
import { Cli } from './support/support.js';

let cli: Cli;
let service: Service | undefined;
beforeEach(async () => {
  cli = await Cli.open();
});
afterEach(async () => {
  const processes = service === undefined ? [] : listeners(service).map(({ pid }) => pid);
  service?.started.process.kill('SIGKILL');
  await service?.started.end;
  await until(() => !processes.some(isAlive), 'the workers of a killed primary are gone');
  service = undefined;
  await cli.close();
});

const envOf = (redis: TestRedis, workers: number) => ({ WORKERS: String(workers), REDIS_URL: redis.urls.join() });

const start = async (redis: TestRedis): Promise<Service> => {
  service = await serve(cli, envOf(redis, 2));
  return service;
};

/** The workers that have logged that they listen, with their process ids. */
const listeners = ({ started }: Service): { worker: number; pid: number }[] =>
  started.said.stderr
    .split('\n')
    .filter((line) => line.includes('Server listening at'))
    .map((line) => JSON.parse(line) as { worker: number; pid: number });

describeOnRedis('several workers', (redis) => {
  test('lets workers share a port, replaces a killed one, and stops all of them with 0', {
    timeout: SLOW_MS,
  }, async () => {
    const { url, started } = await start(redis());
    const all = (): { worker: number; pid: number }[] => listeners({ url, started });
    await until(() => all().length === 2, 'two workers listen', started);
    expect(
      all()
        .map(({ worker }) => worker)
        .sort(),
    ).toEqual([1, 2]);
    expect(started.said.stderr.split(url)).toHaveLength(3);
    expect(started.said.stdout.match(/Ctrl-C stops it/g)).toHaveLength(1);

    const victim = all()[0];
    if (victim === undefined) throw new Error('no worker');
    process.kill(victim.pid, 'SIGKILL');
    await until(() => all().length === 3, 'another worker listens', started);
    expect(all()[2]?.worker).toBe(victim.worker);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);

    started.process.kill('SIGTERM');
    const { code, stderr } = await started.end;
    expect(code).toBe(0);
    // Only now has each process written every line of its log.
    expect(stderr.match(/Worker \d exited \(SIGKILL\); starting a replacement/g)).toHaveLength(1);
    expect(all().some(({ pid }) => isAlive(pid))).toBe(false);
    expect(await isDatabaseDown(cli)).toBe(true);
  });

  test('end after their primary was killed, and the last one stops the database', {
    timeout: SLOW_MS,
  }, async () => {
    const running = await start(redis());
    await until(() => listeners(running).length === 2, 'two workers listen', running.started);
    running.started.process.kill('SIGKILL');
    await until(() => !listeners(running).some(({ pid }) => isAlive(pid)), 'both workers are gone', running.started);
    await until(() => isDatabaseDown(cli), 'the database is down', running.started);
  });

  test('exits with 1 and one message when the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const env = { PORT: String(port), PERCH_DEMO: 'off', ...envOf(redis(), 3) };
    const ran = await cli.start(['serve'], { env }).end;
    other.close();
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr.match(/port \d+ on 127\.0\.0\.1 is already in use/g)).toHaveLength(1);
    expect(await isDatabaseDown(cli)).toBe(true);
  });
});
