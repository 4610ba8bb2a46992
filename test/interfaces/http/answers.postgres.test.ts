import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ROUTES } from '../../../adapters/rest/routes.js';
import { ERROR_CODES } from '../../../src/domain/errors.js';
import type { Reply } from '../../kit/client.js';
import { denied, upstreamFault } from '../../kit/networks/faults.js';
import { range } from '../../kit/networks/scripted-network.js';
import { type Service, startService } from '../../rules/support/service.js';

const PROBLEM = 'application/problem+json';

describe('errors and HTTP (section 7, S2–S13, H1–H9, X9)', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({
      fill(net) {
        net.users(range(9), { bio: 'x'.repeat(400) });
        net.list('followers', '1', range(9).map(String));
      },
    });
  });
  afterAll(() => service.close());
  beforeEach(() => service.clock.advance(2000));

  const failing = async (error: unknown, path = '/v1/users/user1?fresh=true', headers = {}): Promise<Reply> => {
    const reader = await service.customer();
    service.net.fail(error);
    return reader.get(path, headers).finally(() => {
      service.net.heal();
      // Until the session has rested for as long as the network asked.
      service.clock.forget();
    });
  };

  it.each([
    [upstreamFault('upstream_rate_limited', 17), 503, '17'],
    [upstreamFault('no_account', 93.2), 503, '94'],
    [upstreamFault('upstream_error'), 503, '2'],
    [upstreamFault('request_rejected'), 503, '30'],
    [upstreamFault('query_id_stale'), 503, '60'],
    [denied(), 403, null],
  ])('S2–S6, S11: %o', async (error, status, retryAfter) => {
    const reply = await failing(error, '/v1/users/1/followers?fresh=true');
    expect([reply.status, reply.body.error.code]).toEqual([status, error.code]);
    expect(reply.headers.get('retry-after')).toBe(retryAfter);
    expect(reply.headers.get('ratelimit')).not.toBeNull();
  });

  it('S7: checks route and method, key, rate limit, parameters, balance and read, in this order', async () => {
    const { net, nobody } = service;
    const broke = await service.customer({ credits: 0, qps: 1 });
    const poor = await service.customer({ credits: 0 });
    const reader = await service.customer();
    net.fail(denied());
    const all = '/v1/users/1/followers?count=999';
    const statuses = [
      await nobody.get('/v1/nothing?count=999'),
      await nobody.send('DELETE', all),
      await nobody.get(all),
      (await broke.get('/v1/me')) && (await broke.get(all)),
      await poor.get(all),
      await poor.get('/v1/users/1/followers?fresh=true'),
      await reader.get('/v1/users/1/followers?fresh=true'),
    ].map(({ status }) => status);
    net.heal();
    expect(statuses).toEqual([404, 405, 401, 429, 400, 402, 403]);
  });

  it.each(['/v1', '/v1/', '/v1/nothing', '/v1/users', '/v1/tweets/1/likes', '/v1/users/a/b/c'])(
    'S8, L9: answers %s with 404 not_found in JSON, without a key, with the policy of a new account',
    async (path) => {
      const reply = await service.nobody.get(path);
      expect([reply.status, reply.body.error.code]).toEqual([404, 'not_found']);
      expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
      expect(reply.headers.get('ratelimit-policy')).toBe('account; q=1; w=1');
      expect(reply.headers.get('ratelimit')).toBeNull();
    },
  );

  const concrete = (path: string): string => path.replaceAll(/\{\w+\}/g, '1');

  it.each([...new Set(ROUTES.map(({ path }) => path))])(
    'S9, H4: answers another method on %s with 405 and Allow',
    async (path) => {
      const methods = ROUTES.filter((row) => row.path === path).map(({ method }) => method);
      for (const method of ['PUT', 'DELETE', 'PATCH', methods.includes('GET') ? 'POST' : 'GET']) {
        if (methods.some((own) => own === method)) continue;
        const reply = await service.nobody.send(method, concrete(path));
        expect([reply.status, reply.body.error.code]).toEqual([405, 'bad_request']);
        const allowed = (reply.headers.get('allow') ?? '').split(', ');
        for (const own of methods) expect(allowed).toContain(own);
        expect(allowed).not.toContain(method);
      }
    },
  );

  it('H4: answers HEAD on a metered read with 405 and charges nothing', async () => {
    const reader = await service.customer();
    for (const path of ['/v1/users/user1', '/v1/users/1/followers', '/v1/me']) {
      const reply = await reader.send('HEAD', path);
      expect([reply.status, reply.headers.get('allow')]).toEqual([405, expect.stringContaining('GET')]);
    }
    expect(await reader.balance()).toBe(1000);
  });

  it('H5: answers OPTIONS free, keyless and uncounted, without permission to send a key', async () => {
    const origin = { origin: 'https://page.example', 'access-control-request-method': 'GET' };
    for (const path of ['/v1/users/user1', '/v1/users/batch']) {
      const reply = await service.nobody.send('OPTIONS', path, { headers: origin });
      expect(reply.status).toBe(204);
      expect(reply.headers.get('allow')).toContain('GET');
      expect(reply.headers.get('access-control-allow-origin')).toBeNull();
    }
    const reader = await service.customer({ qps: 2 });
    await reader.send('OPTIONS', '/v1/me');
    const reply = await reader.get('/v1/me', origin);
    expect(reply.headers.get('ratelimit')).toBe('limit=2, remaining=1, reset=1');
    expect(reply.headers.get('access-control-allow-origin')).toBeNull();
  });

  it.each([
    [PROBLEM, true],
    [`${PROBLEM};q=0.1`, true],
    [`${PROBLEM}, application/json`, true],
    [`application/json;q=0.9, ${PROBLEM}`, true],
    [`APPLICATION/Problem+JSON`, true],
    [`application/json, ${PROBLEM};q=0.5`, false],
    [`${PROBLEM};q=0`, false],
    ['application/json', false],
    ['*/*', false],
    ['application/*', false],
    ['text/html', false],
  ])('H1: Accept: %s, problem+json: %s', async (accept, isProblem) => {
    const reader = await service.customer();
    const reply = await reader.get('/v1/users/nobody', { accept });
    expect(reply.status).toBe(404);
    expect(reply.headers.get('content-type')?.split(';')[0]).toBe(isProblem ? PROBLEM : 'application/json');
    expect(reply.headers.get('vary')).toMatch(/accept/i);
  });

  it('7, H2: gives a problem type, title, status, detail, code, request_id and the error', async () => {
    const reader = await service.customer();
    const plain = await reader.get('/v1/users/1/followers?count=0');
    const problem = await reader.get('/v1/users/1/followers?count=0', { accept: PROBLEM });
    const { body } = problem;
    expect(body).toEqual({
      type: `${service.perch.url}/problems/bad_request`,
      title: ERROR_CODES.bad_request.title,
      status: 400,
      detail: plain.body.error.message,
      code: 'bad_request',
      request_id: body.request_id,
      error: plain.body.error,
      credits_charged: 0,
    });
  });

  it.each(Object.keys(ERROR_CODES))('H2: has a page for /problems/%s', async (code) => {
    const reply = await service.nobody.get(`/problems/${code}`, { accept: 'text/html' });
    expect(reply.status).toBe(200);
    expect(reply.text).toContain(code);
  });

  it.each([
    ['401', () => service.nobody.get('/v1/me', { accept: PROBLEM })],
    ['404 of an unknown path', () => service.nobody.get('/v1/nothing', { accept: PROBLEM })],
    ['405', () => service.nobody.send('DELETE', '/v1/me', { headers: { accept: PROBLEM } })],
    ['503', () => failing(upstreamFault('upstream_error'), undefined, { accept: PROBLEM })],
  ])('H1: answers %s as a problem, too', async (_what, send) => {
    const reply = await send();
    expect(reply.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(reply.body).toMatchObject({ status: reply.status, code: reply.body.error.code });
  });

  it('H3: answers a success as application/json whatever type is requested for failures', async () => {
    const reader = await service.customer();
    const reply = await reader.get('/v1/me', { accept: PROBLEM });
    expect([reply.status, reply.headers.get('content-type')?.split(';')[0]]).toEqual([200, 'application/json']);
  });

  it('H6: sends no validators with metered reads, because a 304 would have no price', async () => {
    const reader = await service.customer();
    const first = await reader.get('/v1/users/user1');
    expect([first.headers.get('etag'), first.headers.get('last-modified')]).toEqual([null, null]);
    expect((await reader.get('/v1/users/user1', { 'if-none-match': '*' })).status).toBe(200);
  });

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('H7: uses %s above 1,400 bytes, read or cached, and sends Vary: Accept-Encoding', async (encoding, unpack) => {
    const { key } = await service.perch.account();
    const get = (path: string, accepted = encoding) => raw(path, { 'x-api-key': key, 'accept-encoding': accepted });
    const path = `/v1/users/1/followers?count=${encoding.length + 5}`;
    const answers = [await get(`${path}&fresh=true`), await get(path), await get(path), await get(path, 'identity')];
    const [, first, second, plain] = answers.map(({ headers, bytes }) => {
      expect(headers.vary).toMatch(/accept-encoding/i);
      return JSON.parse((headers['content-encoding'] === encoding ? unpack(bytes) : bytes).toString());
    });
    expect(answers.map(({ headers }) => headers['content-encoding'])).toEqual([
      encoding,
      encoding,
      encoding,
      undefined,
    ]);
    // Each answer also has what is its own, beside the shared part.
    for (const again of [second, plain]) {
      expect(again).toEqual({ ...first, request_id: again.request_id, balance_remaining: again.balance_remaining });
      expect(again.request_id).not.toBe(first.request_id);
    }
    expect(first.balance_remaining - second.balance_remaining).toBeCloseTo(second.credits_charged, 3);
    const small = await get('/v1/me');
    expect([small.headers['content-encoding'], small.headers.vary]).toEqual([undefined, undefined]);
  });

  it('H8: gives every answer an id of its own, whatever the caller sends', async () => {
    const ids = new Set<string>();
    for (const path of ['/v1/nothing', '/v1/me', '/healthz', '/']) {
      const reply = await service.nobody.get(path, { 'x-request-id': 'mine' });
      expect(reply.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
      ids.add(reply.headers.get('x-request-id') ?? '');
    }
    expect(ids.size).toBe(4);
  });

  it('S10: says in failures that they are free, which parameter is at fault, and when to try again', async () => {
    const reader = await service.customer();
    expect((await reader.get('/v1/users/1/followers?count=0')).body).toMatchObject({
      error: { param: 'count' },
      credits_charged: 0,
    });
    expect((await failing(upstreamFault('no_account', 5))).body).toMatchObject({ error: { retry_after: 5 } });
  });

  it('S13: answers a call that takes too long with 503 upstream_error, free', async () => {
    const own = await startService({ env: { PERCH_DEADLINE_MS: '300' }, fill: (net) => net.users([9]) });
    try {
      const reader = await own.customer();
      const open = own.net.hold();
      const reply = await reader.get('/v1/users/user9?fresh=true');
      open();
      expect([reply.status, reply.body.error.code]).toEqual([503, 'upstream_error']);
      expect(reply.body.error.message).toMatch(/in time/);
      expect(await reader.balance()).toBe(1000);
    } finally {
      await own.close();
    }
  });

  function raw(path: string, headers: Record<string, string>) {
    return new Promise<{ headers: Record<string, string | string[] | undefined>; bytes: Buffer }>((resolve, reject) => {
      request(service.perch.url + path, { headers, agent: false }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => resolve({ headers: response.headers, bytes: Buffer.concat(parts) }));
      })
        .on('error', reject)
        .end();
    });
  }
});
