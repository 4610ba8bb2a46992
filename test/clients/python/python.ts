import { execFile, execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../docs/readme/markdown.js';

export const SOURCE = join(ROOT, 'clients/python/src');

export const canRun = (...command: [string, ...string[]]): boolean => {
  try {
    execFileSync(command[0], command.slice(1), { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

export const has = {
  python3: canRun('python3', '-c', 'import sys; assert sys.version_info >= (3, 9)'),
  mypy: canRun('mypy', '--version'),
};

/** For the name of a test: the reason why it is left out. */
export const without = (tool: keyof typeof has): string => (has[tool] ? '' : ` (left out: there is no ${tool} here)`);

/** Runs Python with the client on its path, and returns what it prints. A warning is an error. */
export async function python(code: string, env: Record<string, string> = {}): Promise<string> {
  const given = { ...process.env, PYTHONPATH: SOURCE, PYTHONDONTWRITEBYTECODE: '1', ...env };
  const { stdout } = await promisify(execFile)('python3', ['-W', 'error', '-c', code], { env: given, cwd: tmpdir() });
  return stdout;
}

const HEAD = `import json, os
from perch_client import ApiError, Perch
perch = Perch(os.environ["PERCH_URL"], os.environ["PERCH_KEY"])
def say(*values): print(json.dumps(values))
def failed(call):
    try: call()
    except ApiError as e: return [e.code, e.status, *[each for each in (e.reason, e.param) if each]]
`;

/** Runs code and returns what it passes to `say`. It has a client, `perch`, and `failed`, which returns a call's refusal. */
export const said = async (code: string, env: Record<string, string>): Promise<unknown> =>
  JSON.parse(await python(HEAD + code, env));
