import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { freePort } from '../../../adapters/cli/workers/free-port.js';
import { chooseRunAs, chownTree } from '../../../adapters/postgres/embedded/run-as.js';
import type { Target } from '../../../adapters/postgres/sql.js';

const PROGRAM = process.env.PGBOUNCER_PATH || 'pgbouncer';
/** Debian installs it in /usr/sbin, which few users have on their PATH. */
const ENV = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` };
const WAIT_MS = 20_000;

const isInstalled = (): boolean => spawnSync(PROGRAM, ['--version'], { env: ENV }).status === 0;

/** A suite that needs PgBouncer. Without it, the suite is left out and its name says why; on CI it fails instead. */
export function describeWithPgbouncer(name: string, suite: () => void): void {
  const leftOut = process.env.CI !== 'true' && !isInstalled();
  describe.skipIf(leftOut)(
    name + (leftOut ? ' [left out: no pgbouncer; install it, or name it in PGBOUNCER_PATH]' : ''),
    suite,
  );
}

/** From docs/deploying.md: the settings a node sends when it connects, which PgBouncer cannot keep for it. */
const IGNORED = 'extra_float_digits,lock_timeout,statement_timeout,idle_in_transaction_session_timeout';

function whereIs(target: Target): string {
  if (!('url' in target)) return `host=${target.host} port=${target.port} user=${target.username}`;
  const { hostname, port, username, password } = new URL(target.url);
  return `host=${hostname} port=${port || 5432} user=${username} ${password && `password=${password}`}`;
}

/**
 * Debian's PgBouncer in front of a server, in transaction mode: a connection belongs to one transaction, then to the
 * next.
 */
export async function startPgbouncer(
  target: Target,
): Promise<{ url: (database: string) => string; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'perch-bouncer-'));
  const port = await freePort('127.0.0.1');
  const file = join(folder, 'pgbouncer.ini');
  const settings = [
    ['[databases]', `* = ${whereIs(target)}`, '[pgbouncer]', 'listen_addr = 127.0.0.1', `listen_port = ${port}`],
    [
      'unix_socket_dir =',
      'auth_type = any',
      'pool_mode = transaction',
      'default_pool_size = 10',
      'max_client_conn = 500',
    ],
    [`ignore_startup_parameters = ${IGNORED}`],
  ];
  writeFileSync(file, `${settings.flat().join('\n')}\n`);
  const as = chooseRunAs(undefined);
  chmodSync(folder, 0o755);
  await chownTree(folder, as);
  const child = spawn(PROGRAM, [file], { ...as, env: ENV, stdio: 'ignore' });
  await listens(port, child);
  return {
    url: (database) => `postgres://perch@127.0.0.1:${port}/${database}?prepare=false`,
    async stop() {
      if (child.exitCode === null) {
        const end = once(child, 'exit');
        child.kill('SIGKILL');
        await end;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function listens(port: number, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const socket = createConnection({ host: '127.0.0.1', port });
    const answer = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (answer) return;
    if (child.exitCode !== null || Date.now() > deadline) throw new Error('PgBouncer does not start');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
