import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const PRISM = join(dirname(require.resolve('@stoplight/prism-cli/package.json')), 'dist/index.js');
const START_MS = 45_000;

/** Prism as a server that has only the document, and refuses what that does not allow. */
export async function startPrismMock(document: string): Promise<{ url: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'perch-x-'));
  const file = join(folder, 'openapi.json');
  await writeFile(file, document);
  const child = spawn(process.execPath, [PRISM, 'mock', file, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const close = async (): Promise<void> => {
    if (child.exitCode === null && child.kill()) await once(child, 'exit');
    await rm(folder, { recursive: true, force: true });
  };
  const listening = new Promise<string>((resolve, reject) => {
    let said = '';
    // Read to the end, because Prism dies if its pipe is not read.
    child.stdout.on('data', (chunk) => {
      said += String(chunk);
      const url = /listening on (http:\/\/\S+)/.exec(said)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', () => reject(new Error(`Prism exited: ${said}`)));
  });
  const timer = setTimeout(() => child.kill(), START_MS);
  try {
    return { url: await listening, close };
  } catch (error) {
    await close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
