import { spawn, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe } from 'vitest';

const PROGRAM = process.env.HAPROXY_PATH || 'haproxy';
/** HAProxy is in /usr/sbin, which is on few users' PATH. */
const ENV = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` };

const isInstalled = (): boolean => spawnSync(PROGRAM, ['-v'], { env: ENV }).status === 0;

/** A suite that needs HAProxy. Without it, the suite is skipped and its name says why; on CI it fails. */
export function describeWithHaproxy(name: string, suite: () => void): void {
  const leftOut = process.env.CI !== 'true' && !isInstalled();
  const why = leftOut ? ' [left out: no haproxy; install it, or name it in HAPROXY_PATH]' : '';
  describe.skipIf(leftOut)(name + why, suite);
}

/** The messages of HAProxy about a configuration, and whether it accepts it. */
export function checkConfig(file: string): { ok: boolean; said: string } {
  const { status, stderr } = spawnSync(PROGRAM, ['-c', '-f', file], { env: ENV, encoding: 'utf8' });
  return { ok: status === 0, said: stderr };
}

export interface Server {
  readonly port: number;
  /** Answers so far, except to checks. */
  answered(): number;
  /** Answers to checks so far. */
  checked(): number;
  /** Sets the status of /healthz from now on. */
  health(status: number): void;
  close(): void;
}

/** A service as the balancer sees it. */
export async function startServer(): Promise<Server> {
  let status = 200;
  let answered = 0;
  let checked = 0;
  const server = createServer(({ url }, response) => {
    const isCheck = url === '/healthz';
    if (isCheck) checked += 1;
    else answered += 1;
    response.writeHead(isCheck ? status : 200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    answered: () => answered,
    checked: () => checked,
    health(next) {
      status = next;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Runs HAProxy until it is stopped. */
export async function startHaproxy(file: string, config: string): Promise<{ stop(): Promise<void> }> {
  await writeFile(file, config);
  const child = spawn(PROGRAM, ['-db', '-f', file], { env: ENV, stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
