import { request } from 'node:http';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hidingKeys } from '../../../adapters/cli/serve/log.js';
import { loggedUrl } from '../../../adapters/http/request.js';
import { createClient } from '../../kit/client.js';
import { until } from '../../kit/time/until.js';
import { startWatched, type Watched } from './service.js';

let watched: Watched;
beforeAll(async () => {
  watched = await startWatched();
});
afterAll(() => watched?.perch.close());

/** The log line of the request with this id. */
async function lineOf(requestId: string | null): Promise<Record<string, unknown>> {
  const lines = () => watched.log.lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
  await until('the request is logged', () => lines().some((line) => line.request_id === requestId));
  return lines().find((line) => line.request_id === requestId);
}

describe('the log has one line per request', () => {
  it('has account, operation, charge and upstream calls of a paid read', async () => {
    const { client, account } = watched;
    const reply = await client.get('/v1/users/user1');
    expect(await lineOf(reply.headers.get('x-request-id'))).toMatchObject({
      level: 30,
      method: 'GET',
      url: '/v1/users/user1',
      status: 200,
      account: account.accountId,
      operation: 'user',
      cache: 'miss',
      charge: 1,
      upstream_calls: 1,
      queue_ms: expect.any(Number),
      ms: expect.any(Number),
    });
    const again = await client.get('/v1/users/user1');
    expect(await lineOf(again.headers.get('x-request-id'))).toMatchObject({
      cache: 'hit',
      charge: 0.5,
      upstream_calls: 0,
    });
  });

  it('has the code of a refusal, and no charge', async () => {
    const reply = await watched.client.get('/v1/users/nobody_of_that_name');
    const line = await lineOf(reply.headers.get('x-request-id'));
    expect(line).toMatchObject({ status: 404, code: 'not_found', operation: 'user' });
    expect(line).not.toHaveProperty('charge');
  });

  it('covers GraphQL and pages, too', async () => {
    const query = await watched.client.post('/graphql', { query: 'query Mine { me { balance } }' });
    expect(await lineOf(query.headers.get('x-request-id'))).toMatchObject({
      url: '/graphql',
      operation: 'Mine',
      status: 200,
    });
    const page = await watched.client.get('/nowhere');
    expect(await lineOf(page.headers.get('x-request-id'))).toMatchObject({ url: '/nowhere', status: 404 });
    const unread = await watched.client.get('/v1/%zz');
    expect(await lineOf(unread.headers.get('x-request-id'))).toMatchObject({ url: '/v1/%zz', status: unread.status });
  });

  it('logs a caller who disconnects', async () => {
    const { net, perch, account, log } = watched;
    const release = net.hold();
    const before = net.calls.length;
    // Not with fetch, which would open another connection that is never used.
    const clientRequest = request(`${perch.url}/v1/users/user9`, {
      agent: false,
      headers: { 'x-api-key': account.key },
    });
    clientRequest.on('error', () => undefined).end();
    await net.called(before + 1);
    clientRequest.destroy();
    await until('it is logged', () => log.lines.some((line) => line.includes('user9')));
    release();
    const [line] = log.lines.filter((text) => text.includes('user9'));
    expect(JSON.parse(line ?? '')).toMatchObject({ aborted: true, msg: 'request' });
  });
});

