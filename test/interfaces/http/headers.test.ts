import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GRAPHIQL_CSP } from '../../../adapters/pages/graphiql/mount.js';
import { SITE_CSP, sendPage } from '../../../adapters/pages/kit/send-page.js';
import { type BareServer, startBareServer } from './server.js';

let server: BareServer;

beforeEach(async () => {
  server = await startBareServer();
});
afterEach(() => server?.close());

/** An answer, and answers that no route gives. */
const PATHS: Readonly<Record<string, string>> = {
  'a public fact': '/healthz',
  'a read': '/v1/soon',
  'nothing that is there': '/nothing',
  'what is not encoded rightly': '/%zz',
  'what is too long': `/${'x'.repeat(8200)}`,
};

describe('the security headers of every answer', () => {
  it.each(Object.keys(PATHS))(
    'declare the type, load nothing, forbid framing and send no referrer: %s',
    async (name) => {
      const { headers } = await fetch(server.url + PATHS[name]);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
      );
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('strict-transport-security')).toBeNull();
    },
  );

  it.each([
    ['/v1/users/%zz', 'account; q=1; w=1'],
    ['/problems/%zz', 'public; q=10; w=1'],
  ])('answer %s, which cannot be decoded, with the policy and without counting it', async (path, policy) => {
    const { status, headers } = await fetch(server.url + path);
    expect([status, headers.get('ratelimit-policy'), headers.get('ratelimit')]).toEqual([404, policy, null]);
    expect(headers.get('x-credits-charged')).toBe('0');
  });

  it.each(['baseUrl', 'authUrl'] as const)('keep a client on https if the %s is https', async (name) => {
    server.app[name] = 'https://perch.example';
    for (const path of Object.values(PATHS)) {
      const { headers } = await fetch(server.url + path);
      expect(headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains');
    }
  });

  it('set a fixed content type with the refusal of a malformed request', async () => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname).end('NONSENSE\r\n\r\n');
    let text = '';
    for await (const part of socket) text += part;
    expect(text).toMatch(/^HTTP\/1\.1 400 [\s\S]*\r\nX-Content-Type-Options: nosniff\r\n/);
  });

  it.each([SITE_CSP, GRAPHIQL_CSP])('let pages load no plug-ins: %s', (policy) => {
    expect(policy).toContain("; object-src 'none';");
  });
});

describe('a page', () => {
  it('has a policy of its own instead', async () => {
    await server.close();
    server = await startBareServer({ mount: (app) => app.get('/page', (_request, reply) => sendPage(reply, 'Here')) });
    const { headers } = await fetch(`${server.url}/page`);
    expect([headers.get('content-security-policy'), headers.get('referrer-policy')]).toEqual([SITE_CSP, 'same-origin']);
  });
});
