import { gunzipSync } from 'node:zlib';
import fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { sendStatic, staticBody } from '../../../adapters/http/bodies/static-body.js';

const TEXT = 'a line of a document;\n'.repeat(200);
const document = staticBody('text/plain; charset=utf-8', TEXT);
const { etag } = document;

const app = fastify();
app.get('/document', (request, reply) => sendStatic(request, reply, document));
app.get('/negotiated', (request, reply) => sendStatic(request, reply.header('Vary', 'Accept'), document, 'no-store'));
const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });

describe('a body that is the same for everyone', () => {
  it.each([
    ['its own', etag, 304],
    ['its own as a strong one', etag.slice('W/'.length), 304],
    ['one of several', `"another", ${etag}`, 304],
    ['any', '*', 304],
    ['another', 'W/"another"', 200],
    ['its own, without quotes', etag.slice('W/"'.length, -1), 200],
    ['nothing', '', 200],
  ])('is sent again only to clients that lack it: If-None-Match with %s', async (_name, value, status) => {
    // As `fetch` sends it.
    const reply = await get('/document', { 'if-none-match': value, 'cache-control': 'no-cache' });
    expect([reply.statusCode, reply.body]).toEqual([status, status === 304 ? '' : TEXT]);
    expect(reply.headers).toMatchObject({ etag, vary: 'Accept-Encoding', 'cache-control': 'public, max-age=300' });
  });

  it('has one weak validator in every coding, and says that the coding depends on the request', async () => {
    const plain = await get('/negotiated');
    const packed = await get('/negotiated', { 'accept-encoding': 'gzip' });
    expect(gunzipSync(packed.rawPayload).toString()).toBe(TEXT);
    expect([plain.headers['content-encoding'], packed.headers['content-encoding']]).toEqual([undefined, 'gzip']);
    for (const { headers } of [plain, packed]) {
      expect(headers).toMatchObject({ etag, vary: 'Accept, Accept-Encoding', 'cache-control': 'no-store' });
    }
    expect(etag).toMatch(/^W\/"[\w-]+"$/);
  });

  it('has another validator for other content', () => {
    expect(staticBody('text/plain', `${TEXT}.`).etag).not.toBe(etag);
  });
});
