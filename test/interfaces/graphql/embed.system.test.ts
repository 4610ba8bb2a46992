/** Perch in another app: as a plugin, and the example app as a process. */
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import { mercurius } from 'mercurius';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedServer, openEmbeddedPostgres } from '../../../adapters/postgres/embedded/launcher.js';
import { perchMercurius } from '../../../app/embed.js';
import { isDatabaseDown } from '../../cli/support/service.js';
import { Cli, REPOSITORY, type Started, startNode } from '../../cli/support/support.js';
import { at, post } from './client.js';

let cli: Cli;
let server: EmbeddedServer;
beforeAll(async () => {
  cli = await Cli.open();
  server = await openEmbeddedPostgres({ home: cli.home });
  await cli.json('import', join(REPOSITORY, 'test/kit/fixtures/import/plain'));
});
afterAll(async () => {
  await server.stop();
  await cli.close();
});

const newKey = async (credits: number): Promise<string> => {
  const words = ['account', 'create', '--name', 'app', '--credits', String(credits), '--qps', '100'];
  return (await cli.json<{ key: string }>(...words)).key;
};

describe('the example of an app that embeds Perch', () => {
  let started: Started;
  let url: string;
  beforeAll(async () => {
    started = startNode(['--import', 'tsx', join(REPOSITORY, 'examples/mercurius/app.ts')], {
      cwd: REPOSITORY,
      env: { PERCH_HOME: cli.home, PORT: '0', LOG_LEVEL: 'warn' },
    });
    await started.says('Listening at ');
    url = /http:\/\/127\.0\.0\.1:\d+/.exec(started.said.stdout)?.[0] ?? '';
  });
  afterAll(async () => {
    started.process.kill('SIGTERM');
    expect(await started.end).toMatchObject({ code: 0, stderr: '' });
  });

  it('serves a route of its own and Perch: a profile and a timeline, charged to the account', async () => {
    const key = await newKey(50);
    const query = '{ user(handle: "lighthouse_hq") { id name } timeline(user: "101", first: 1) { nodes { id } } }';
    const reply = await post({ url }, { key }, query);
    expect(at(reply, 'user')).toEqual({ id: '101', name: 'Lighthouse & Sons' });
    expect(at(reply, 'timeline', 'nodes')).toHaveLength(1);
    expect(reply.body.extensions.credits).toMatchObject({ charged: 2, remaining: 48, cache: 'miss' });
    expect(reply.headers.get('x-credits-charged')).toBe('2');
    expect(reply.headers.get('x-request-id')).toBe(reply.body.extensions.request_id);
    const hello = await fetch(`${url}/hello`);
    expect(await hello.json()).toEqual({ hello: 'from the app itself', operations: 1 });
    expect(at(await post({ url }, { key }, '{ me { balance } }'), 'me')).toEqual({ balance: 48 });
  });

  it('refuses reads without a key', async () => {
    const reply = await post({ url }, null, '{ tweet(id: "9001") { id } }');
    expect([reply.status, reply.body.errors[0]?.extensions.code]).toEqual([401, 'missing_key']);
  });
});

