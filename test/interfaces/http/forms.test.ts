import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readForm } from '../../../adapters/http/form.js';
import { refuseCrossSite } from '../../../adapters/http/same-origin.js';
import { type BareServer, startBareServer } from './server.js';

let server: BareServer;

beforeAll(async () => {
  server = await startBareServer({
    trustedProxies: ['127.0.0.1'],
    mount: (app) =>
      app.post('/form', async (request) => {
        refuseCrossSite(request);
        return Object.fromEntries(readForm(request));
      }),
  });
  server.app.baseUrl = 'https://api.perch.example/v';
  server.app.authUrl = 'https://perch.example';
});
afterAll(() => server?.close());

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const post = (body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${server.url}/form`, { method: 'POST', body, headers: { ...FORM, ...headers } });

describe('a form', () => {
  it.each(['a=x%00', 'a%00=x', 'a=%00', '\0', 'a=b&c=\0'])('is refused with a NUL: %j', async (body) => {
    expect((await post(body)).status).toBe(400);
  });

  it('has at most 100 fields', async () => {
    const fields = (count: number) => Array.from({ length: count }, (_, n) => `f${n}=x`).join('&');
    expect((await post(fields(100))).status).toBe(200);
    const refused = await post(fields(101));
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('more than 100 fields')]);
  });

  it('may have all other characters', async () => {
    expect(await (await post('a=%0d%0a%01%F0%9F%90%A6')).json()).toEqual({ a: '\r\n\u0001🐦' });
  });
});

describe('the origin of a form, if a browser sends only Origin', () => {
  it.each(['https://perch.example', 'https://api.perch.example'])(
    'is ours for %s, whatever the proxy asks for',
    async (origin) => {
      expect((await post('a=b', { origin })).status).toBe(200);
    },
  );

  it('may be the host of the request', async () => {
    expect((await post('a=b', { origin: server.url })).status).toBe(200);
  });

  it.each([
    'https://evil.example',
    'http://perch.example',
    'https://perch.example:8443',
    'https://perch.example.evil.example',
    'null',
  ])('is not ours for %s', async (origin) => {
    expect((await post('a=b', { origin })).status).toBe(403);
  });

  it('is not ours if only X-Forwarded-Host names it', async () => {
    const forged = { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' };
    expect((await post('a=b', forged)).status).toBe(403);
  });

  it('does not count if the browser itself says that it was another site', async () => {
    const sent = { origin: 'https://perch.example', 'sec-fetch-site': 'cross-site' };
    expect((await post('a=b', sent)).status).toBe(403);
  });
});
