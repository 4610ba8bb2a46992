import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, open, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, vi } from 'vitest';
import { freePort } from '../../../adapters/cli/workers/free-port.js';
import { chooseRunAs, chownTree } from '../../../adapters/postgres/embedded/run-as.js';
import { debianPrograms } from './debian-postgres.js';

const HOST = '127.0.0.1';
/** The configuration that operators use: docs/deploying.md. */
const SHIPPED = new URL('../../../deploy/ha/', import.meta.url).pathname;
const ENV = { PATH: `${process.env.PATH}:/usr/sbin`, LC_ALL: 'C.UTF-8', TZ: 'UTC' };
const PASSWORD = 'secret';
const PROGRAMS = ['etcd', 'haproxy'];
/** Older versions let a primary that was frozen take the lead back: docs/deploying.md. */
const OLDEST_PATRONI = '3.0.3';
/** Patroni notices a change in its next round, or when the lock of a silent primary expires. */
const WAIT_MS = 120_000;
/**
 * Runs a program in a process group of its own, writes the group's number to a file, and reaps its descendants until
 * none is left. Patroni takes a dead server for a running one until it is reaped, and in a container process 1 may reap
 * nothing.
 */
const REAPER = `
import ctypes, os, sys
PR_SET_CHILD_SUBREAPER = 36
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    os.execvp(sys.argv[2], sys.argv[2:])
with open(sys.argv[1], 'w') as file:
    file.write(str(child))
try:
    while True:
        os.wait()
except ChildProcessError:
    pass
`;
/** How many characters of each node's log a failure quotes. */
const LAST_WORDS = 2000;

export interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

/**
 * Three nodes of Postgres under Patroni, configured as shipped. The processes of a node stand for those of one machine.
 */
export interface PatroniPostgres {
  /** Hosts and ports of the servers, and of HAProxy, which leads to the primary. */
  readonly hosts: readonly string[];
  readonly proxy: string;
  /** The address of a node's own server, whatever its role at the moment. */
  hostOf(name: string): string;
  members(): Promise<readonly Member[]>;
  /** Waits until one node says that it is the primary; returns its name. */
  leader(): Promise<string>;
  /** Waits until a node other than this one is the primary; returns its name. */
  untilLed(otherThan: string, timeoutMs?: number): Promise<string>;
  /** Waits until all nodes run, one as the primary and one as a synchronous standby. */
  untilWhole(): Promise<void>;
  killServer(name: string): Promise<void>;
  /** Kills Patroni and its server at once and without warning, as if the machine failed. */
  killMachine(name: string): Promise<void>;
  startMachine(name: string): Promise<void>;
  /** Stops the machine in the middle of a round of Patroni, so another node takes over. */
  freeze(name: string): Promise<void>;
  /**
   * Lets the machine continue where it stopped: its server first, Patroni a moment later, which then learns what
   * happened.
   */
  thaw(name: string, moment: () => Promise<void>): Promise<void>;
  switchOver(from: string): Promise<void>;
  loseEtcd(): void;
  findEtcd(): void;
  stop(): Promise<void>;
}

/** A suite that needs Patroni. Without it, the suite is left out and its name says why; on CI it fails instead. */
export async function describeWithPatroni(name: string, suite: (programs: string) => void): Promise<void> {
  const programs = await debianPrograms();
  const missing = PROGRAMS.filter((program) => spawnSync(program, ['--help'], { env: ENV }).error !== undefined);
  const { stdout } = spawnSync('patroni', ['--version'], { env: ENV, encoding: 'utf8' });
  const version = /\d[\d.]*/.exec(stdout ?? '')?.[0] ?? '';
  if (version.localeCompare(OLDEST_PATRONI, 'en', { numeric: true }) < 0)
    missing.push(`Patroni ${OLDEST_PATRONI} or later`);
  if (programs === undefined) missing.push('Postgres of Debian');
  const leftOut = missing.length > 0 && process.env.CI !== 'true';
  describe.skipIf(leftOut)(leftOut ? `${name} [left out: no ${missing.join(', ')}]` : name, () => {
    // An old Patroni would run, so the missing parts fail the suite here.
    beforeAll(() => expect(missing).toEqual([]));
    suite(programs ?? '/usr/lib/postgresql/none/bin');
  });
}

interface Node {
  readonly name: string;
  readonly port: number;
  readonly rest: number;
}

/**
 * Starts etcd, HAProxy with this configuration, and three nodes with deploy/ha/patroni.yml. HAProxy's servers must be
 * named `pg1` and so on, as `HOST:5432` checked at `HOST:8008`.
 */
