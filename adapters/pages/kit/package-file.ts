import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * A file of an installed package, to be sent to browsers; the package need not export it. The build finds calls of this
 * function with two literals and copies their files; the built program reads the copies.
 */
export function packageFile(name: string, file: string): Buffer {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const folder = folders.find((each) => existsSync(join(each, name, 'package.json')));
  if (folder === undefined) throw new Error(`The package ${name} is not installed`);
  return readFileSync(join(folder, name, file));
}
