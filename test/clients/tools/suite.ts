import { execFile, spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestPerch } from '../../kit/perch.js';
import { lockedVersion } from './results.js';
import type { Row } from './rows.js';

const run = promisify(execFile);
const ROOM = fileURLToPath(new URL('room/', import.meta.url));
const TSX = import.meta.resolve('tsx');
const NO_NETWORK = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED/;
const INSTALL_MS = 900_000;
/** Proxies live in /usr/sbin, which is on few users' PATH. */
const ENV = { ...process.env, PATH: `${process.env.PATH}${delimiter}/usr/sbin` };

/** The version in the lockfile, or the one that the program reports; undefined if the program is not there. */
export function versionOf(row: Row): string | undefined {
  if ('package' in row.from) return lockedVersion(row);
  const { program, version } = row.from;
  const { status, stdout, stderr } = spawnSync(program, version, { encoding: 'utf8', env: ENV });
  return status === 0 ? /\d+(?:\.\d+)+/.exec(stdout + stderr)?.[0] : undefined;
}

export interface Workshop {
  /** Generates the rows' clients from the schema and documents of this service. */
  prepare(perch: TestPerch, rows: readonly Row[]): Promise<void>;
  /** Runs the row's program. Returns what it says, and the statuses that the service gave it. */
  use(row: Row, perch: TestPerch): Promise<{ said: unknown; statuses: readonly number[] }>;
  /** The output of a generator that failed, and the errors of TypeScript in the row's program and its generated code. */
  faultsOf(row: Row): readonly string[];
  remove(): Promise<void>;
}

/** Installs the tools in a folder of their own; undefined if there is no network. */
export async function openWorkshop(rows: readonly Row[], keep?: string): Promise<Workshop | undefined> {
  const home = keep ?? (await mkdtemp(join(tmpdir(), 'perch-tools-')));
  const remove = async () => (keep === undefined ? rm(home, { recursive: true, force: true }) : undefined);
  await cp(ROOM, home, { recursive: true, filter: (path) => !path.includes('node_modules') });
  try {
    for (const room of new Set(rows.map((row) => row.room))) await install(join(home, room));
  } catch (error) {
    await remove();
    if (process.env.CI || !NO_NETWORK.test((error as { stderr?: string }).stderr ?? '')) throw error;
    return undefined;
  }
  const path = [join(home, 'node_modules/.bin'), join(home, 'slow/node_modules/.bin'), ENV.PATH];
  const inRoom = (room: string, command: string, args: readonly string[], env: Record<string, string> = {}) =>
    run(command, args, {
      cwd: join(home, room),
      env: { ...process.env, PATH: path.join(delimiter), ...env },
      timeout: 300_000,
    });
  const faults: string[] = [];
  return {
    async prepare({ url }, chosen) {
      for (const made of ['made', 'slow/made', 'relay/__generated__']) {
        await rm(join(home, made), { recursive: true, force: true });
        await mkdir(join(home, made));
      }
      await writeFile(join(home, 'openapi.json'), await (await fetch(`${url}/openapi.json`)).text());
      await inRoom('.', process.execPath, ['schema.mjs', `${url}/graphql`, 'schema.graphql']);
      for (const { name, room, make } of chosen) {
        for (const [command = '', ...args] of make) {
          const said = await saidInVain(() => inRoom(room, command, args));
          faults.push(...said.map((line) => `${name}: ${line}`));
        }
      }
      const files = chosen.flatMap(({ room, run: [file = ''] }) => (file.endsWith('.ts') ? [join(room, file)] : []));
      await writeFile(join(home, 'tsconfig.chosen.json'), JSON.stringify({ extends: './tsconfig.json', files }));
      if (files.length > 0)
        faults.push(...(await saidInVain(() => inRoom('.', 'tsc', ['--project', 'tsconfig.chosen.json']))));
    },
    faultsOf: ({ name }) =>
      faults.filter((fault) => new RegExp(`^${name}: |\\b(?:typed|made)/${name}[./]`).test(fault)),
    async use({ room, from, run: args, qps }, perch) {
      const { key } = await perch.account({ qps });
      const recorder = await openRecorder(perch.url);
      try {
        const env = {
          PERCH_URL: recorder.url,
          PERCH_KEY: key,
          PERCH_METRICS: `http://127.0.0.1:${perch.config.metricsPort}/metrics`,
        };
        const [, kind] = /\.(mjs|ts)$/.exec(args[0] ?? '') ?? [];
        const program = kind || 'package' in from ? process.execPath : from.program;
        const { stdout } = await inRoom(room, program, kind === 'ts' ? ['--import', TSX, ...args] : args, env);
        return { said: JSON.parse(stdout.trim().split('\n').at(-1) ?? ''), statuses: recorder.statuses };
      } finally {
        recorder.close();
      }
    },
    remove,
  };
}

/** Installs what the lockfile says, unless the folder was kept and has exactly that. */
async function install(folder: string): Promise<void> {
  const [wanted, mark] = [
    await readFile(join(folder, 'package-lock.json'), 'utf8'),
    join(folder, 'node_modules/.lock'),
  ];
  if ((await readFile(mark, 'utf8').catch(() => '')) === wanted) return;
  const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=1'];
  await run('npm', options, { cwd: folder, timeout: INSTALL_MS });
  await writeFile(mark, wanted);
}

/** The lines that a command prints if it fails; none if it succeeds. */
async function saidInVain(start: () => Promise<unknown>): Promise<string[]> {
  try {
    await start();
    return [];
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return [`${error}`.split('\n')[0] ?? '', ...`${stdout}\n${stderr}`.split('\n')].filter((line) => line !== '');
  }
}

/** Passes everything on to the service, and keeps the statuses of its answers. */
async function openRecorder(to: string) {
  const statuses: number[] = [];
  const server = createServer((request, response) => {
    const { method, headers, url } = request;
    const passed = send(new URL(url ?? '', to), { method, headers }, (answer) => {
      statuses.push(answer.statusCode ?? 0);
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    request.pipe(passed);
    passed.on('error', () => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    statuses,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
