import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY } from '../../cli/support/support.js';

/** TEST_OLDER_COMMIT, or the commit before this one. */
const WANTED = process.env.TEST_OLDER_COMMIT ?? 'HEAD~1';

const git = (...args: string[]): string =>
  execFileSync('git', ['-C', REPOSITORY, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

const isInstalled = (name: string): boolean => existsSync(join(REPOSITORY, 'node_modules', name));

/** Migrations of the commit that have been changed since, which no database can follow: none once they are released. */
const changedMigrations = (commit: string): string =>
  git('diff', '--name-only', '--no-renames', '--diff-filter=MD', commit, '--', 'adapters/postgres/migrations');

/**
 * The commit that nodes are upgraded from; null where the history is not there, as in a shallow clone, where it needs a
 * package that is no longer installed, or where its migrations are no longer those of today.
 */
export function olderCommit(): string | null {
  try {
    const commit = git('rev-parse', '--verify', '--quiet', `${WANTED}^{commit}`);
    const { dependencies } = JSON.parse(git('show', `${commit}:package.json`));
    return Object.keys(dependencies).every(isInstalled) && changedMigrations(commit) === '' ? commit : null;
  } catch {
    return null;
  }
}

/** The repository as it was at a commit, with the packages of today; `remove` it in the end. */
export function checkOut(commit: string): { perch: string; remove: () => void } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'perch-older-')));
  const archive = join(folder, 'archive.tar');
  const tree = join(folder, 'tree');
  mkdirSync(tree);
  git('archive', '--format=tar', `--output=${archive}`, commit);
  execFileSync('tar', ['-xf', archive, '-C', tree]);
  // Its start would install what its own lockfile says, into the folder that is shared.
  cpSync(join(REPOSITORY, 'package-lock.json'), join(tree, 'package-lock.json'));
  symlinkSync(join(REPOSITORY, 'node_modules'), join(tree, 'node_modules'));
  return {
    perch: join(tree, 'adapters/cli/perch.mjs'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
