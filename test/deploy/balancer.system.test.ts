import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { freePort } from '../../adapters/cli/workers/free-port.js';
import { checkConfig, describeWithHaproxy, type Server, startHaproxy, startServer } from './balancer.js';
import { readCompose } from './compose-file.js';

const CONFIG = readCompose({ PERCH_SECRET: 'x', POSTGRES_PASSWORD: 'x' }).configs.haproxy?.content ?? '';

const until = (condition: () => unknown) => vi.waitFor(condition, { timeout: 25_000, interval: 20 });

describeWithHaproxy('the balancer of compose.yaml', () => {
  let folder: string;
  let url: string;
  let haproxy: Awaited<ReturnType<typeof startHaproxy>> | undefined;
  const servers: Server[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'perch-haproxy-'));
    servers.push(await startServer(), await startServer());
    const port = await freePort('127.0.0.1');
    url = `http://127.0.0.1:${port}`;
    const lines = servers.map((server, index) => `  server perch${index} 127.0.0.1:${server.port}`);
    const config = CONFIG.replace(/^ *server-template .+$/m, lines.join('\n')).replace('bind :', 'bind 127.0.0.1:');
    haproxy = await startHaproxy(join(folder, 'running.cfg'), config.replace('127.0.0.1:8080', `127.0.0.1:${port}`));
    await until(async () => expect((await fetch(url)).status).toBe(200));
  });
  afterAll(async () => {
    await haproxy?.stop();
    for (const server of servers) server.close();
    await rm(folder, { recursive: true });
  });

  it('has a configuration without a fault or a warning', async () => {
    const file = join(folder, 'given.cfg');
    await writeFile(file, CONFIG);
    const { ok, said } = checkConfig(file);
    expect(said).not.toMatch(/ALERT|WARNING/);
    expect(ok).toBe(true);
  });

  it('gives a server that says it is stopping nothing more, takes it back, and no request fails', async () => {
    const [staying, stopping] = servers as [Server, Server];
    const failed: unknown[] = [];
    let asking = true;
    const ask = async (): Promise<void> => {
      while (asking) {
        const status = await fetch(url).then(
          (answer) => answer.status,
          (error: unknown) => error,
        );
        if (status !== 200) failed.push(status);
      }
    };
    const asks = [ask(), ask(), ask(), ask()];
    const bothServe = async (): Promise<void> => {
      const before = servers.map((server) => server.answered());
      await until(() => expect(servers.every((server, index) => server.answered() > (before[index] ?? 0))).toBe(true));
    };
    /** The balancer has heard of it, and a hundred requests later nothing has come. */
    const onlyOneServes = async (): Promise<void> => {
      const [before, others] = [stopping.answered(), staying.answered()];
      await until(() => expect(staying.answered()).toBeGreaterThan(others + 100));
      expect(stopping.answered()).toBe(before);
    };
    try {
      await bothServe();
      stopping.health(503);
      await until(onlyOneServes);
      // It is looked at all the same, so that it can come back; too many questions are no reason to go.
      stopping.health(429);
      await bothServe();
    } finally {
      asking = false;
      await Promise.all(asks);
    }
    expect(failed).toEqual([]);
  });
});
