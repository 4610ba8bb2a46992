import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { upstreamFault } from '../kit/networks/faults.js';
import { range } from '../kit/networks/scripted-network.js';
import { type Service, startService } from './support/service.js';

const PATHS = ['/', '/status', '/healthz', '/openapi.yaml'];

describe('endpoints without a key (sections 4 and 8.1.6, H4, H6, H10, H11, L10)', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ fill: (net) => void net.users([1]) });
  });
  afterAll(() => service.close());
  // All tests share one address, which has ten requests a second.
  beforeEach(() => service.clock.advance(1000));

  it.each(PATHS)('answer %s with 200 without a key, under the public policy of 10 a second', async (path) => {
    const reply = await service.nobody.get(path);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('ratelimit')).toBe('limit=10, remaining=9, reset=1');
    expect(reply.headers.get('ratelimit-policy')).toBe('public; q=10; w=1');
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('share one bucket per address, with a standard 429 for the eleventh request (H11)', async () => {
    const limited = PATHS.filter((path) => path !== '/healthz');
    for (const n of range(10)) expect((await service.nobody.get(limited[n % 3] ?? '/')).status).toBe(200);
    const reply = await service.nobody.get('/status');
    expect([reply.status, reply.body.error.code]).toEqual([429, 'rate_limited']);
    expect(reply.headers.get('ratelimit-policy')).toBe('public; q=10; w=1');
    expect(reply.headers.get('retry-after')).toBe('1');
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    expect(reply.body.credits_charged).toBe(0);
    service.clock.advance(100);
    expect((await service.nobody.get('/status')).status).toBe(200);
  });

  it('let pages of other origins send a validator, and no key (H5)', async () => {
    const headers = { origin: 'https://page.example', 'access-control-request-headers': 'if-none-match' };
    const reply = await service.nobody.send('OPTIONS', '/openapi.json', { headers });
    expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(reply.headers.get('access-control-allow-headers')).toBe('If-None-Match');
  });

  it('state the public policy when a request cannot be read', async () => {
    const reply = await service.nobody.get('/healthz?x=%FF');
    expect([reply.status, reply.headers.get('ratelimit-policy')]).toEqual([400, 'public; q=10; w=1']);
  });

  it('answer every health check, whatever else its address requests (L12)', async () => {
    while ((await service.nobody.get('/')).status !== 429);
    const first = await service.nobody.get('/healthz');
    expect(first.headers.get('ratelimit')).toBe('limit=10, remaining=9, reset=1');
    for (const _ of range(30)) expect((await service.nobody.get('/healthz')).status).toBe(200);
    const last = await service.nobody.get('/healthz');
    expect(last.headers.get('ratelimit')).toBe('limit=10, remaining=0, reset=1');
    expect(last.headers.get('ratelimit-policy')).toBe('public; q=10; w=1');
  });

  it.each(['/docs', '/docs/pricing', '/docs/api', '/llms.txt', '/changelog', '/sitemap.xml'])(
    'answer %s whatever else its address requests, in a bucket of its own (L10)',
    async (path) => {
      while ((await service.nobody.get('/')).status !== 429);
      for (const n of range(30)) {
        const { status, headers } = await service.nobody.get(path, { accept: 'text/html' });
        expect([status, headers.get('ratelimit-policy')]).toEqual([200, 'public; q=10; w=1']);
        if (n === 0) expect(headers.get('ratelimit')).toBe('limit=10, remaining=9, reset=1');
      }
    },
  );

  it('refuse a browser with a page, and a program in the standard form (L10)', async () => {
    while ((await service.nobody.get('/')).status !== 429);
    const page = await service.nobody.get('/pricing', { accept: 'text/html' });
    expect([page.status, page.headers.get('retry-after')]).toEqual([429, '1']);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.text).toContain('<h1>Too many requests</h1>');
    expect((await service.nobody.get('/pricing')).body.error.code).toBe('rate_limited');
  });

  it('calculate the cost of a month on /pricing, and refuse anything but a number', async () => {
    const page = await service.nobody.get('/pricing?per=day&tweet=480', { accept: 'text/html' });
    expect(page.text).toContain('14,400');
    expect(page.text).toMatch(/<link rel="canonical" href="http:\/\/[^"?]+\/pricing"/);
    expect((await service.nobody.get('/pricing?tweet=480')).body).toMatchObject({
      month: { credits: 14_400, buy: { pack: 'builder' } },
    });
    const wrong = await service.nobody.get('/pricing?tweet=many', { accept: 'text/html' });
    expect([wrong.status, wrong.text.includes('value="many"')]).toEqual([400, true]);
    const refused = await service.nobody.get('/pricing?tweet=many');
    expect([refused.status, refused.body.error.code, refused.body.error.param]).toEqual([400, 'bad_request', 'tweet']);
    for (const query of ['tweet=1&tweet=2', '__proto__=1&tweet=1', 'per=year&tweet=1']) {
      expect((await service.nobody.get(`/pricing?${query}`)).status).toBeLessThan(500);
    }
  });

  it.each([
    ['/status.atom', 'application/atom+xml; charset=utf-8', '<title>Perch incidents</title>'],
    ['/changelog.atom', 'application/atom+xml; charset=utf-8', '<title>Perch 0.3.0</title>'],
    ['/robots.txt', 'text/plain; charset=utf-8', 'Disallow: /dashboard'],
    ['/sitemap.xml', 'application/xml; charset=utf-8', '/docs/pricing</loc>'],
  ])('serve %s as %s', async (path, type, content) => {
    const reply = await service.nobody.get(path);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, type]);
    expect(reply.text).toContain(content);
  });

  it('list only existing pages in the sitemap, and the sitemap in robots.txt', async () => {
    const sitemap = (await service.nobody.get('/sitemap.xml')).text;
    const paths = [...sitemap.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url = '']) =>
      url.replace(service.perch.url, ''),
    );
    expect(paths).toEqual(
      expect.arrayContaining(['/', '/pricing', '/status', '/changelog', '/docs', '/docs/api/user']),
    );
    expect(new Set(paths).size).toBe(paths.length);
    for (const path of paths) {
      service.clock.advance(1000);
      const { status, text } = await service.nobody.get(path, { accept: 'text/html' });
      expect([path, status, text.includes(`<link rel="canonical" href="${service.perch.url}${path}"`)]).toEqual([
        path,
        200,
        true,
      ]);
    }
    expect((await service.nobody.get('/robots.txt')).text).toContain(`Sitemap: ${service.perch.url}/sitemap.xml`);
  });

  it('have an icon where browsers look for one', async () => {
    const reply = await service.nobody.get('/favicon.ico');
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'image/x-icon']);
  });

  it('count nothing against an account, even if a key is sent', async () => {
    const customer = await service.customer({ qps: 2 });
    for (const path of PATHS) await customer.get(path);
    const reply = await customer.get('/v1/me');
    expect(reply.headers.get('ratelimit')).toBe('limit=2, remaining=1, reset=1');
    expect(await customer.balance()).toBe(1000);
  });

  it('ignore a bad key', async () => {
    expect((await service.nobody.get('/healthz', { 'x-api-key': 'nonsense' })).status).toBe(200);
  });

  it.each(PATHS)('H4: answer HEAD without a body: %s', async (path) => {
    const reply = await service.nobody.send('HEAD', path);
    expect([reply.status, reply.text]).toEqual([200, '']);
  });

  it('H10: have name, version, links and prices at /, as JSON for programs and HTML for browsers', async () => {
    const json = await service.nobody.get('/');
    expect(json.headers.get('content-type')).toMatch(/^application\/json/);
    expect(json.body).toMatchObject({ name: expect.stringMatching(/perch/i), version: '0.3.0' });
    expect(json.text).toContain('0.02');
    const html = await service.nobody.get('/', { accept: 'text/html,application/xhtml+xml' });
    expect(html.headers.get('content-type')).toMatch(/^text\/html/);
    expect(html.headers.get('vary')).toMatch(/accept/i);
  });

  it.each(['/status', '/docs', '/openapi.yaml', '/graphql?query={__typename}'])(
    'send no page to a client that refuses HTML or prefers JSON: %s',
    async (path) => {
      for (const accept of ['application/json, text/html;q=0', 'text/html;q=0.5, application/json']) {
        const { status, headers } = await service.nobody.get(path, { accept });
        expect([status, headers.get('content-type')]).toEqual([200, expect.not.stringContaining('html')]);
      }
    },
  );

  it('H10: answer {"status":"ok"} at /healthz without a call of the network', async () => {
    const calls = service.net.calls.length;
    service.net.fail(upstreamFault('upstream_error'));
    const reply = await service.nobody.get('/healthz').finally(() => service.net.heal());
    expect(reply.body).toEqual({ status: 'ok' });
    expect(service.net.calls).toHaveLength(calls);
  });

  it('H10: report each read family with its queue and last incident on /status', async () => {
    const reader = await service.customer();
    await reader.get('/v1/users/user1?fresh=true');
    const well = await service.nobody.get('/status');
    expect(well.body).toMatchObject({
      status: 'ok',
      families: [
        { name: 'fast', state: 'ok', queueWaitMs: 0 },
        { name: 'slow', state: 'ok', queueWaitMs: 0 },
      ],
    });
    service.net.fail(upstreamFault('no_account'));
    await reader.get('/v1/users/user1?fresh=true').finally(() => service.net.heal());
    expect((await service.nobody.get('/status')).body).toMatchObject({
      families: [{ name: 'fast', state: 'degraded', lastIncident: { code: 'no_account' } }, { name: 'slow' }],
    });
    await reader.get('/v1/users/user1?fresh=true');
    expect((await service.nobody.get('/status')).body).toMatchObject({ families: [{ state: 'ok' }, {}] });
  });

  it('9.5: serve /openapi.yaml as OpenAPI 3.1 of version 0.3.0, with a validator (H6)', async () => {
    const reply = await service.nobody.get('/openapi.yaml');
    expect(parse(reply.text)).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./), info: { version: '0.3.0' } });
    const etag = reply.headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/".+"$/);
    const again = await service.nobody.get('/openapi.yaml', { 'if-none-match': etag });
    expect([again.status, again.text]).toEqual([304, '']);
    expect(again.headers.get('vary')).toBe(reply.headers.get('vary'));
  });

  it('describe estimates in the OpenAPI document only with estimates=true (H18)', async () => {
    const usual = (await service.nobody.get('/openapi.yaml')).text;
    expect((await service.nobody.get('/openapi.yaml?estimates=False')).text).toBe(usual);
    expect(usual).not.toContain('EstimateResponse');
    expect((await service.nobody.get('/openapi.yaml?estimates=true')).text).toContain('EstimateResponse');
    const { status, body } = await service.nobody.get('/openapi.json?estimates=all');
    expect([status, body.error.code, body.error.param]).toEqual([400, 'bad_request', 'estimates']);
  });

  it.each(['/openapi.yaml', '/openapi.json'])('send %s compressed (H7)', async (path) => {
    const reply = await service.nobody.get(path, { 'accept-encoding': 'gzip' });
    expect([reply.status, reply.headers.get('content-encoding')]).toEqual([200, 'gzip']);
    expect(reply.headers.get('vary')).toBe('Accept, Accept-Encoding');
  });

  it.each([
    ...[
      '/',
      '/status',
      '/legal',
      '/pricing',
      '/problems',
      '/problems/not_found',
      '/docs',
      '/docs/pricing',
      '/docs/api',
    ],
    ...['/openapi.yaml', '/openapi.json'],
  ])('H10: send Vary: Accept with %s to a browser and to a program', async (path) => {
    for (const accept of ['text/html', 'application/json', undefined]) {
      const { status, headers } = await service.nobody.get(path, accept === undefined ? {} : { accept });
      expect([status < 400, headers.get('vary')]).toEqual([true, expect.stringMatching(/^Accept(?:,|$)/)]);
    }
  });

  it('9.1: need a key only below /v1/, according to the OpenAPI document', async () => {
    const { paths } = parse((await service.nobody.get('/openapi.yaml')).text) as { paths: Record<string, object> };
    const keyed = Object.keys(paths).filter((path) => !PATHS.includes(path) && !path.startsWith('/problems'));
    expect(keyed.filter((path) => !path.startsWith('/v1/'))).toEqual([]);
    expect(keyed.length).toBeGreaterThan(15);
  });

  it('L10: have no rate policy on pages and their assets', async () => {
    const page = await service.nobody.get('/', { accept: 'text/html' });
    const assets = [...page.text.matchAll(/(?:href|src)="(\/[^"]+\.(?:css|js|svg))"/g)].map(([, path]) => path ?? '');
    expect(assets.length).toBeGreaterThan(0);
    for (const _time of range(20)) {
      const reply = await service.nobody.get(assets[0] ?? '');
      expect([reply.status, reply.headers.get('ratelimit-policy')]).toEqual([200, null]);
      expect(reply.headers.get('cache-control')).toContain('immutable');
    }
    for (const _time of range(20)) {
      expect((await service.nobody.get('/graphql', { accept: 'text/html' })).status).toBe(200);
    }
  });

  it.each([
    '/docs',
    '/docs/api',
    '/docs/api/user',
    '/docs/pricing',
    '/docs/pricing.md',
    '/docs/compose.yaml',
    '/docs/search.json',
    '/llms.txt',
  ])('H13: serve %s without a key, free, compressed, and not again to a client that has it', async (path) => {
    const customer = await service.customer();
    const reply = await customer.get(path, { accept: 'text/html', 'accept-encoding': 'gzip' });
    expect([reply.status, reply.headers.get('ratelimit-policy')]).toEqual([200, 'public; q=10; w=1']);
    expect([reply.headers.get('content-encoding'), await customer.balance()]).toEqual(['gzip', 1000]);
    const etag = reply.headers.get('etag') ?? '';
    const again = await service.nobody.get(path, { accept: 'text/html', 'if-none-match': etag });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  it('H13: serve a page as HTML to browsers and Markdown to programs, with the address of this service', async () => {
    const html = await service.nobody.get('/docs/pricing', { accept: 'text/html' });
    expect(html.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(html.headers.get('content-security-policy')).not.toContain('unsafe');
    const markdown = await service.nobody.get('/docs/pricing');
    expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(markdown.headers.get('etag')).not.toBe(html.headers.get('etag'));
    expect(markdown.text).toMatch(/^# Pricing/);
    expect((await service.nobody.get('/docs/pricing.md', { accept: 'text/html' })).text).toBe(markdown.text);
    for (const { text } of [html, markdown]) expect(text).toContain(`${service.perch.url}/v1/users/harbor_obs`);
  });

  it.each(['/openapi.yaml', '/openapi.json'])(
    'H13: lead a browser from %s to the reference, and offer the document to save',
    async (path) => {
      const document = await service.nobody.get(path);
      expect(parse(document.text)).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./) });
      const page = await fetch(`${service.perch.url}${path}`, { headers: { accept: 'text/html' }, redirect: 'manual' });
      expect([page.status, page.headers.get('location')]).toEqual([303, '/docs/api']);
      const saved = await service.nobody.get(`${path}?download`, { accept: 'text/html' });
      expect(saved.text).toBe(document.text);
      expect(saved.headers.get('content-disposition')).toMatch(/^attachment; filename="openapi\./);
    },
  );

  it.each(['/docs/nothing', '/docs/api/nothing', '/docs/nothing.md', '/docs/..%2Fpackage.json', '/docs/__proto__'])(
    'H13: answer %s with 404, as a page for a browser',
    async (path) => {
      const page = await service.nobody.get(path, { accept: 'text/html' });
      expect([page.status, page.text.includes('<h1>Page not found</h1>')]).toEqual([404, true]);
      const reply = await service.nobody.get(path);
      expect([reply.status, reply.body.error.code]).toEqual([404, 'not_found']);
    },
  );

  it('answer an unknown path outside /v1 with a standard 404, without a policy of accounts', async () => {
    const reply = await service.nobody.get('/nothing');
    expect([reply.status, reply.body.error.code]).toEqual([404, 'not_found']);
    expect(reply.headers.get('ratelimit-policy')).toBeNull();
  });
});
