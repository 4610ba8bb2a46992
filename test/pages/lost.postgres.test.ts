import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPerch, type TestPerch } from '../kit/perch.js';

const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8';

describe('an unknown address', () => {
  let perch: TestPerch;
  beforeAll(async () => {
    perch = await startPerch();
  });
  afterAll(() => perch?.close());

  const request = async (path: string, accept: string, method = 'GET') => {
    const answer = await fetch(perch.url + path, { method, headers: { accept }, redirect: 'manual' });
    return { answer, type: answer.headers.get('content-type') ?? '', text: await answer.text() };
  };

  const PATHS = [
    '/nothing',
    '/graphql/x',
    '/mcp/x',
    '/api/x',
    '/oauth/x',
    '/sign-in/x',
    '/docs/x',
    '/problems/x',
    '/a/b/c',
  ];

  it.each(PATHS)('%s: answers a browser with a page under the policy of pages', async (path) => {
    const { answer, type, text } = await request(path, BROWSER);
    expect([answer.status, type]).toEqual([404, 'text/html; charset=utf-8']);
    expect(text).toContain('<h1>Page not found</h1>');
    expect(answer.headers.get('content-security-policy')).toContain("style-src 'self'");
    expect(answer.headers.get('vary')).toContain('Accept');
  });

  it.each(PATHS)('%s: answers a program with the usual error object', async (path) => {
    const { answer, text } = await request(path, '*/*');
    expect(answer.status).toBe(404);
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'not_found' } });
  });

  it('answers JSON under /v1 and for methods other than reads', async () => {
    for (const [path, method] of [
      ['/v1/nothing', 'GET'],
      ['/nothing', 'POST'],
      ['/nothing', 'DELETE'],
    ] as const) {
      const { answer, type } = await request(path, BROWSER, method);
      expect([path, method, answer.status, type.split(';')[0]]).toEqual([path, method, 404, 'application/json']);
    }
  });
});
