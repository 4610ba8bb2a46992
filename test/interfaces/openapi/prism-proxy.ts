import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { OpenapiDocument } from '../../../adapters/rest/openapi/types.js';

const require = createRequire(import.meta.url);
const PRISM = join(dirname(require.resolve('@stoplight/prism-cli/package.json')), 'dist/index.js');
const START_MS = 30_000;

export interface PrismProxy {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Prism in front of a service: answers that violate the document become 500 with `…/prism/errors#VIOLATIONS`. Requests
 * pass unchanged, even without a key, because refusing them is the service's task.
 */
export async function startPrism(document: OpenapiDocument, upstream: string): Promise<PrismProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'perch-prism-'));
  const file = join(folder, 'openapi.json');
  await writeFile(file, JSON.stringify({ ...document, security: [] }));
  const args = [PRISM, 'proxy', file, upstream, '--errors', '--validate-request=false', '--port', '0'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const close = async (): Promise<void> => {
    if (child.exitCode === null && child.kill()) await once(child, 'exit');
    await rm(folder, { recursive: true, force: true });
  };
  try {
    return { url: await listening(child), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => reject(new Error(`Prism did not start: ${said}`)), START_MS);
    const onData = (chunk: Buffer): void => {
      said += chunk.toString();
      const url = /listening on (http:\/\/\S+)/.exec(said)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    };
    child.stdout?.on('data', onData);
    child.stderr?.on('data', onData);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`Prism exited with ${code}: ${said}`));
    });
  });
}
