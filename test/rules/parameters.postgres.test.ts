import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { badRequest, ServiceError } from '../../src/domain/errors.js';
import { type Body, idsOf } from '../kit/client.js';
import { denied } from '../kit/networks/faults.js';
import { range } from '../kit/networks/scripted-network.js';
import { type Service, startService } from './support/service.js';

const TIMELINE = '/v1/users/1/tweets';

let service: Service;
beforeAll(async () => {
  service = await startService({
    network: { products: ['Latest', 'Top', 'People'] },
    fill(net) {
      net.users(range(9));
      net.tweets(range(120, 500));
      net.list('timeline', '1', range(120, 500).reverse().map(String), { pageSize: 100 });
      net.list('replies', '500', range(60, 501).map(String));
      net.list('thread', '500', range(60, 500).map(String));
      net.list('search', 'a b', ['501']);
      net.list('search', 'é', ['502']);
      net.list('search', 'x', ['503']);
      net.list('search', 'x', ['504'], { product: 'Top' });
      net.list('search', 'x', ['1', '2'], { product: 'People' });
      net.pages('search', 'wrong (', () => {
        throw badRequest('Invalid search query at character 7.', 'q');
      });
    },
  });
});
afterAll(() => service.close());

describe('parameters (P1–P15)', () => {
  it.each([
    ['0', 'P1'],
    ['101', 'P1'],
    ['-1', 'P2'],
    ['20.5', 'P2'],
    ['05', 'P2'],
    ['1e2', 'P2'],
    ['', 'P2'],
    ['%2B5', 'P2'],
    ['5%20', 'P2'],
    ['0x10', 'P2'],
    ['99999999999999999999', 'P1'],
  ])('are answered with 400 and the bounds for count=%s (%s)', async (count) => {
    const reader = await service.customer();
    const { status, body } = await reader.get(`${TIMELINE}?count=${count}`);
    expect([status, body.error.code, body.error.param]).toEqual([400, 'bad_request', 'count']);
    expect(body.error.message).toMatch(/1 to 100/);
    expect(body.error.message.includes('leading zero')).toBe(count === '05');
  });

  it('P1: are accepted at the bounds, and never clamped', async () => {
    const reader = await service.customer();
    expect((await reader.get(`${TIMELINE}?count=1`)).body.items).toBe(1);
    expect((await reader.get(`${TIMELINE}?count=100`)).body.items).toBe(100);
  });

  it('P3: are ignored if unknown, and listed in warnings', async () => {
    const reader = await service.customer();
    for (const _time of ['read', 'held', 'kept']) {
      const { status, body } = await reader.get(`${TIMELINE}?count=1&colour=green&pretty=1&pretty=2`);
      expect(status).toBe(200);
      expect(body.warnings).toEqual([expect.stringContaining('colour'), expect.stringContaining('pretty')]);
    }
    expect((await reader.get(`${TIMELINE}?count=1`)).body).not.toHaveProperty('warnings');
    expect((await reader.get('/v1/me?colour=green')).body.warnings).toHaveLength(1);
  });

  it.each([
    [TIMELINE, 'limit', 'count'],
    [TIMELINE, 'max_results', 'count'],
    [TIMELINE, 'per_page', 'count'],
    [TIMELINE, 'page', 'cursor'],
    [TIMELINE, 'next_cursor', 'cursor'],
    [TIMELINE, 'pagination_token', 'cursor'],
    [TIMELINE, 'nocache', 'fresh'],
    [TIMELINE, 'first', 'count'],
    [TIMELINE, 'after', 'cursor'],
    [TIMELINE, 'endCursor', 'cursor'],
    [TIMELINE, 'sinceCursor', 'since'],
    [TIMELINE, 'maxCredits', 'max_credits'],
    [TIMELINE, 'dryRun', 'estimate'],
    [TIMELINE, 'dry_run', 'estimate'],
    [TIMELINE, 'max-credits', 'max_credits'],
    [TIMELINE, 'Count', 'count'],
    [TIMELINE, 'count[]', 'count'],
    ['/v1/users/batch', 'usernames', 'handles'],
    ['/v1/tweets/search', 'query', 'q'],
  ])('P3: are answered on %s with 400 for %s, with the right name, %s', async (path, wrong, right) => {
    const reader = await service.customer();
    const { status, body } = await reader.get(`${path}?${wrong}=1`);
    expect([status, body.error.code, body.error.param]).toEqual([400, 'bad_request', wrong]);
    expect(body.error.message).toContain(right);
    expect(await reader.balance()).toBe(1000);
  });

  it.each(['count=2&count=3', 'fresh=true&fresh=false', 'cursor=a&cursor=a'])(
    'P4: are answered with 400 if %s is repeated',
    async (query) => {
      const reader = await service.customer();
      expect((await reader.get(`${TIMELINE}?${query}`)).status).toBe(400);
    },
  );

  it('P5: accept booleans only as true and false in any case, 1 and 0', async () => {
    const reader = await service.customer();
    const cacheOf = async (fresh: string) => (await reader.get(`/v1/users/user2?${fresh}`)).body.cache;
    expect([await cacheOf('fresh=true'), await cacheOf('fresh=1')]).toEqual(['bypass', 'bypass']);
    expect([await cacheOf('fresh=false'), await cacheOf('fresh=0')]).toEqual(['hit', 'hit']);
    expect([await cacheOf('fresh=True'), await cacheOf('fresh=False')]).toEqual(['bypass', 'hit']);
    expect((await reader.get('/v1/users/user2?estimate=True')).body).toHaveProperty('estimate');
    for (const wrong of ['fresh', 'fresh=', 'fresh=yes', 'fresh=Truee', 'fresh=on', 'fresh=2', 'fresh=null']) {
      expect((await reader.get(`/v1/users/user2?${wrong}`)).body.error.param).toBe('fresh');
    }
  });

  it.each(['thread', 'replies'])('P6: have pages of 20 for %s, and accept a count from 1 to 50', async (list) => {
    const reader = await service.customer();
    const path = `/v1/tweets/500/${list}`;
    expect((await reader.get(path)).body.items).toBe(20);
    expect((await reader.get(`${path}?count=50`)).body.items).toBe(50);
    expect((await reader.get(`${path}?count=51`)).body.error.message).toMatch(/1 to 50/);
  });

  it('P7: accept a product in any case, and answer an unknown one with 400 and the list', async () => {
    const reader = await service.customer();
    expect(idsOf(await reader.get('/v1/tweets/search?q=x&product=top'))).toEqual(['504']);
    expect(idsOf(await reader.get('/v1/tweets/search?q=x&product=PEOPLE'))).toEqual(['1', '2']);
    const { status, body } = await reader.get('/v1/tweets/search?q=x&product=Newest');
    expect([status, body.error.param]).toEqual([400, 'product']);
    for (const product of ['Latest', 'Top', 'People', 'Photos', 'Videos'])
      expect(body.error.message).toContain(product);
  });

  it('P8: accept 1 to 1,024 characters of q after trimming', async () => {
    const reader = await service.customer();
    const long = 'é'.repeat(1024);
    expect((await reader.get(`/v1/tweets/search?q=${encodeURIComponent(` ${long} `)}`)).status).toBe(200);
    for (const q of ['', '%20%09', encodeURIComponent(`${long}é`)]) {
      const { status, body } = await reader.get(`/v1/tweets/search?q=${q}`);
      expect([status, body.error.param]).toEqual([400, 'q']);
    }
  });

  it('P9: treat spellings of spaces and accents in a query as one list, and keep its case', async () => {
    const reader = await service.customer();
    service.clock.forget();
    expect((await reader.get('/v1/tweets/search?q=a%20b')).body).toMatchObject({ cache: 'miss', items: 1 });
    expect((await reader.get('/v1/tweets/search?q=%20a+%20%09b%20')).body).toMatchObject({ cache: 'hit', items: 1 });
    expect((await reader.get('/v1/tweets/search?q=A%20b')).body).toMatchObject({ cache: 'miss', items: 0 });
    expect((await reader.get(`/v1/tweets/search?q=${encodeURIComponent('é')}`)).body.items).toBe(1);
    expect((await reader.get(`/v1/tweets/search?q=${encodeURIComponent('e\u0301')}`)).body.cache).toBe('hit');
  });

  it('P10, P11: get a free 403 product_unavailable for a product that the network lacks, never another', async () => {
    const reader = await service.customer();
    const calls = service.net.calls.length;
    for (const product of ['Photos', 'Videos']) {
      const reply = await reader.get(`/v1/tweets/search?q=x&product=${product}`);
      expect([reply.status, reply.body.error.code]).toEqual([403, 'product_unavailable']);
      expect(reply.headers.get('retry-after')).toBeNull();
    }
    expect(service.net.calls).toHaveLength(calls);
    expect(await reader.balance()).toBe(1000);
  });

  it('P10: get 403 product_unavailable if Top is refused to this session, while Latest works', async () => {
    const reader = await service.customer();
    service.net.fail(new ServiceError('product_unavailable', 'Top is not for this session.'), 1);
    const reply = await reader.get('/v1/tweets/search?q=x&product=Top&fresh=true').finally(() => service.net.heal());
    expect([reply.status, reply.body.error.code]).toEqual([403, 'product_unavailable']);
    expect(idsOf(await reader.get('/v1/tweets/search?q=x'))).toEqual(['503']);
    service.clock.forget();
  });

  it('P15: get 403 access_denied if Latest is refused to this credential', async () => {
    const reader = await service.customer();
    service.net.fail(denied(), 1);
    const reply = await reader.get('/v1/tweets/search?q=x&fresh=true').finally(() => service.net.heal());
    expect([reply.status, reply.body.error.code]).toEqual([403, 'access_denied']);
  });

  it('S5: get 400 for a query that only the network finds invalid', async () => {
    const reader = await service.customer();
    const { status, body } = await reader.get(`/v1/tweets/search?q=${encodeURIComponent('wrong (')}`);
    expect([status, body.error.code, body.error.param]).toEqual([400, 'bad_request', 'q']);
  });
});

