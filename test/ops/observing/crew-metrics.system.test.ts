import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { freePort } from '../../../adapters/cli/workers/free-port.js';
import { newKey, SLOW_MS, serve, until } from '../../cli/support/service.js';
import { Cli, type Started } from '../../cli/support/support.js';
import { describeOnRedis } from '../../kit/redis/redis.js';
import { readExposition } from './exposition.js';

let cli: Cli;
let started: Started;
beforeEach(async () => {
  cli = await Cli.open();
});
afterEach(async () => {
  started?.process.kill('SIGTERM');
  await started?.end;
  await cli?.close();
});

/** Starts the service, and waits until both its workers listen. */
async function serveWithTwo(env: Readonly<Record<string, string>>): Promise<string> {
  const service = await serve(cli, { ...env, WORKERS: '2' });
  started = service.started;
  await until(() => listening().length === 2, 'two workers listen', started);
  return service.url;
}

/** The process ids of the workers that have listened. */
const listening = (): number[] =>
  [...started.said.stderr.matchAll(/"pid":(\d+).*"Server listening at/g)].map(([, pid]) => Number(pid));

describeOnRedis('WORKERS', (redis) => {
  // The nodes of another test would still count.
  beforeEach(() => redis().send('FLUSHALL'));

  test('adds up the metrics of several workers at one port', { timeout: SLOW_MS }, async () => {
    const metricsPort = await freePort('127.0.0.1');
    const url = await serveWithTwo({ REDIS_URL: redis().urls.join(), PERCH_METRICS_PORT: String(metricsPort) });
    const key = await newKey(cli);
    // Separate connections, which go to the workers in turn.
    const request = () => fetch(`${url}/v1/me`, { headers: { 'x-api-key': key, connection: 'close' } });
    for (let nth = 0; nth < 10; nth += 1) expect((await request()).status).toBe(200);
    const scrape = async () => readExposition(await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text());
    const counted = async (): Promise<number> =>
      ((await scrape()).get('perch_http_requests_total')?.samples ?? [])
        .filter(({ labels }) => labels.operation === 'me')
        .reduce((sum, { value }) => sum + value, 0);
    await until(async () => (await counted()) === 10, 'all requests are counted', started);
    const nodes = async () => {
      const metrics = await scrape();
      const valuesOf = (name: string) => metrics.get(name)?.samples.map(({ value }) => value);
      expect(['perch_redis_up', 'perch_nodes', 'perch_build_info'].map(valuesOf)).toEqual([[1], [2], [1]]);
      return metrics;
    };
    // On a busy machine Redis may be away for a moment.
    const metrics = await vi.waitFor(nodes, { timeout: 20_000 });
    expect(metrics.get('perch_sessions')?.samples.find(({ labels }) => labels.state === 'ok')?.value).toBe(1);
    started.process.kill('SIGTERM');
    expect((await started.end).code).toBe(0);
    await expect(fetch(`http://127.0.0.1:${metricsPort}/metrics`)).rejects.toThrow();
  });

  test('keeps what a worker has counted after it has ended, and while it does not answer', {
    timeout: SLOW_MS,
  }, async () => {
    const metricsPort = await freePort('127.0.0.1');
    const url = await serveWithTwo({ REDIS_URL: redis().urls.join(), PERCH_METRICS_PORT: String(metricsPort) });
    const pages = async (): Promise<number> => {
      const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
      expect(answer.status).toBe(200);
      return (readExposition(await answer.text()).get('perch_http_requests_total')?.samples ?? []).reduce(
        (sum, { value }) => sum + value,
        0,
      );
    };
    for (let nth = 0; nth < 10; nth += 1) await fetch(`${url}/legal`, { headers: { connection: 'close' } });
    await until(async () => (await pages()) === 10, 'all requests are counted', started);

    const [killed = 0, stopped = 0] = listening();
    process.kill(killed, 'SIGKILL');
    await until(() => listening().length === 3, 'another worker listens', started);
    expect(await pages()).toBe(10);
    process.kill(stopped, 'SIGSTOP');
    expect(await pages()).toBe(10);
    process.kill(stopped, 'SIGCONT');
  });
});