describe('Perch as a plugin', () => {
  let app: FastifyInstance;
  afterEach(() => app.close());

  const open = async (mount: (app: FastifyInstance) => Promise<unknown>): Promise<string> => {
    // A first start makes a database, which may take longer than the ten seconds that Fastify gives a plugin.
    app = fastify({ pluginTimeout: 60_000 });
    await mount(app);
    return app.listen({ host: '127.0.0.1', port: 0 });
  };
  const env = () => ({ PERCH_HOME: cli.home });
  const TWEET = '{ tweet(id: "9001") { id } }';

  it("runs Mercurius's hooks for every executed operation, cached or not, and for no refused one", async () => {
    const seen: string[] = [];
    const url = await open(async (host) => {
      await host.register(perchMercurius, { env: env() });
      host.graphql.addHook('preExecution', async (_schema, _document, { reply }) => {
        seen.push(`before ${reply.request.method}`);
      });
      host.graphql.addHook('onResolution', async ({ data }) => {
        seen.push(`after ${JSON.stringify(data)}`);
      });
    });
    const key = await newKey(2);
    const once = ['before POST', 'after {"tweet":{"id":"9001"}}'];
    for (const charged of [1, 0.5, 0.5]) {
      expect((await post({ url }, { key }, TWEET)).body.extensions.credits.charged).toBe(charged);
    }
    expect(seen).toEqual([...once, ...once, ...once]);
    expect((await post({ url }, { key }, TWEET)).status).toBe(402);
    expect((await post({ url }, null, TWEET)).status).toBe(401);
    expect(seen).toHaveLength(6);
  });

  it('answers `internal`, free, if a hook throws, and hides its text', async () => {
    const url = await open(async (host) => {
      await host.register(perchMercurius, { env: env() });
      host.graphql.addHook('onResolution', async () => {
        throw new Error('a secret of the app');
      });
    });
    const key = await newKey(5);
    const { status, body } = await post({ url }, { key }, TWEET);
    expect([status, body.errors[0]?.extensions.code]).toEqual([500, 'internal']);
    expect(JSON.stringify(body)).not.toContain('secret');
    const after = await post({ url }, { key }, { query: TWEET, extensions: { dryRun: true } });
    expect(after.body.extensions.credits.remaining).toBe(5);
    expect((await post({ url }, { key }, '{')).status).toBe(400);
  });

  it('runs next to a Mercurius and parsers of the app, at a path of its own', async () => {
    const url = await open(async (host) => {
      await host.register(mercurius, {
        schema: 'type Query { own: String }',
        resolvers: { Query: { own: () => 'own' } },
      });
      host.post('/echo', async ({ body }) => body);
      await host.register(async (scope) => {
        await scope.register(perchMercurius, { env: env(), path: '/perch' });
      });
    });
    const json = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const own = await fetch(`${url}/graphql`, { ...json, body: '{"query":"{ own }"}' });
    expect(await own.json()).toEqual({ data: { own: 'own' } });
    const echo = await fetch(`${url}/echo`, { ...json, body: '{"a":1}' });
    expect(await echo.json()).toEqual({ a: 1 });
    const key = await newKey(5);
    const read = await fetch(`${url}/perch`, {
      ...json,
      headers: { ...json.headers, 'x-api-key': key },
      body: JSON.stringify({ query: TWEET }),
    });
    expect(await read.json()).toMatchObject({
      data: { tweet: { id: '9001' } },
      extensions: { credits: { charged: 1 } },
    });
    const manifest = await fetch(`${url}/perch/operations.json`);
    expect(await manifest.json()).toMatchObject({ format: 'apollo-persisted-query-manifest' });
    const large = await fetch(`${url}/perch`, { ...json, body: `{"query":"${'x'.repeat(70_000)}"}` });
    expect(large.status).toBe(413);
  });

  it('says what is wrong with the settings', async () => {
    const opening = open((host) => host.register(perchMercurius, { env: { PERCH_NETWORK: 'nothing' } }) as never);
    await expect(opening).rejects.toThrow(/PERCH_NETWORK/);
  });

  it.each<[string, object, RegExp]>([
    ['env that is no object', { env: 'PERCH_HOME=x' }, /env must be an object/],
    ['a path without a slash', { path: 'graphql' }, /path must be a path such as/],
    ['a path that is no text', { path: 7 }, /path must be a path such as/],
    ['a network that is none', { network: {} }, /network must implement Network/],
    ['a prefix', { prefix: '/api' }, /use path, or register it inside a plugin/],
  ])('refuses %s before it opens anything', async (_name, wrong, says) => {
    const opening = open((host) => host.register(perchMercurius, { env: env(), ...wrong } as never) as never);
    await expect(opening).rejects.toThrow(says);
  });

  it('refuses a second Perch in the same scope, and allows one in each scope with a path of its own', async () => {
    const twice = open(async (host) => {
      await host.register(perchMercurius, { env: env() });
      await host.register(perchMercurius, { env: env(), path: '/two' });
    });
    await expect(twice).rejects.toThrow('already has Perch');
    await app.close();
    const url = await open(async (host) => {
      for (const path of ['/one', '/two']) {
        await host.register(async (scope) => {
          await scope.register(perchMercurius, { env: env(), path });
        });
      }
    });
    for (const path of ['/one', '/two']) expect((await fetch(`${url}${path}?query={__typename}`)).status).toBe(200);
  });

  it('closes what it has opened if the rest of it fails', async () => {
    const own = await Cli.open();
    const opening = open(async (host) => {
      host.get('/graphql', async () => 'taken');
      await host.register(perchMercurius, { env: { PERCH_HOME: own.home } });
    });
    await expect(opening).rejects.toThrow('already declared');
    expect(await isDatabaseDown(own)).toBe(true);
    await own.close();
  });

  it('refuses a subscription, and does not ask for an event stream', async () => {
    const url = await open((host) => host.register(perchMercurius, { env: env() }) as never);
    const query = 'subscription { timeline(user: "101") { nodes { id } } }';
    const headers = { 'x-api-key': await newKey(5), 'content-type': 'application/json', accept: 'text/event-stream' };
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
    expect(response.status).toBe(400);
    const { errors } = (await response.json()) as { errors: { message: string }[] };
    expect(errors[0]?.message).toMatch(/^Subscriptions are not followed at this address/);
  });

  it('sells nothing: checkout is closed', async () => {
    const url = await open((host) => host.register(perchMercurius, { env: env() }) as never);
    const key = await newKey(0);
    const { body } = await post({ url }, { key }, 'mutation { checkout(pack: "starter") { url } }');
    expect(body.errors[0]?.extensions.code).toBe('billing_disabled');
  });
});
