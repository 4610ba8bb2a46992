/** The Python client as pip installs it: built offline with Debian's packages, in a virtual environment. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientArchives } from '../../../clients/archives.mjs';
import { ROOT } from '../../docs/readme/markdown.js';
import { canRun, has, without } from './python.js';

const run = promisify(execFile);
/** The first Python on the PATH may lack the packages to build a wheel. */
const builder = ['python3', '/usr/bin/python3'].find((each) => canRun(each, '-c', 'import setuptools, wheel, pip'));
const missing = builder === undefined ? ' (left out: no python3 here has pip, setuptools and wheel)' : '';

describe.runIf(builder !== undefined)(`the wheel of the Python client${missing}`, () => {
  const program = builder ?? '';
  let home: string;
  let installed: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'perch-wheel-'));
    const source = join(home, 'source');
    await cp(join(ROOT, 'clients/python'), source, { recursive: true });
    const offline = ['--no-index', '--no-deps', '--disable-pip-version-check'];
    await run(program, ['-m', 'pip', 'wheel', '--no-build-isolation', ...offline, '--wheel-dir', home, source]);
    const wheel = (await readdir(home)).find((name) => name.endsWith('.whl')) ?? '';
    installed = join(home, 'environment/bin/python');
    await run(program, ['-m', 'venv', '--without-pip', join(home, 'environment')]);
    await run(program, ['-m', 'pip', '--python', installed, 'install', ...offline, join(home, wheel)]);
  }, 120_000);
  afterAll(() => rm(home, { recursive: true, force: true }));

  it('has the code, the marker of its types and the licence, and nothing else', async () => {
    const code =
      "import importlib.metadata as m, json\nprint(json.dumps([str(f) for f in m.files('perch-client') or []]))";
    const { stdout } = await run(installed, ['-c', code]);
    const files = (JSON.parse(stdout) as string[]).filter((path) => !path.endsWith('.pyc'));
    const source = await readdir(join(ROOT, 'clients/python/src/perch_client'));
    const own = source.filter((name) => /\.(?:py|typed)$/.test(name)).map((name) => `perch_client/${name}`);
    expect(files.filter((path) => path.startsWith('perch_client/')).sort()).toEqual(own.sort());
    expect(files.filter((path) => !/^perch_client(?:-[\d.]+\.dist-info)?\//.test(path))).toEqual([]);
    expect(files.some((path) => /dist-info\/(?:licenses\/)?LICENSE$/.test(path))).toBe(true);
  });

  it('is the wheel that services offer, except for times and the builder', async () => {
    await writeFile(join(home, 'served.zip'), clientArchives().python);
    const [ours = '', theirs = ''] = ['served.zip', (await readdir(home)).find((name) => name.endsWith('.whl')) ?? ''];
    // The text of each file, by its path.
    const code = `import json, sys, zipfile
print(json.dumps({n: z.read(n).decode() for z in [zipfile.ZipFile(sys.argv[1])] for n in sorted(z.namelist())}))`;
    const read = async (name: string): Promise<Record<string, string>> => {
      const { stdout } = await run(program, ['-c', code, join(home, name)]);
      const { 'perch_client-0.3.0.dist-info/RECORD': record = '', ...rest } = JSON.parse(stdout) as Record<
        string,
        string
      >;
      const generator = /^Generator: .*$/m;
      return Object.fromEntries(
        [
          ...Object.entries(rest),
          [
            'RECORD',
            record
              .split('\n')
              .filter((line) => !line.includes('/WHEEL'))
              .sort()
              .join('\n'),
          ],
        ].map(([path = '', text = '']) => [path, text.replace(generator, '').trim()]),
      );
    };
    expect(await read(ours)).toEqual(await read(theirs));
  });

  it('has its version, licence, Python range and page in its metadata', async () => {
    const code = "import importlib.metadata as m, json\nprint(json.dumps(list(m.metadata('perch-client').items())))";
    const { stdout } = await run(installed, ['-c', code]);
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    expect(JSON.parse(stdout)).toEqual(
      expect.arrayContaining([
        ['Version', version],
        ['License', 'MIT'],
        ['Requires-Python', '>=3.9'],
        ['Description-Content-Type', 'text/markdown'],
      ]),
    );
    expect(stdout).toContain('# Python client');
    expect(stdout).not.toContain('Requires-Dist');
  });

  it('is built from a source archive that has what it needs, its page and its licence', async () => {
    const code = 'import setuptools.build_meta as b, sys\nb.build_sdist(sys.argv[1])';
    await run(program, ['-c', code, home], { cwd: join(home, 'source') });
    const archive = (await readdir(home)).find((name) => name.endsWith('.tar.gz')) ?? '';
    const { stdout } = await run('tar', ['-tzf', join(home, archive)]);
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    const own = await readdir(join(ROOT, 'clients/python/src/perch_client'));
    const sources = own.filter((name) => /\.(?:py|typed)$/.test(name)).map((name) => `src/perch_client/${name}`);
    for (const name of ['LICENSE', 'README.md', 'PKG-INFO', 'pyproject.toml', 'setup.cfg', ...sources]) {
      expect(stdout).toMatch(new RegExp(`^perch[-_]client-${version}/${name}$`, 'm'));
    }
  });

  it('is imported without a warning', async () => {
    const { stdout } = await run(installed, [
      '-I',
      '-W',
      'error',
      '-c',
      "import perch_client; print(perch_client.Perch('http://a', 'k'))",
    ]);
    expect(stdout).toBe("Perch('http://a')\n");
  });

  it.runIf(has.mypy)(
    `has types when installed${without('mypy')}`,
    async () => {
      const types = join(ROOT, 'test/clients/python/typed.py');
      const options = ['--strict', '--python-executable', installed, '--cache-dir', join(home, 'mypy')];
      const { stdout } = await run('mypy', [...options, types], { cwd: home, env: { ...process.env, MYPYPATH: '' } });
      expect(stdout).toMatch(/^Success: no issues found in 1 source file/);
    },
    120_000,
  );
});
