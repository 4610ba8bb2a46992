/** `npm run supply` against a registry that knows an advisory, knows none, or does not answer; and `npm run sbom`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { installedOf, readLockfile } from '../../../tools/supply/lockfile.js';
import { REPOSITORY } from '../../cli/support/support.js';

const SLOW_MS = 120_000;

const ADVISORY = {
  id: 1,
  url: 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc',
  title: 'Guessable',
  severity: 'high',
  vulnerable_versions: '<99',
  cwe: [],
  cvss: { score: 7, vectorString: null },
};

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

/** A registry that answers requests for advisories, or not at all. */
async function registry(advisories: Record<string, unknown[]> | null): Promise<string> {
  server = createServer((request, response) => {
    const isBulkQuery = request.method === 'POST' && request.url?.endsWith('/advisories/bulk');
    response.statusCode = isBulkQuery && advisories !== null ? 200 : 404;
    response.setHeader('content-type', 'application/json');
    request.resume().on('end', () => response.end(JSON.stringify((isBulkQuery && advisories) || {})));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function run(script: string, registryUrl = 'http://127.0.0.1:1/') {
  const env = { ...process.env, npm_config_registry: registryUrl, npm_config_fetch_retries: '0' };
  const child = spawn('npm', ['run', '-s', script], { cwd: REPOSITORY, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}

test('fails on an advisory that was not accepted and names its package', { timeout: SLOW_MS }, async () => {
  const { code, stdout, stderr } = await run('supply', await registry({ uuid: [ADVISORY] }));
  expect(stdout).toMatch(/Advisories: 1 known, 0 of them accepted\./);
  expect(stderr).toContain('GHSA-aaaa-bbbb-cccc (high) of uuid: Guessable');
  expect(code).toBe(1);
});

test('passes if the registry knows no advisory', { timeout: SLOW_MS }, async () => {
  const { code, stdout } = await run('supply', await registry({}));
  expect(stdout).toMatch(/^Licences of \d+ packages: .*\nAdvisories: 0 known, 0 of them accepted\.\n$/);
  expect(code).toBe(0);
});

test.each([
  ['refuses', null],
  ['is not there', undefined],
])(
  'checks only the licences, and says that it checked no more, with a registry that %s',
  { timeout: SLOW_MS },
  async (_how, answer) => {
    const { code, stdout } = await run('supply', answer === null ? await registry(null) : undefined);
    expect(stdout).toMatch(/^Licences of \d+ packages: /);
    expect(stdout).toContain('Advisories: NOT CHECKED, because the registry did not answer; licences only.');
    expect(code).toBe(0);
  },
);

test('lists each production package of the SBOM once, with its hash', {
  timeout: SLOW_MS,
}, async () => {
  const { code, stdout } = await run('sbom');
  expect(code).toBe(0);
  const document = JSON.parse(stdout);
  expect(document).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' });
  expect(document.metadata.component).toMatchObject({ name: 'perch', type: 'application', licenses: [{}] });
  const production = installedOf(readLockfile()).filter(({ isTool }) => !isTool);
  const others = document.components.filter(({ name }: { name: string }) => name !== 'build');
  const refs = others.map((component: { 'bom-ref': string }) => component['bom-ref']);
  expect(refs.sort()).toEqual([...new Set(production.map(({ name, version }) => `${name}@${version}`))].sort());
  for (const component of others)
    expect(component).toMatchObject({
      purl: expect.stringMatching(/^pkg:npm\//),
      hashes: [{ alg: 'SHA-512' }],
      licenses: [{}],
    });
});
