/** A package under a licence that is not allowed is noticed. */
import { expect, test } from 'vitest';
import { checkLicences } from '../../../tools/supply/licences.js';
import { type Lockfile, readLockfile } from '../../../tools/supply/lockfile.js';

const LOCKFILE = readLockfile();

/** The project's lockfile with one more package. */
const withPackage = (entry: Lockfile['packages'][string]): Lockfile => ({
  packages: { ...LOCKFILE.packages, 'node_modules/uuid/node_modules/@other/one': { version: '1.2.3', ...entry } },
});

test('allows the licence of every package of the project', () => {
  expect(checkLicences(LOCKFILE).faults).toEqual([]);
  expect(checkLicences(LOCKFILE).packages).toBeGreaterThan(500);
});

test.each([
  ['MIT', []],
  ['(GPL-3.0 OR MIT)', []],
  ['GPL-3.0', ['The licence GPL-3.0 is not allowed: @other/one 1.2.3, in production.']],
  ['MIT AND GPL-3.0', ['The licence MIT AND GPL-3.0 is not allowed: @other/one 1.2.3, in production.']],
  ['MPL-2.0', ['The licence MPL-2.0 is not allowed: @other/one 1.2.3, in production.']],
  ['SEE LICENSE IN LICENSE', ['The licence SEE LICENSE IN LICENSE is not allowed: @other/one 1.2.3, in production.']],
  ['toString', ['The licence toString is not allowed: @other/one 1.2.3, in production.']],
  [undefined, ['The lockfile names no licence: @other/one 1.2.3, in production.']],
])('judges one more package under %s', (license, faults) => {
  const said = checkLicences(withPackage(license === undefined ? {} : { license })).faults;
  expect(said).toEqual(faults.map((text) => `${text} See tools/supply/policy.ts.`));
});

test('allows a licence for tools only to tools', () => {
  expect(checkLicences(withPackage({ license: 'MPL-2.0', dev: true })).faults).toEqual([]);
  expect(checkLicences(withPackage({ license: 'GPL-3.0', dev: true })).faults).toHaveLength(1);
});

test('fails on a row for a package that is no longer installed', () => {
  const { 'node_modules/compute-lcm': _, ...packages } = LOCKFILE.packages;
  expect(checkLicences({ packages }).faults).toEqual([
    'compute-lcm is no longer in package-lock.json: take its row out of STATED_ELSEWHERE.',
  ]);
});
