import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IMPOSSIBLE } from '../../adapters/networks/x/ids.js';
import { post } from '../interfaces/graphql/client.js';
import { sendNew } from '../interfaces/mcp/raw.js';
import { idsOf, record } from '../kit/client.js';
import { type Service, startService } from './support/service.js';

describe('identifiers (I1–I12)', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({
      fill(net) {
        net.user({ id: '1', handle: 'Aurora' });
        net.user({ id: '12345', handle: 'named' });
        net.user({ id: '7', handle: '12345' });
        net.tweets([501, 502]);
        net.user({ id: '24', handle: 'umwelt@xn--baw-joa.example' });
        net.user({ id: '25', handle: 'xn--baw-joa.example' });
        net.list('timeline', '1', ['501']);
        net.list('timeline', '24', ['501']);
        net.list('timeline', '12345', ['501']);
        net.list('timeline', '7', ['502']);
      },
    });
  });
  afterAll(() => service.close());

  it.each(['Aurora', '@Aurora', '%40Aurora', 'aurora', '@AURORA'])('I1, I2: take %s as one handle', async (handle) => {
    const reader = await service.customer();
    expect(record(await reader.get(`/v1/users/${handle}`))).toMatchObject({ id: '1', handle: 'Aurora' });
    expect(idsOf(await reader.get(`/v1/users/${handle}/tweets`))).toEqual(['501']);
  });

  it('I2: share the cache between spellings', async () => {
    const reader = await service.customer();
    await reader.get('/v1/users/Aurora?fresh=true');
    expect((await reader.get('/v1/users/AURORA')).body.cache).toBe('hit');
    expect((await reader.get('/v1/users/@aurora')).body.cache).toBe('hit');
  });

  it('I3: with digits only are ids for {user}, unless @ marks a handle', async () => {
    const reader = await service.customer();
    expect(idsOf(await reader.get('/v1/users/12345/tweets'))).toEqual(['501']);
    expect(idsOf(await reader.get('/v1/users/@12345/tweets'))).toEqual(['502']);
  });

  it('I3: do not fall back from an id to a handle', async () => {
    const reader = await service.customer();
    service.net.user({ id: '8', handle: '777' });
    expect((await reader.get('/v1/users/777/tweets')).status).toBe(404);
  });

  it('I4: with digits only are handles for {handle} and handles, where a 404 points to the {user} routes', async () => {
    const reader = await service.customer();
    expect(record(await reader.get('/v1/users/12345'))).toMatchObject({ id: '7' });
    expect(idsOf(await reader.get('/v1/users/batch?handles=12345'))).toEqual(['7']);
    const missing = await reader.get('/v1/users/4242');
    expect([missing.status, missing.body.error.code]).toEqual([404, 'not_found']);
    expect(missing.body.error.message).toMatch(/id.*\/v1\/users\/\{user\}\//);
  });

  it.each([
    '/v1/users/a%20b',
    '/v1/users/a.b%21',
    `/v1/users/${'x'.repeat(400)}`,
    '/v1/users/007/tweets',
    '/v1/users/+7/followers',
    '/v1/users/@@Aurora',
    '/v1/users/%2540Aurora',
    '/v1/users/a%2Fb',
    '/v1/tweets/abc',
    '/v1/tweets/0501',
    '/v1/tweets/+501',
    '/v1/tweets/501%20',
    '/v1/tweets/-1/thread',
    `/v1/tweets/${'9'.repeat(701)}`,
    '/v1/tweets/5e2/quotes',
    '/v1/tweets/%00/retweeters',
  ])('I5, I7: that are impossible get a free 404 before the balance is checked: %s', async (path) => {
    const calls = service.net.calls.length;
    const poor = await service.customer({ credits: 0 });
    const reply = await poor.get(path);
    expect([reply.status, reply.body.error.code]).toEqual([404, 'not_found']);
    expect(reply.body.error.message).toMatch(/handle|id\b/);
    expect(service.net.calls).toHaveLength(calls);
  });

  // Direction marks, joiners, a byte-order mark: characters that apps and clipboards add to a handle.
  const INVISIBLE = ['\u202A%s\u202C', '\u2066@%s\u2069', '@\u2068%s\u2069', '\uFEFF%s', '%s\u200B', '\u00AD%s\u200D'];
  it.each(INVISIBLE)('have the invisible characters of a pasted handle removed: %j (I11)', async (form) => {
    const reader = await service.customer();
    const pasted = form.replace('%s', 'Aur\u200Bora');
    const name = encodeURIComponent(pasted);
    expect(record(await reader.get(`/v1/users/${name}`))).toMatchObject({ id: '1' });
    expect((await reader.get('/v1/users/aurora')).body.cache).toBe('hit');
    expect(idsOf(await reader.get(`/v1/users/${name}/tweets`))).toEqual(['501']);
    const query =
      'query ($name: String!, $user: ID!) { user(handle: $name) { id } timeline(user: $user) { nodes { id } } }';
    const request = { query, variables: { name: pasted, user: pasted } };
    const { body } = await post(service.perch, await service.perch.account(), request);
    expect(body.data).toEqual({ user: { id: '1' }, timeline: { nodes: [{ id: '501' }] } });
    const call = { method: 'tools/call', params: { name: 'get_user', arguments: { handle: pasted } } };
    const { key } = await service.perch.account();
    const reply = await sendNew(new URL('/mcp', service.perch.url), key, call);
    expect(reply.body.result.structuredContent).toMatchObject({ data: { id: '1' } });
    const batch = await reader.post('/v1/users/batch', { handles: [pasted, 'aurora', `${pasted}!`] });
    expect([idsOf(batch), batch.body.errors]).toEqual([
      ['1'],
      [{ input: `${pasted}!`, code: 'bad_request', message: expect.any(String) }],
    ]);
  });

  it('have the invisible characters of a pasted user id removed (I11)', async () => {
    const reader = await service.customer();
    expect(idsOf(await reader.get(`/v1/users/${encodeURIComponent('\u206612345\u2069')}/tweets`))).toEqual(['501']);
  });

  it.each([
    ['umwelt@baw\u00FC.example', '24'],
    ['@umwelt@BAWU\u0308.example', '24'],
    ['umwelt@xn--baw-joa.example', '24'],
    ['baw\u00FC.example', '25'],
  ])('take %s as a handle on the server in its ASCII form (I12)', async (handle, id) => {
    const reader = await service.customer();
    expect(record(await reader.get(`/v1/users/${encodeURIComponent(handle)}`))).toMatchObject({ id });
    expect((await reader.post('/v1/users/batch', { handles: [handle] })).body.data).toMatchObject([{ id }]);
  });

  it.each([
    'umw\u00EBlt@server.example',
    'umwelt@baw\u00FC',
    'umwelt@baw\u00FC.example/path',
    'umwelt@baw\u00FC.example:80',
    `umwelt@${'\u00FC'.repeat(300)}.example`,
    '\u202E\u200B',
  ])('are refused if not a handle in ASCII form either: %j (I5, I12)', async (handle) => {
    const reader = await service.customer({ credits: 0 });
    const reply = await reader.get(`/v1/users/${encodeURIComponent(handle)}`);
    expect([reply.status, reply.body.error.message]).toEqual([404, expect.stringContaining('Invalid handle')]);
  });

  it('I6: resolve a handle to its current holder', async () => {
    const { net, clock } = service;
    const reader = await service.customer();
    net.user({ id: '20', handle: 'lamp' });
    expect(record(await reader.get('/v1/users/lamp')).id).toBe('20');
    net.user({ id: '20', handle: 'old_lamp' });
    net.user({ id: '21', handle: 'lamp' });
    expect(record(await reader.get('/v1/users/lamp?fresh=true')).id).toBe('21');
    expect(record(await reader.get('/v1/users/lamp')).id).toBe('21');
    clock.forget();
    expect(record(await reader.get('/v1/users/lamp')).id).toBe('21');
  });

  it('I8: are decoded once in a path; one slash at the end is ignored; anything else is another path', async () => {
    const reader = await service.customer();
    expect((await reader.get('/v1/users/%41urora')).status).toBe(200);
    expect((await reader.get('/v1/users/Aurora/')).status).toBe(200);
    expect((await reader.get('/v1/users/Aurora/tweets/?count=1')).status).toBe(200);
    for (const path of [
      '/v1/users/Aurora//',
      '/v1//users/Aurora',
      '/v1/users//Aurora',
      '/V1/users/Aurora',
      '/v1/users/%zz',
    ]) {
      const reply = await reader.get(path);
      expect([path, reply.status, reply.body.error.code]).toEqual([path, 404, 'not_found']);
    }
  });
});

