import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { freePort } from '../../../adapters/cli/workers/free-port.js';
import { createScriptedNetwork } from '../../kit/networks/scripted-network.js';
import { startPerch } from '../../kit/perch.js';
import { checkConfig, describeWithHaproxy, type Server, startHaproxy, startServer } from './balancer.js';
import { readCompose } from './compose-file.js';
import { localBalancer } from './proxies.js';

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
    const ports = { open: port, inner: await freePort('127.0.0.1') };
    const config = localBalancer(
      CONFIG,
      servers.map((server) => server.port),
      ports,
    );
    haproxy = await startHaproxy(join(folder, 'running.cfg'), config);
    await until(async () => expect((await fetch(url)).status).toBe(200));
  });
  afterAll(async () => {
    await haproxy?.stop();
    for (const server of servers) server.close();
    await rm(folder, { recursive: true });
  });

  it('has a configuration without errors or warnings', async () => {
    const file = join(folder, 'given.cfg');
    await writeFile(file, CONFIG);
    const { ok, said } = checkConfig(file);
    expect(said).not.toMatch(/ALERT|WARNING/);
    expect(ok).toBe(true);
  });

  it('sends nothing more to a server that reports a stop, takes it back, and fails no request', async () => {
    const [staying, stopping] = servers as [Server, Server];
    const failed: unknown[] = [];
    let isSending = true;
    const keepSending = async (): Promise<void> => {
      while (isSending) {
        const status = await fetch(url).then(
          (answer) => answer.status,
          (error: unknown) => error,
        );
        if (status !== 200) failed.push(status);
      }
    };
    const senders = [keepSending(), keepSending(), keepSending(), keepSending()];
    const bothServe = async (): Promise<void> => {
      const before = servers.map((server) => server.answered());
      await until(() => expect(servers.every((server, index) => server.answered() > (before[index] ?? 0))).toBe(true));
    };
    /** Checks that the stopping server gets none of the next hundred requests. */
    const onlyOneServes = async (): Promise<void> => {
      const [before, others] = [stopping.answered(), staying.answered()];
      await until(() => expect(staying.answered()).toBeGreaterThan(others + 100));
      expect(stopping.answered()).toBe(before);
    };
    try {
      await bothServe();
      stopping.health(503);
      await until(onlyOneServes);
      // The server is still checked, so that it can come back. A 429 to a check does not count as a failure.
      stopping.health(429);
      await bothServe();
    } finally {
      isSending = false;
      await Promise.all(senders);
    }
    expect(failed).toEqual([]);
  });
});

/** A balancer as in HAProxy's manual: only 200 passes its check, here ten a second instead of one every two seconds. */
const usual = (port: number, serverPort: number): string => `
global
  maxconn 200
defaults
  mode http
  timeout connect 1s
  timeout client 10s
  timeout server 10s
  timeout check 5s
listen perch
  bind 127.0.0.1:${port}
  option httpchk GET /healthz
  http-check expect status 200
  server perch0 127.0.0.1:${serverPort} check inter 100ms fall 1 rise 1
`;

describeWithHaproxy('a balancer with the usual check', () => {
  it('keeps a node while others behind it request many pages without a key', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'perch-haproxy-'));
    const perch = await startPerch({ network: createScriptedNetwork({}).network });
    const { key } = await perch.account({ qps: 1000 });
    const port = await freePort('127.0.0.1');
    const url = `http://127.0.0.1:${port}`;
    const haproxy = await startHaproxy(join(folder, 'usual.cfg'), usual(port, Number(new URL(perch.url).port)));
    try {
      await until(async () => expect((await fetch(`${url}/healthz`)).status).toBe(200));
      const seen = { strangers: new Set<number>(), checks: new Set<number>(), customer: new Set<number>() };
      const endsAt = Date.now() + 4000;
      const keepSending = async (path: string, into: Set<number>, headers = {}): Promise<void> => {
        while (Date.now() < endsAt) {
          const answer = await fetch(url + path, { headers });
          into.add(answer.status);
          await answer.arrayBuffer();
        }
      };
      await Promise.all([
        ...['/', '/status', '/openapi.yaml'].map((path) => keepSending(path, seen.strangers)),
        keepSending('/healthz', seen.checks),
        keepSending('/v1/me', seen.customer, { 'x-api-key': key }),
      ]);
      expect(seen.strangers).toContain(429);
      expect(seen.checks).toEqual(new Set([200]));
      expect(seen.customer).toEqual(new Set([200]));
    } finally {
      await haproxy.stop();
      await perch.close();
      await rm(folder, { recursive: true });
    }
  });
});
