import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SHIM = new URL('./clients/conformance-shim.mjs', import.meta.url).href;

const require = createRequire(import.meta.url);

const SUITES = {
  '0.1': require.resolve('@modelcontextprotocol/conformance/dist/index.js'),
  '0.2': require.resolve('conformance-next/dist/index.js'),
} as const;

export type SuiteVersion = keyof typeof SUITES;

export interface Ran {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a program to its end, in a folder of its own. `onOutput` gets all output so far. */
export async function run(
  command: string,
  args: readonly string[],
  onOutput: (output: string) => void = () => {},
): Promise<Ran> {
  const cwd = await mkdtemp(join(tmpdir(), 'perch-mcp-'));
  try {
    const child: ChildProcess = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const onData = (chunk: Buffer): void => {
      output += chunk.toString();
      onOutput(output);
    };
    child.stdout?.on('data', onData);
    child.stderr?.on('data', onData);
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    return { code, output };
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

/** Runs a command of the MCP project's conformance suite. */
export const runSuite = (
  version: SuiteVersion,
  args: readonly string[],
  onOutput?: (output: string) => void,
): Promise<Ran> => run(process.execPath, ['--import', SHIM, SUITES[version], ...args], onOutput);

export interface Results extends Ran {
  /** The ids of the failed checks, by scenario. */
  readonly failed: ReadonlyMap<string, readonly string[]>;
}

/**
 * Runs the scenarios against a server. The suite fails if scenarios fail that are not expected to, or pass that are.
 */
export async function runServerSuite(
  version: SuiteVersion,
  args: readonly string[],
  expected: readonly string[],
): Promise<Results> {
  const folder = await mkdtemp(join(tmpdir(), 'perch-mcp-'));
  try {
    const file = join(folder, 'expected.yml');
    await writeFile(file, `server:\n${expected.map((name) => `  - ${name}\n`).join('')}`);
    const ran = await runSuite(version, ['server', ...args, '--expected-failures', file, '-o', folder]);
    return { ...ran, failed: await failedChecks(folder) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function failedChecks(folder: string): Promise<Map<string, string[]>> {
  const failed = new Map<string, string[]>();
  for (const name of await readdir(folder)) {
    const [, scenario] = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(name) ?? [];
    if (scenario === undefined) continue;
    const text = await readFile(join(folder, name, 'checks.json'), 'utf8');
    const checks = (JSON.parse(text) as { id: string; status: string }[]).filter(({ status }) => status === 'FAILURE');
    if (checks.length > 0) failed.set(scenario, checks.map(({ id }) => id).sort());
  }
  return failed;
}
