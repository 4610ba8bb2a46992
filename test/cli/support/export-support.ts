import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { Summary } from '../../../adapters/cli/export/summary.js';
import { openDemoHome } from './demo-home.js';
import { newKey, type Service, serve } from './service.js';
import { type Cli, PERCH, type Ran, type Started } from './support.js';

/** A service process on the demo network, a key with a high rate limit, and a folder for files. */
export interface Exporting {
  readonly url: string;
  readonly key: string;
  readonly cli: Cli;
  file(name: string): string;
  start(words: readonly string[], env?: Readonly<Record<string, string>>): Started;
  run(...words: readonly string[]): Promise<Ran>;
  /** Runs a shell line in which `"$@"` stands for `perch export` with these arguments. */
  shell(line: string, words: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran>;
  /** Runs an export, which must end with 0, and returns its summary. */
  summary(...words: readonly string[]): Promise<Summary>;
}

export function exporting(): Exporting {
  const own = {} as { cli: Cli; service: Service; key: string; folder: string };
  beforeAll(async () => {
    own.cli = await openDemoHome();
    own.folder = await mkdtemp(join(tmpdir(), 'perch-export-'));
    own.service = await serve(own.cli, { PERCH_DEMO: '', LOG_LEVEL: 'warn' });
    own.key = await newKey(own.cli);
  }, 120_000);
  afterAll(async () => {
    own.service?.started.process.kill('SIGTERM');
    await own.service?.started.end;
    await own.cli?.close();
    if (own.folder) await rm(own.folder, { recursive: true, force: true });
  }, 60_000);
  const environment = () => ({ PERCH_KEY: own.key, PERCH_BASE_URL: own.service.url });
  const start = (words: readonly string[], env = {}): Started =>
    own.cli.start(['export', ...words], { env: { ...environment(), ...env } });
  return {
    get url() {
      return own.service.url;
    },
    get key() {
      return own.key;
    },
    get cli() {
      return own.cli;
    },
    file: (name) => join(own.folder, name),
    start,
    run: (...words) => start(words).end,
    shell: (line, words, env = {}) =>
      new Promise((done) => {
        const args = ['-c', line, 'sh', process.execPath, PERCH, 'export', ...words];
        const all = { ...process.env, NO_COLOR: '1', PERCH_HOME: own.cli.home, ...environment(), ...env };
        const child = execFile('sh', args, { env: all, maxBuffer: 2 ** 26 }, (_, stdout, stderr) =>
          done({ code: child.exitCode, stdout, stderr }),
        );
      }),
    async summary(...words) {
      const ran = await start([...words, '--json']).end;
      if (ran.code !== 0) throw new Error(`exit ${ran.code}\n${ran.stderr}`);
      return JSON.parse(ran.stdout) as Summary;
    },
  };
}

export type Line = { readonly id: string } & Readonly<Record<string, unknown>>;

export const linesOf = async (path: string): Promise<Line[]> => linesIn(await readFile(path, 'utf8'));

export const linesIn = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

export const idsOf = (lines: readonly Line[]): string[] => lines.map(({ id }) => id);
