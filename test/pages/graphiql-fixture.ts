import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSchema, graphql } from 'graphql';
import { graphiqlAssets } from '../../adapters/pages/graphiql/assets.js';
import { GRAPHIQL_CSP } from '../../adapters/pages/graphiql/mount.js';
import { graphiqlPage } from '../../adapters/pages/graphiql/page.js';
import { siteAssets } from '../../adapters/pages/kit/assets.js';
import { ERROR_CODES, type ErrorCode } from '../../src/domain/errors.js';

const key = (name: string): string => `perch_live_${name.padEnd(32, '0')}`;
export const DEMO_KEY = key('DemoDemo');
/** Keys, by how the service refuses them. */
export const KEYS = { unknown: key('Unknown'), broke: key('Broke'), hasty: key('Hasty') };

const schema = buildSchema(readFileSync(new URL('../../schema/schema.graphql', import.meta.url), 'utf8'));

const tweets = Array.from({ length: 20 }, (_, n) => ({
  id: `${7000 - n}`,
  text: `Night ${n + 1}: clear sky over the harbour`,
  createdAt: '2026-11-20T21:00:00.000Z',
  likesCount: n,
}));

const user = {
  id: '42',
  handle: 'harbor_obs',
  name: 'Harbour Observatory',
  bio: 'We watch the sky over the water.',
  followersCount: 1234,
  tweets: {
    nodes: tweets,
    pageInfo: { endCursor: null, hasNextPage: false },
    meta: { items: 20, creditsCharged: 20, cache: 'miss', cacheHits: 0 },
  },
};

const refusal = (code: ErrorCode, message: string) => ({
  status: ERROR_CODES[code].status,
  headers: code === 'rate_limited' ? { 'retry-after': '7' } : {},
  body: { errors: [{ message, extensions: { code } }] },
});

/** A meter with the real shape of extensions and a made-up price list: the user costs 21 at first, then half. */
class Till {
  balance = 1000;
  runs = 0;

  charge() {
    const cache = this.runs++ === 0 ? 'miss' : 'hit';
    const unit = cache === 'miss' ? 1 : 0.5;
    const line = (path: string, items: number) => ({ path, items, unit, cache, charged: items * unit });
    const breakdown = [line('user', 1), line('user.tweets', 20)];
    const charged = 21 * unit;
    this.balance -= charged;
    return { charged, remaining: this.balance, cache, breakdown };
  }
}

async function answer(request: IncomingMessage, till: Till) {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  const { query, operationName, extensions } = JSON.parse(text);
  const given = request.headers['x-api-key'];
  if (operationName !== 'IntrospectionQuery') {
    if (given === undefined) return refusal('missing_key', 'This read needs a key.');
    if (given === KEYS.broke) return refusal('no_credits', 'The wallet holds 0 credits.');
    if (given === KEYS.hasty) return refusal('rate_limited', 'The limit is 1 request per second.');
    if (given !== DEMO_KEY) return refusal('invalid_key', 'There is no such key.');
  }
  if (extensions?.dryRun === true) {
    return { status: 200, headers: {}, body: { extensions: { estimate: { max_credits: 21, max_items: 21 } } } };
  }
  const result = await graphql({ schema, source: query, rootValue: { user, me: { balance: till.balance } } });
  const paid = operationName === 'ProfileAndTimeline';
  const credits = paid ? till.charge() : { charged: 0, remaining: till.balance, cache: 'miss', breakdown: [] };
  return {
    status: 200,
    headers: {},
    body: operationName === 'IntrospectionQuery' ? result : { ...result, extensions: { credits } },
  };
}

function serveFile(request: IncomingMessage, response: ServerResponse): boolean {
  const asset = graphiqlAssets().get(request.url ?? '') ?? siteAssets().get(request.url ?? '');
  if (asset !== undefined) {
    response.writeHead(200, { 'content-type': asset.type }).end(asset.body);
  }
  return asset !== undefined;
}

/** GraphiQL over a small service that answers as the real one does. `requests` has the headers of every POST. */
export async function startGraphiql(options: { demo: boolean }) {
  const till = new Till();
  const requests: { key: string | undefined; url: string | undefined }[] = [];
  const server = createServer(async (request, response) => {
    if (serveFile(request, response)) return;
    if (request.method === 'POST') {
      requests.push({ key: request.headers['x-api-key'] as string | undefined, url: request.url });
      const { status, headers, body } = await answer(request, till);
      response.writeHead(status, { 'content-type': 'application/graphql-response+json', ...headers });
      response.end(JSON.stringify(body));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': GRAPHIQL_CSP });
    response.end(graphiqlPage({ demoKey: options.demo ? DEMO_KEY : null, baseUrl: 'http://127.0.0.1:4000' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()).closeAllConnections());
  return { origin, requests, close };
}