describe('no key is ever in the log (A3)', () => {
  it('wherever a caller puts it', async () => {
    const { perch, account, log, net } = watched;
    const { key } = account;
    const client = createClient(perch.url, null);
    const encoded = [...key].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');
    const half = `perch%5Flive%5f${key.slice('perch_live_'.length)}`;
    const secret = 'opaque-secret-of-another-service';
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
    await client.get('/v1/me', { 'x-api-key': key });
    await client.get('/v1/me', { 'x-api-key': `${key}x` });
    for (const authorization of [
      `Bearer ${key}`,
      key,
      `Bearer ${key} ${key}`,
      basic(`${key}:`),
      basic(`user:${key}`),
    ]) {
      await client.get('/v1/me', { authorization });
    }
    for (const header of [
      'user-agent',
      'cookie',
      'accept',
      'x-max-credits',
      'x-request-id',
      'traceparent',
      'referer',
    ]) {
      await client.get('/v1/me', { 'x-api-key': key, [header]: key });
    }
    for (const text of [key, encoded, half, key.toUpperCase(), `%25zz${encoded}`]) {
      for (const place of ['key=', 'api_key=', 'secret=', '', `q=a&x=${secret.length}&token=`]) {
        await client.get(`/v1/tweets/search?${place}${text}`, { 'x-api-key': key });
      }
      for (const path of ['', 'v1/', 'v1/users/', 'v1/tweets/', 'v1/usage/', 'problems/']) {
        await client.get(`/${path}${text}`, { 'x-api-key': key });
      }
    }
    await client.get(`/v1/me?api_key=${secret}&x=1`);
    await client.get(`/v1/me?api%5Fkey=${secret}`);
    await client.get(`/v1/me?access_token=${secret}`);
    const keyed = { 'x-api-key': key };
    for (const body of [`{"handles":["${key}"]}`, key, `{"${key}`]) await client.post('/v1/users/batch', body, keyed);
    const operation = `query ${key} { user(handle: "${key}") { id } }`;
    await client.post('/graphql', { query: operation, operationName: key, variables: { [key]: key } }, keyed);
    await client.post('/graphql', { query: `query ${key} { me { balance } }` }, keyed);
    await client.post('/graphql', key, keyed);
    await client.get(`/graphql?query=${encodeURIComponent(operation)}&documentId=${key}`, keyed);
    net.fail(new Error('The network is broken.'));
    await client.get(`/v1/users/${key.slice(0, 15)}`, keyed).finally(() => net.heal());
    const last = await client.get('/v1/me?last=1', keyed);
    await lineOf(last.headers.get('x-request-id'));
    const all = log.lines.join('').toLowerCase();
    expect(all.length).toBeGreaterThan(10_000);
    for (const sensitive of [
      key.slice('perch_live_'.length),
      encoded,
      secret,
      basic(`${key}:`).slice(6),
      basic(`user:${key}`).slice(6),
    ]) {
      expect(all).not.toContain(sensitive.toLowerCase());
    }
  });

  it.each([
    [
      '/api/oauth/token?grant_type=refresh_token&refresh_token=SECRET&client_id=c',
      '/api/oauth/token?grant_type=refresh_token&refresh_token=…&client_id=c',
    ],
    ['/api/oauth/token?code=SECRET&code_verifier=SECRET', '/api/oauth/token?code=…&code_verifier=…'],
    ['/api/oauth/token?device%5Fcode=SECRET', '/api/oauth/token?device_code=…'],
    ['/oauth/authorize?state=SECRET&scope=read', '/oauth/authorize?state=…&scope=read'],
    ['/sign-in?next=%2Foauth%2Fauthorize%3Fstate%3DSECRET', '/sign-in?next=/oauth/authorize?state=…'],
    ['/sign-in?next=%2Fa%3Fb%3D%252Fc%253Fid_token%253DSECRET', '/sign-in?next=/a?b=/c?id_token=…'],
    ['/sign-in%23LONG', '/sign-in#…'],
    ['/sign-in?next=https://perch.example/sign-in%23LONG', '/sign-in?next=https://perch.example/sign-in#…'],
    ['/sign-in/LONG', '/sign-in/…'],
    ['/?client_secret=SECRET&password=SECRET&x=1', '/?client_secret=…&password=…&x=1'],
  ])('hides every other secret in an address (A32): %s', (sent, shown) => {
    const long = `${'Zx-_'.repeat(10)}abc`;
    const url = sent.replaceAll('SECRET', 'Zx/3?9%3F').replaceAll('LONG', long);
    expect(loggedUrl(url)).toBe(shown);
  });

  it.each([
    '/v1/tweets/search?q=%23comet&product=Latest&count=20',
    '/v1/users/did:plc:abcdefghijklmnopqrstuvwx/tweets?cursor=Zm9v',
    '/v1/usage/0199aaaa-bbbb-7ccc-8ddd-eeeeffff0000',
    '/graphql?query=%7B%20me%20%7B%20balance%20%7D%20%7D&operationName=a',
    '/oauth/authorize?response_type=none&code_challenge=abc&code_challenge_method=S256',
  ])('shows an address without a secret as it was sent: %s', (url) => {
    expect(loggedUrl(url)).toBe(url);
  });

  it('hides secrets of the longest address within milliseconds', () => {
    const before = process.cpuUsage();
    for (const part of ['?a=', '&key', '%25', 'perch_live_', '#', '?key=&', 'a_code'])
      loggedUrl(`/${part.repeat(8192 / part.length)}`);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(500);
  });

  it('even if an error from outside quotes it', () => {
    const lines: string[] = [];
    const log = pino({}, hidingKeys({ write: (line) => void lines.push(line) }));
    const { key } = watched.account;
    log.warn({ err: new Error(`GET https://network.example/users/${key} failed`) }, `no ${key}`);
    expect(lines.join('')).toContain('https://network.example/users/perch_live_…');
    expect(lines.join('')).not.toContain(key);
  });
});
