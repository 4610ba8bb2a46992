import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../test/docs/readme/markdown.js';

export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  /** The real name of a package that is installed under another one. */
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  /** A workspace of this repository. */
  readonly link?: boolean;
}

/** A third-party package, as installed in one place. */
export interface Installed {
  readonly name: string;
  readonly version: string;
  readonly license: string | undefined;
  /** Only for development: neither in the package nor in the image. */
  readonly isTool: boolean;
}

const NODE_MODULES = 'node_modules/';

export const readLockfile = (): Lockfile => JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));

export function installedOf({ packages }: Lockfile): Installed[] {
  return Object.entries(packages)
    .filter(([path, { link }]) => path.includes(NODE_MODULES) && !link)
    .map(([path, { name, version = '', license, dev = false }]) => ({
      name: name ?? path.slice(path.lastIndexOf(NODE_MODULES) + NODE_MODULES.length),
      version,
      license,
      isTool: dev,
    }));
}
