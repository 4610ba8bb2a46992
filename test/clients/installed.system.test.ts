/** The clients as customers get them: npm and pip install them from the running service, by the commands of their pages. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf, ROOT } from '../docs/readme/markdown.js';
import { demoDatabase } from '../kit/demo.js';
import { startPerch, type TestPerch } from '../kit/perch.js';
import { canRun } from './python/python.js';

const run = promisify(execFile);
/** npm also installs `openapi-fetch`, from its registry. */
const hasRegistry = canRun('npm', 'view', 'openapi-fetch', 'version');
const hasVenv = canRun('python3', '-c', 'import venv, ensurepip');

describe('the packages that a service offers', () => {
  let perch: TestPerch;
  let home: string;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    perch = await startPerch({ openDatabase: demoDatabase, env: { PERCH_TRUST_PROXY: 'loopback' } });
    home = await mkdtemp(join(tmpdir(), 'perch-installed-'));
    const { key } = await perch.account({ credits: 10 });
    env = { ...process.env, PERCH_URL: perch.url, PERCH_KEY: key };
  }, 120_000);
  afterAll(async () => {
    await perch?.close();
    await rm(home, { recursive: true, force: true });
  });

  /** The first commands of a client's page, for this service. */
  const installing = async (language: string): Promise<string> => {
    const page = await readFile(join(ROOT, 'clients', language, 'README.md'), 'utf8');
    const [first] = blocksOf(page).filter((block) => block.language === 'sh');
    return (first?.text ?? '').replaceAll('http://127.0.0.1:4000', perch.url);
  };
  const inFolder = async (name: string): Promise<string> => {
    await mkdir(join(home, name));
    return join(home, name);
  };

  it.runIf(hasRegistry)(
    `npm installs the TypeScript client, which reads a profile${hasRegistry ? '' : " (left out: npm's registry can't be reached)"}`,
    async () => {
      const cwd = await inFolder('typescript');
      await writeFile(join(cwd, 'package.json'), '{ "type": "module" }');
      await run('sh', ['-c', await installing('typescript')], { cwd, env });
      const code = `import { createPerch } from '@perch/client';
const perch = createPerch({ baseUrl: process.env.PERCH_URL, key: process.env.PERCH_KEY });
console.log((await perch.get('/v1/users/{handle}', { path: { handle: 'harbor_obs' } })).data.name);`;
      await writeFile(join(cwd, 'read.js'), code);
      expect((await run(process.execPath, ['read.js'], { cwd, env })).stdout).toBe('Harbor Observatory\n');
    },
    120_000,
  );

  it.runIf(hasVenv)(
    `pip installs the Python client, which reads a profile${hasVenv ? '' : ' (left out: no python3 here has venv and pip)'}`,
    async () => {
      const cwd = await inFolder('python');
      await run('sh', ['-ec', await installing('python')], { cwd, env });
      const code = `import os
from perch_client import Perch
print(Perch(os.environ["PERCH_URL"], os.environ["PERCH_KEY"]).user("harbor_obs")["data"]["name"])`;
      expect((await run('.venv/bin/python', ['-I', '-c', code], { cwd, env })).stdout).toBe('Harbor Observatory\n');
    },
    120_000,
  );

  // Each test uses another address, because without a key an address has ten requests a second.
  it('sends each file with its type and a validator, also to pages of other origins, and the schema as it is printed', async () => {
    const types = {
      '/clients/perch-client-0.3.0.tgz': 'application/gzip',
      '/clients/perch_client-0.3.0-py3-none-any.whl': 'application/zip',
      '/schema.graphql': 'text/plain; charset=utf-8',
      '/perch.postman_collection.json': 'application/json; charset=utf-8',
      '/perch.bruno.zip': 'application/zip',
    };
    const from = { 'x-forwarded-for': '192.0.2.2' };
    for (const [path, type] of Object.entries(types)) {
      const response = await fetch(`${perch.url}${path}`, { headers: from });
      expect([path, response.status, Object.fromEntries(response.headers)]).toMatchObject([
        path,
        200,
        { 'content-type': type, 'cache-control': 'public, max-age=300', 'access-control-allow-origin': '*' },
      ]);
      const body = Buffer.from(await response.arrayBuffer());
      if (path === '/schema.graphql')
        expect(body.equals(await readFile(join(ROOT, 'schema/schema.graphql')))).toBe(true);
      const headers = { ...from, 'if-none-match': response.headers.get('etag') ?? '' };
      expect([path, (await fetch(`${perch.url}${path}`, { headers })).status]).toEqual([path, 304]);
    }
  });

  it('shows GraphiQL to a browser that opens a query, and answers every program as before', async () => {
    const address = `${perch.url}/graphql?query=${encodeURIComponent('{ me { balance } }')}`;
    const from = { 'x-forwarded-for': '192.0.2.1' };
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    const browser = await fetch(address, { headers: { accept, ...from } });
    expect([browser.status, browser.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    for (const accept of ['*/*', 'application/json', 'application/graphql-response+json']) {
      const refused = await fetch(address, { headers: { accept, ...from } });
      expect([accept, refused.status]).toEqual([accept, 401]);
      const paid = await fetch(address, { headers: { accept, 'x-api-key': env.PERCH_KEY ?? '' } });
      expect(((await paid.json()) as { data: object }).data).toEqual({ me: { balance: expect.any(Number) } });
    }
  });
});