describe('bodies and sizes (P12, P13)', () => {
  const PATH = '/v1/users/batch';

  it.each(['application/json', 'text/plain', 'application/json; charset=utf-8', 'application/x-anything'])(
    'P12: are parsed as JSON whatever the content type: %s',
    async (type) => {
      const reader = await service.customer();
      const reply = await reader.post(PATH, { handles: ['user1'] }, { 'content-type': type });
      expect(idsOf(reply)).toEqual(['1']);
    },
  );

  it.each([
    ['a form', 'handles=user1', 'application/x-www-form-urlencoded'],
    ['a form with JSON in it', '{"handles":["user1"]}', 'multipart/form-data; boundary=x'],
    ['malformed JSON', '{"handles":["user1"]', 'application/json'],
    ['null', 'null', 'application/json'],
    ['a string', '"user1"', 'application/json'],
    ['a list', '["user1"]', 'application/json'],
    ['nothing', '', 'application/json'],
  ])('P12: are answered with 400 for %s', async (_what, text, type) => {
    const reader = await service.customer();
    const { status, body } = await reader.post(PATH, text, { 'content-type': type });
    expect([status, body.error.code]).toEqual([400, 'bad_request']);
    expect(body.error.message).toMatch(/JSON|body/);
  });

  it('P12: may be absent, without a content type', async () => {
    const reader = await service.customer();
    expect((await reader.send('POST', PATH)).status).toBe(400);
  });

  it('P13: are read up to 64 KiB, and answered with 413 above', async () => {
    const reader = await service.customer();
    const body = (bytes: number): string => {
      const text = JSON.stringify({ handles: ['user1'], padding: '' });
      return text.replace('""', `"${'x'.repeat(bytes - text.length)}"`);
    };
    expect((await reader.post(PATH, body(64 * 1024))).status).toBe(200);
    const reply = await reader.post(PATH, body(64 * 1024 + 1));
    expect([reply.status, reply.body.error.code]).toEqual([413, 'bad_request']);
  });

  it('P13: get 414 for a URL above 8 KiB, whatever its path', async () => {
    const reader = await service.customer();
    for (const path of [`/v1/me?a=${'x'.repeat(8200)}`, `/v1/users/${'x'.repeat(8200)}`, `/v1/${'x'.repeat(8200)}`]) {
      const reply = await reader.get(path);
      expect([reply.status, reply.body.error.code]).toEqual([414, 'bad_request']);
    }
    expect((await reader.get(`/v1/me?a=${'x'.repeat(8000)}`)).status).toBe(200);
  });

  it.each([17, 30, 200])('P13: get a standard 431 for headers of %i KiB', async (kib) => {
    const { key } = (await service.customer()).account;
    const { status, body } = await rawGet('/v1/me', { 'x-api-key': key, 'x-padding': 'x'.repeat(kib * 1024) });
    expect([status, body.error.code]).toEqual([431, 'bad_request']);
    expect(body.request_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('P13: are accepted with headers of 15 KiB', async () => {
    const { key } = (await service.customer()).account;
    expect((await rawGet('/v1/me', { 'x-api-key': key, 'x-padding': 'x'.repeat(15 * 1024) })).status).toBe(200);
  });

  it('P13: get a standard 400 for bytes that are not HTTP', async () => {
    const text = await rawText('NONSENSE\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    const body = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as Body;
    expect(body).toMatchObject({ error: { code: 'bad_request' }, credits_charged: 0 });
    expect(text).toContain(`X-Request-Id: ${body.request_id}`);
  });

  function rawGet(path: string, headers: Record<string, string>): Promise<{ status: number; body: Body }> {
    return new Promise((resolve, reject) => {
      request(service.perch.url + path, { headers, agent: false }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part) => {
          text += part;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as Body }));
      })
        .on('error', reject)
        .end();
    });
  }

  function rawText(sent: string): Promise<string> {
    const { hostname, port } = new URL(service.perch.url);
    return new Promise((resolve, reject) => {
      let text = '';
      connect(Number(port), hostname, function (this: ReturnType<typeof connect>) {
        this.setEncoding('utf8').write(sent);
      })
        .on('data', (part) => {
          text += String(part);
        })
        .on('close', () => resolve(text))
        .on('error', reject);
    });
  }
});
