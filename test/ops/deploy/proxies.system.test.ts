/** The proxy configurations of docs/ and compose.yaml in front of the service, run by the real programs. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../adapters/cli/workers/free-port.js';
import { PUBLIC_QPS } from '../../../src/access/rate-headers.js';
import { SETTINGS } from '../../../src/config/settings.js';
import { blocksOf, readPage } from '../../docs/readme/markdown.js';
import { openStream, streamOf } from '../../kit/events.js';
import { createScriptedNetwork, range } from '../../kit/networks/scripted-network.js';
import { startPerch, type TestAccount, type TestPerch } from '../../kit/perch.js';
import { stopwatch } from '../../kit/time/stalls.js';
import { readCompose } from './compose-file.js';
import { ENV, type Front, isInstalled, makeCertificate, PROXIES, shownFor, startProxy } from './proxies.js';

const isOnCi = process.env.CI === 'true';

describe.each(Object.keys(PROXIES))('%s', (name) => {
  const missing = name.split(' and ').filter((program) => !isInstalled(program));
  const why = missing.length > 0 && !isOnCi ? ` [left out: no ${missing.join(', ')}]` : '';

  describe.skipIf(why !== '')(`in front of the service${why}`, () => {
    let folder: string;
    let perch: TestPerch;
    let front: Front;
    let account: TestAccount;
    let post: (id: string) => void;
    let perchPort: number;
    const shown: string[] = [];

    beforeAll(async () => {
      // Workers of an nginx started by root run as the user nobody.
      folder = mkdtempSync(join(tmpdir(), 'perch-proxies-'));
      chmodSync(folder, 0o755);
      const { ca } = makeCertificate(folder);
      const port = await freePort('127.0.0.1');
      perchPort = await freePort('127.0.0.1');
      const net = createScriptedNetwork();
      net.users(range(10));
      post = (id) => {
        net.tweet({ id, authorId: '9', createdAt: new Date().toISOString() });
        shown.unshift(id);
        net.list('timeline', '9', shown, { pageSize: 40 });
      };
      post('100');
      perch = await startPerch({
        network: net.network,
        env: { PORT: String(perchPort), PERCH_BASE_URL: `https://localhost:${port}`, PERCH_TRUST_PROXY: 'loopback' },
      });
      account = await perch.account({ credits: 100 });
      const place = { folder, port, perchPort };
      front = await startProxy(await (PROXIES[name]?.(place) ?? []), place, ca);
    });
    afterAll(async () => {
      await front?.stop();
      await perch?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const headers = (): Record<string, string> => ({ 'x-api-key': account.key });

    it('passes REST, GraphQL and MCP on, and charges each read once', async () => {
      const before = await perch.balance(account);
      const rest = await front.fetch('/v1/users/user1', { headers: headers() });
      expect([rest.status, rest.headers.get('x-credits-charged')]).toEqual([200, '1']);
      const json = { ...headers(), 'content-type': 'application/json' };
      const body = JSON.stringify({ query: '{ user(handle: "user2") { handle } }' });
      const graphql = await front.fetch('/graphql', { method: 'POST', headers: json, body });
      expect(await graphql.json()).toMatchObject({ data: { user: { handle: 'user2' } } });
      const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
      const accept = 'application/json, text/event-stream';
      const mcp = await front.fetch('/mcp', { method: 'POST', headers: { ...json, accept }, body: list });
      expect(await mcp.text()).toContain('get_user');
      expect(await perch.balance(account)).toBe(before - 2);
    });

    it('passes an event of a stream on within a second', async () => {
      const path = '/v1/live?user=user9';
      const through = streamOf(await front.fetch(path, { headers: headers() }));
      const direct = await openStream(`http://127.0.0.1:${perchPort}${path}`, account.key);
      await Promise.all([through.next('position'), direct.next('position')]);
      post('101');
      await direct.next('items');
      const elapsedMs = stopwatch();
      expect(await through.next('items')).toMatchObject({ data: { data: [{ id: '101' }] } });
      expect(elapsedMs()).toBeLessThan(1000);
      direct.leave();
      await through.events.return(undefined);
    });

    it('replaces the address that a client claims', async () => {
      const leastLeft = async (network: string): Promise<number> => {
        const claims = Array.from({ length: PUBLIC_QPS - 2 }, (_, index) =>
          front.fetch('/', { headers: { accept: 'application/json', 'x-forwarded-for': `${network}.${index}` } }),
        );
        const left = (await Promise.all(claims)).map((answer) =>
          Number(/remaining=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]),
        );
        return Math.min(...left);
      };
      // All requests count for one address, whose limit refills more slowly than this, except on a busy machine.
      let left = await leastLeft('198.51.100');
      if (left >= PUBLIC_QPS - 2) left = await leastLeft('203.0.113');
      expect(left).toBeLessThan(PUBLIC_QPS - 2);
    });

    it('ignores what a client claims about host and protocol', async () => {
      const lies = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http', accept: 'text/html' };
      const page = await front.fetch('/sign-in', { headers: lies });
      expect(page.headers.get('strict-transport-security')).toContain('max-age=31536000');
      expect(await page.text()).not.toContain('evil.example');
    });

    it('lets addresses, headers and bodies through that Perch accepts', async () => {
      const long = await front.fetch(`/v1/users/user3?fields=${'x'.repeat(8000)}`, { headers: headers() });
      const wide = await front.fetch('/v1/me', { headers: { ...headers(), 'x-large': 'x'.repeat(15_000) } });
      const json = { ...headers(), 'content-type': 'application/json' };
      const body = JSON.stringify({ query: `{ user(handle: "user1") { handle } } #${'x'.repeat(60_000)}` });
      const large = await front.fetch('/graphql', { method: 'POST', headers: json, body });
      // These are Perch's own answers, not the proxy's.
      expect((await long.json()) as object).toMatchObject({ warnings: ['Unknown parameter fields was ignored.'] });
      expect(wide.status).toBe(200);
      expect([large.status, large.headers.get('x-request-id')]).toEqual([200, expect.any(String)]);
    });
  });
});

describe('the examples', () => {
  it.each([
    ['nginx', /proxy_read_timeout (\d+)s/],
    ['haproxy', /timeout server (\d+)s/],
  ])('of %s waits longer than the longest read', (language, pattern) => {
    const seconds = Number(pattern.exec(shownFor(language))?.[1]);
    expect(seconds * 1000).toBeGreaterThan(Number(SETTINGS.PERCH_DEADLINE_MS.fallback));
  });

  it.each(['https://perch.example', 'https://perch.example/'])(
    'of compose.yaml gives Caddy %s as a site without a path',
    (address) => {
      const env = { PERCH_SECRET: 'x', POSTGRES_PASSWORD: 'x', PERCH_BASE_URL: address };
      const { services, configs } = readCompose(env);
      const { command: [sh = '', ...words] = [], environment } = services.proxy ?? {};
      const shown = words.map((word) => word.replace('exec caddy run', 'exec printenv PERCH_BASE_URL #'));
      expect(spawnSync(sh, shown, { env: environment, encoding: 'utf8' }).stdout).toBe('https://perch.example\n');
      expect(configs.caddy?.content).toMatch(/^\{\$PERCH_BASE_URL\} \{$/m);
    },
  );

  const program = 'systemd-analyze';
  const why = isInstalled(program) ? '' : ` [left out: no ${program}]`;
  it.skipIf(why !== '')(`of a unit is accepted by systemd${why}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'perch-unit-'));
    const [block] = blocksOf(readPage('docs/deploying.md')).filter(({ language }) => language === 'ini');
    const file = join(folder, 'perch.service');
    writeFileSync(file, block?.text ?? '');
    const { status, stdout, stderr } = spawnSync(program, ['verify', '--man=no', file], { env: ENV, encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect(status, stdout + stderr).toBe(0);
  });
});
