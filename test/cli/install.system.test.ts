import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isDependency, missing } from '../../adapters/cli/install.mjs';
import { INSTALL, type Ran, runNode } from './support/support.js';

/** A package with one dependency from a local file, so npm needs no network. */
let folder = '';
let installer = '';

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'perch-install-')));
  const [home, dependency] = [join(folder, 'home'), join(folder, 'dependency')];
  await mkdir(join(home, 'adapters/cli'), { recursive: true });
  await mkdir(dependency);
  await writeFile(join(dependency, 'package.json'), JSON.stringify({ name: 'twig', version: '1.0.0' }));
  await promisify(execFile)('npm', ['pack', '--silent', '--pack-destination', home], { cwd: dependency });
  await writeFile(
    join(home, 'package.json'),
    JSON.stringify({ name: 'nest', version: '1.0.0', dependencies: { twig: 'file:twig-1.0.0.tgz' } }),
  );
  installer = join(home, 'adapters/cli/install.mjs');
  await cp(INSTALL, installer);
  await promisify(execFile)('npm', ['install', '--package-lock-only', '--offline', '--no-audit'], { cwd: home });
  folder = home;
});
afterAll(() => rm(join(folder, '..'), { recursive: true, force: true }));

const install = (): Promise<Ran> => runNode([installer], { env: { npm_config_offline: 'true' } });

describe('the dependencies', () => {
  test('are installed by the first start, from any folder, and silently left alone by later starts', async () => {
    const both = await Promise.all([install(), install()]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(both.map(({ stdout }) => stdout)).toEqual(['', '']);
    const said = both.map(({ stderr }) => stderr).join('');
    const notice =
      /installing with npm ci, because the dependencies are not installed yet. This takes about half a minute/g;
    expect(said.match(notice)).toHaveLength(1);
    expect(JSON.parse(await readFile(join(folder, 'node_modules/twig/package.json'), 'utf8'))).toMatchObject({
      name: 'twig',
    });
    expect(await install()).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('end the start with 1 if npm fails, and say where', async () => {
    const broken = join(folder, '..', 'broken');
    await mkdir(join(broken, 'adapters/cli'), { recursive: true });
    await cp(INSTALL, join(broken, 'adapters/cli/install.mjs'));
    await writeFile(join(broken, 'package.json'), JSON.stringify({ dependencies: { twig: 'file:nowhere.tgz' } }));
    const ran = await runNode([join(broken, 'adapters/cli/install.mjs')], { env: { npm_config_offline: 'true' } });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('installing with npm install');
    expect(ran.stderr).toContain(`failed (`);
    expect(ran.stderr).toContain(broken);
  });
});

describe('packages that count as missing', () => {
  let place = '';
  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), 'perch-locks-'));
    await mkdir(join(place, 'node_modules'));
  });
  afterAll(() => rm(place, { recursive: true }));

  /** Packages by name with version and flags: those in the lockfile, and those that are installed. */
  async function missingFrom(wanted: object, there: object, dev = false): Promise<string | null> {
    const packages = (entries: object) =>
      JSON.stringify({
        packages: Object.fromEntries(Object.entries(entries).map(([name, e]) => [`node_modules/${name}`, e])),
      });
    await writeFile(join(place, 'package-lock.json'), packages(wanted));
    await writeFile(join(place, 'node_modules/.package-lock.json'), packages(there));
    return missing(place, dev);
  }
  const one = { version: '1.0.0' };

  test('include a package that is absent or has another version', async () => {
    expect(await missingFrom({ twig: one }, { twig: one })).toBeNull();
    expect(await missingFrom({ twig: one }, {})).toBe('twig is missing');
    expect(await missingFrom({ twig: one }, { twig: { version: '0.9.0' } })).toBe(
      'twig is 0.9.0, the lockfile says 1.0.0',
    );
    expect(await missingFrom({ twig: one }, { twig: one, more: one })).toBeNull();
  });

  test('do not include an absent optional one, and include those for development only in tests', async () => {
    expect(await missingFrom({ twig: { ...one, optional: true } }, {})).toBeNull();
    expect(await missingFrom({ twig: { ...one, dev: true } }, {})).toBeNull();
    expect(await missingFrom({ twig: { ...one, dev: true } }, {}, true)).toBe('twig is missing');
  });

  test('do not exist if Perch is itself a dependency', () => {
    expect(isDependency(join('/srv', 'app', 'node_modules', 'perch'))).toBe(true);
    expect(isDependency(join('/srv', 'perch'))).toBe(false);
  });
});