export async function startPatroni(programs: string, haproxy: string): Promise<PatroniPostgres> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'perch-patroni-')));
  const as = chooseRunAs(undefined);
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'data'), { mode: 0o700 });
  const ports = await freePorts(9);
  const [client = 0, peer = 0, proxy = 0, ...others] = ports;
  const nodes = ['pg1', 'pg2', 'pg3'].map((name, n): Node => {
    const [port = 0, rest = 0] = others.slice(2 * n);
    return { name, port, rest };
  });
  // A folder that the user of Postgres can read.
  for (const file of ['patroni.yml', 'create-perch-database']) await copyFile(join(SHIPPED, file), join(folder, file));
  await writeFile(
    join(folder, 'haproxy.cfg'),
    nodes.reduce(
      (text, { name, port, rest }) =>
        text.replaceAll(
          new RegExp(`server ${name} \\S+:5432 check port 8008`, 'g'),
          `server ${name} ${HOST}:${port} check port ${rest}`,
        ),
      haproxy.replace(/bind \S+/, `bind ${HOST}:${proxy}`),
    ),
  );
  await chownTree(folder, as);

  const running = new Map<string, ChildProcess>();
  async function run(name: string, program: string, args: readonly string[], env = {}): Promise<void> {
    const log = await open(join(folder, `${name}.log`), 'a');
    const stdio = ['ignore', log.fd, log.fd] as const;
    running.set(
      name,
      spawn(program, args, { ...as, cwd: folder, env: { ...ENV, ...env }, stdio: [...stdio], detached: true }),
    );
    await log.close();
  }
  const nodeOf = (name: string): Node => {
    const node = nodes.find((each) => each.name === name);
    if (node === undefined) throw new Error(`There is no node ${name}.`);
    return node;
  };
  const groupFileOf = (name: string): string => join(folder, `${name}.group`);
  const startMachine = (name: string): Promise<void> => {
    const { port, rest } = nodeOf(name);
    return run(name, 'python3', ['-c', REAPER, groupFileOf(name), 'patroni', join(folder, 'patroni.yml')], {
      PATH: `${folder}:${programs}:${ENV.PATH}`,
      PATRONI_NAME: name,
      PATRONI_RESTAPI_LISTEN: `${HOST}:${rest}`,
      PATRONI_RESTAPI_CONNECT_ADDRESS: `${HOST}:${rest}`,
      PATRONI_POSTGRESQL_LISTEN: `${HOST}:${port}`,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${HOST}:${port}`,
      PATRONI_POSTGRESQL_DATA_DIR: join(folder, 'data', name),
      PATRONI_POSTGRESQL_BIN_DIR: programs,
      PATRONI_POSTGRESQL_PGPASS: join(folder, `${name}.pgpass`),
      PATRONI_ETCD3_HOSTS: `${HOST}:${client}`,
      PATRONI_RESTAPI_USERNAME: 'patroni',
      PATRONI_RESTAPI_PASSWORD: PASSWORD,
      PATRONI_SUPERUSER_PASSWORD: PASSWORD,
      PATRONI_REPLICATION_PASSWORD: PASSWORD,
      PATRONI_REWIND_PASSWORD: PASSWORD,
      PERCH_PASSWORD: PASSWORD,
    });
  };

  const request = async (path: string, timeoutMs = 1000): Promise<Response | undefined> => {
    const requests = nodes.map(({ rest }) =>
      fetch(`http://${HOST}:${rest}${path}`, { signal: AbortSignal.timeout(timeoutMs) }),
    );
    return Promise.any(requests).catch(() => undefined);
  };
  const members = async (): Promise<readonly Member[]> => {
    const answer = (await (await request('/cluster'))?.json()) as { members?: Member[] } | undefined;
    return answer?.members ?? [];
  };
  /** The nodes that report this role. */
  const those = async (role: 'primary' | 'replica'): Promise<string[]> => {
    const answers = await Promise.all(
      nodes.map(({ rest }) =>
        fetch(`http://${HOST}:${rest}/${role}`, { signal: AbortSignal.timeout(2000) }).then(
          ({ status }) => status === 200,
          () => false,
        ),
      ),
    );
    return nodes.filter((_node, n) => answers[n]).map(({ name }) => name);
  };
  /** Waits; on time-out, fails with the last lines of the nodes' logs. */
  const until = async <T>(check: () => Promise<T>, interval: number, timeout = WAIT_MS): Promise<T> => {
    try {
      return await vi.waitFor(check, { timeout, interval });
    } catch (error) {
      const logs = nodes.map(({ name }) => readFile(join(folder, `${name}.log`), 'utf8').catch(String));
      const said = (await Promise.all(logs)).map((log) => log.slice(-LAST_WORDS)).join('\n');
      throw new Error(`${error instanceof Error ? error.message : error}\n${said}`, { cause: error });
    }
  };
  const untilLed = (otherThan: string, timeout?: number): Promise<string> =>
    until(
      async () => {
        const [now = otherThan, ...more] = await those('primary');
        expect(more).toEqual([]);
        expect(now).not.toBe(otherThan);
        return now;
      },
      50,
      timeout,
    );
  const untilWhole = (): Promise<void> =>
    until(async () => {
      const all = await members();
      const roles = all.filter(({ state }) => /^(running|streaming)$/.test(state)).map(({ role }) => role);
      expect(roles.sort(), JSON.stringify(all)).toEqual(['leader', 'replica', 'sync_standby']);
      expect([await those('primary'), await those('replica')]).toEqual([
        [expect.any(String)],
        [expect.any(String), expect.any(String)],
      ]);
    }, 200);

  const send = (pid: number, what: NodeJS.Signals): void => {
    try {
      process.kill(pid, what);
    } catch (error) {
      // The process has ended.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  /** Signals a node's Patroni and what it started. */
  const signal = async (name: string, what: NodeJS.Signals): Promise<void> =>
    send(-Number.parseInt(await readFile(groupFileOf(name), 'utf8'), 10), what);
  const signalOther = (name: 'etcd' | 'haproxy', what: NodeJS.Signals): void => {
    const { pid } = running.get(name) ?? {};
    if (pid !== undefined) send(-pid, what);
  };
  /** The processes of a server, the postmaster first. They have a session of their own. */
  const serverOf = async (name: string): Promise<number[]> => {
    const pid = Number.parseInt(await readFile(join(folder, 'data', name, 'postmaster.pid'), 'utf8'), 10);
    const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=', '--ppid', String(pid)]);
    return [
      pid,
      ...stdout
        .split('\n')
        .map(Number)
        .filter((each) => each > 0),
    ];
  };
  const signalServer = async (name: string, what: NodeJS.Signals, only = Number.POSITIVE_INFINITY): Promise<void> => {
    for (const pid of (await serverOf(name)).slice(0, only)) send(pid, what);
  };
  const killMachine = async (name: string): Promise<void> => {
    await signal(name, 'SIGKILL');
    await signalServer(name, 'SIGKILL');
  };

  const url = `http://${HOST}:${client}`;
  const peerUrl = `http://${HOST}:${peer}`;
  await run('etcd', 'etcd', [
    ...['--data-dir', join(folder, 'etcd'), '--initial-cluster', `default=${peerUrl}`],
    ...['--listen-client-urls', url, '--advertise-client-urls', url],
    ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
  ]);
  for (const { name } of nodes) await startMachine(name);
  await run('haproxy', 'haproxy', ['-f', join(folder, 'haproxy.cfg'), '-db']);

  async function stop(): Promise<void> {
    // A node that has not started its server yet, or whose server has ended, has none to kill.
    await Promise.allSettled(nodes.map(({ name }) => killMachine(name)));
    for (const name of ['haproxy', 'etcd'] as const) signalOther(name, 'SIGKILL');
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
  await untilWhole().catch(async (error) => {
    await stop();
    throw error;
  });

  return {
    hosts: nodes.map(({ port }) => `${HOST}:${port}`),
    proxy: `${HOST}:${proxy}`,
    hostOf: (name) => `${HOST}:${nodeOf(name).port}`,
    members,
    leader: () => untilLed(''),
    untilLed,
    untilWhole,
    killServer: (name) => signalServer(name, 'SIGKILL', 1),
    killMachine,
    startMachine,
    async freeze(name) {
      // Stops the server first: Patroni, which has just read that it is the leader, waits for it in the middle of a
      // round. Patroni is stopped once its lock has expired, and later continues with what it read.
      await signalServer(name, 'SIGSTOP');
      await untilLed(name);
      await signal(name, 'SIGSTOP');
    },
    async thaw(name, moment) {
      await signalServer(name, 'SIGCONT');
      await moment();
      await signal(name, 'SIGCONT');
    },
    async switchOver(from) {
      // Patroni refuses to switch while no standby is synchronous, as after an earlier switch-over.
      await untilWhole();
      const body = JSON.stringify({ leader: from });
      const answer = await fetch(`http://${HOST}:${nodeOf(from).rest}/switchover`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`patroni:${PASSWORD}`)}` },
        body,
      });
      expect(answer.status, await answer.text()).toBe(200);
    },
    loseEtcd: () => signalOther('etcd', 'SIGSTOP'),
    findEtcd: () => signalOther('etcd', 'SIGCONT'),
    stop,
  };
}

/** Different ports: each is held until all are found. */
async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort(HOST));
  return [...ports];
}
