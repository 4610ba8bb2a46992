/** Heads that Node's parser accepts, or answers with a bare status (RFC 9110, RFC 9112). */
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rawClient } from './raw.js';
import { type BareServer, startBareServer } from './server.js';

let server: BareServer;
beforeAll(async () => {
  server = await startBareServer();
});
afterAll(() => server?.close());

const CLOSE = 'Connection: close\r\n\r\n';

async function sendRaw(text: string): Promise<{ status: number; head: string; body: string }> {
  const whole = await rawClient(server.url, text).closed;
  const [head = '', body = ''] = whole.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, body };
}

describe('a request with a wrong head', () => {
  it.each([
    ['no Host', 'GET /v1/soon HTTP/1.1\r\n', 400, /Host header is missing/],
    ['two Hosts', 'GET /v1/soon HTTP/1.1\r\nHost: a\r\nHost: b\r\n', 400, /Host header is sent more than once/],
    ['the same Host twice', 'GET /v1/soon HTTP/1.1\r\nHost: a\r\nhost: a\r\n', 400, /more than once/],
    ['a path for a Host', 'GET /v1/soon HTTP/1.1\r\nHost: perch/x\r\n', 400, /not a host with an optional port/],
    ['a user in the Host', 'GET /v1/soon HTTP/1.1\r\nHost: me@perch\r\n', 400, /not a host/],
    ['a port that is no number', 'GET /v1/soon HTTP/1.1\r\nHost: perch:http\r\n', 400, /not a host/],
    [
      'two Authorization headers',
      'GET /v1/soon HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n',
      400,
      /Authorization header is sent more than once/,
    ],
    ['two keys', 'GET /v1/soon HTTP/1.1\r\nHost: a\r\nX-Api-Key: a\r\nX-Api-Key: b\r\n', 400, /X-Api-Key header/],
    ['an unknown Expect', 'GET /v1/soon HTTP/1.1\r\nHost: a\r\nExpect: gold\r\n', 417, /Expect may only be/],
    ['a query that is not UTF-8', 'GET /v1/soon?q=a%ff HTTP/1.1\r\nHost: a\r\n', 400, /not percent-encoded UTF-8/],
    ['a path that is not UTF-8', 'GET /v1/%C3%28 HTTP/1.1\r\nHost: a\r\n', 400, /not percent-encoded UTF-8/],
    ['half a surrogate pair', 'GET /v1/soon?q=%ED%A0%BD HTTP/1.1\r\nHost: a\r\n', 400, /not percent-encoded UTF-8/],
    ['CONNECT', 'CONNECT perch:443 HTTP/1.1\r\nHost: perch:443\r\n', 400, /not a proxy/],
  ])('is refused in the form of every failure: %s', async (_name, text, status, message) => {
    const answer = await sendRaw(text + CLOSE);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({
      error: { code: 'bad_request', message: expect.stringMatching(message) },
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      credits_charged: 0,
    });
    for (const name of ['X-Request-Id', 'X-Content-Type-Options', 'RateLimit-Policy']) {
      expect(answer.head).toMatch(new RegExp(`^${name}:`, 'im'));
    }
  });

  it.each([
    ['a name and a port', 'HTTP/1.1\r\nHost: perch.example:8080\r\n'],
    ['an IPv6 address', 'HTTP/1.1\r\nHost: [::1]:80\r\n'],
    ['HTTP/1.0 without one', 'HTTP/1.0\r\n'],
    ['an Expect that is known', 'HTTP/1.1\r\nHost: perch\r\nExpect: 100-Continue\r\n'],
    ['a Content-Encoding without a body', 'HTTP/1.1\r\nHost: perch\r\nContent-Encoding: br\r\n'],
    ['a Content-Encoding and a length of 0', 'HTTP/1.1\r\nHost: perch\r\nContent-Encoding: x\r\nContent-Length: 0\r\n'],
  ])('is accepted: %s', async (_name, rest) => {
    const whole = await rawClient(server.url, `GET /v1/soon ${rest}${CLOSE}`).closed;
    expect(whole).toMatch(/HTTP\/1\.1 200 OK\r\n/);
  });
});

describe('on a demo that only its own machine can reach', () => {
  let demo: BareServer;
  beforeAll(async () => {
    demo = await startBareServer({ isOwnMachine: true });
  });
  afterAll(() => demo?.close());

  it.each([
    ['localhost:4000', 200],
    ['LOCALHOST', 200],
    ['perch.localhost:4000', 200],
    ['127.0.0.1:4000', 200],
    ['[::1]:4000', 200],
    ['rebound.example:4000', 400],
    ['127.0.0.1.rebound.example', 400],
    ['notlocalhost', 400],
    ['', 400],
  ])('a page of another site is refused, by the Host header %j: %i', async (host, status) => {
    const whole = await rawClient(demo.url, `GET /v1/soon HTTP/1.1\r\nHost: ${host}\r\n${CLOSE}`).closed;
    expect(whole).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    if (status !== 200) expect(whole).toMatch(/This demo is for its own machine.*PERCH_BASE_URL/);
  });
});

describe('a body with a Content-Encoding', () => {
  /** 16 MiB of zeros. */
  const bomb = brotliCompressSync(Buffer.alloc(2 ** 24)).toString('latin1');
  const head = (coding: string, rest: string): string =>
    `POST /v1/length HTTP/1.1\r\nHost: perch\r\nConnection: close\r\nContent-Encoding: ${coding}\r\n${rest}\r\n\r\n`;

  it.each([
    ['br', `Content-Length: ${bomb.length}`, bomb],
    ['gzip', 'Content-Length: 60000', ''],
    ['utf-8', 'Transfer-Encoding: chunked', ''],
    ['identity, br', 'Content-Length: 2', '{}'],
  ])('is refused before it is read: %s', async (coding, rest, body) => {
    const answer = await sendRaw(head(coding, rest) + body);
    expect(answer.status).toBe(415);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'bad_request' }, credits_charged: 0 });
  });

  it.each(['identity', 'Identity', ''])('is accepted if nothing is encoded: %s', async (coding) => {
    const answer = await sendRaw(`${head(coding, 'Content-Length: 2')}{}`);
    expect([answer.status, JSON.parse(answer.body)]).toEqual([200, { bytes: 2 }]);
  });
});
