import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Config } from '../../../src/config/config.js';
import { localUrl } from '../../../src/lib/local-url.js';
import { demoKeyFile, typedPath } from '../environment.js';
import { Failure, fileFailure, WRONG_USE } from '../failure.js';

/** The address of the configured service. */
export const serviceUrl = (config: Config): string => config.baseUrl ?? localUrl(config.host, config.port);

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * The key to read with: from a file, from PERCH_KEY, or this machine's demo key, which is never sent to another
 * machine. Never from the command line, which other users of the machine can see. Throws Failure.
 */
export async function resolveApiKey(config: Config, keyFile: string | undefined, url: string): Promise<string> {
  const file = keyFile === undefined ? undefined : typedPath(keyFile);
  const demo = LOOPBACK.test(new URL(url).hostname) ? demoKeyFile(config) : undefined;
  if (file === undefined && process.env.PERCH_KEY) return usable(process.env.PERCH_KEY, 'PERCH_KEY');
  if (file !== undefined) return usable(await readKeyFile(file), file);
  if (demo !== undefined && existsSync(demo)) return usable(await readKeyFile(demo), demo);
  throw new Failure(
    'no API key: set PERCH_KEY or use --key-file; `perch key create` or the dashboard makes one',
    WRONG_USE,
  );
}

const readKeyFile = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw fileFailure(path, 'read', error, WRONG_USE);
  });

function usable(text: string, where: string): string {
  const key = text.trim();
  // A header cannot contain other characters, and the runtime's own error about them would quote the key.
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new Failure(`${where} does not contain a key: one begins with perch_live_ or perch_test_`, WRONG_USE);
}