describe("a name that the network's grammar cannot have (I13)", () => {
  const HANDLE = 'much_too_long_for_x';
  const ID = '1'.repeat(20);
  let service: Service;
  beforeAll(async () => {
    service = await startService({ network: { impossible: IMPOSSIBLE }, fill: (net) => net.users([1]) });
  });
  afterAll(() => service.close());

  const graphql = (query: string) => ({ path: '/graphql', body: { query } });
  const list = '{ nodes { id } }';
  const batch = '{ nodes { id } errors { input code } }';
  const tool = (name: string, given: object) => ({ tool: name, arguments: given });

  it.each([
    ...[`/v1/users/${HANDLE}`, `/v1/users/${HANDLE}/tweets`, `/v1/users/${ID}/followers`, `/v1/tweets/${ID}`],
    ...[`/v1/tweets/${ID}/quotes`, `/v1/users/batch?handles=${HANDLE},a.b`, `/v1/tweets/batch?ids=${ID}&fresh=true`],
    { path: '/v1/users/batch', body: { handles: [HANDLE, 'a b', 'a.b'] } },
    graphql(`{ user(handle: "${HANDLE}") { id } }`),
    graphql(`{ user(id: "${ID}") { id } other: user(id: "x") { id } }`),
    graphql('{ user { id } }'),
    graphql(`{ tweet(id: "${ID}") { id author { handle } } odd: tweet(id: "-1") { id } }`),
    graphql(`{ timeline(user: "${HANDLE}") { nodes { id author { id } } } quotes(id: "${ID}", fresh: true) ${list} }`),
    graphql(`{ timeline(user: "a b") ${list} }`),
    graphql(`{ users(handles: ["${HANDLE}", "a b"]) ${batch} tweets(ids: ["${ID}", "x"]) ${batch} }`),
    tool('get_user', { handle: HANDLE }),
    tool('get_user_tweets', { user: HANDLE }),
    tool('get_users', { handles: [HANDLE, 'a b'] }),
    tool('get_tweet', { id: ID }),
  ])('gets the same free answer with an empty and a full wallet, without a read: %j', async (request) => {
    const calls = service.net.calls.length;
    const answers: unknown[] = [];
    for (const credits of [0, 1000]) {
      const reader = await service.customer({ credits });
      // The second request is answered ahead of the framework if the answer was remembered.
      for (let times = 0; times < 2; times += 1) {
        const { status, text } =
          typeof request === 'string'
            ? await reader.get(request)
            : 'path' in request
              ? await reader.post(request.path, request.body)
              : await sendNew(new URL('/mcp', service.perch.url), reader.account.key, {
                  method: 'tools/call',
                  params: { name: request.tool, arguments: request.arguments },
                });
        const said = text
          .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'request')
          .replaceAll(/\b1,?000\b/g, '0');
        answers.push([status, said]);
        expect(said).not.toContain('no_credits');
      }
      expect(await reader.balance()).toBe(credits);
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toHaveProperty('size', 1);
    expect(service.net.calls).toHaveLength(calls);
  });

  it('does not affect the rest of a batch, even if the wallet cannot pay for that', async () => {
    const reader = await service.customer({ credits: 1 });
    const both = { handles: [HANDLE, 'user1'] };
    const { body } = await reader.post('/v1/users/batch?estimate=true', both);
    expect(body.estimate).toMatchObject({ max_items: 1 });
    expect((await reader.post('/v1/users/batch', both)).body).toMatchObject({
      credits_charged: 1,
      errors: [{ input: HANDLE, code: 'bad_request' }],
    });
    expect((await reader.post('/v1/users/batch', both)).body.error.code).toBe('no_credits');
  });

  it('is reported by an estimate', async () => {
    const reader = await service.customer({ credits: 0 });
    const { body } = await reader.get(`/v1/users/${HANDLE}?estimate=true`);
    expect(body.estimate).toMatchObject({ max_items: 0, max_credits: 0, refused: { code: 'not_found' } });
  });
});
