import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import type { OpenapiDocument } from '../../../adapters/rest/openapi/types.js';
import { type Client, createClient, type HeaderFields, type Reply } from '../../kit/client.js';
import { denied, upstreamFault } from '../../kit/networks/faults.js';
import { validateResponse } from '../../kit/validate-response.js';
import { type Service, startService } from '../v1/service.js';
import { PEOPLE, TWEETS } from '../v1/small-corpus.js';
import { type PrismProxy, startPrism } from './prism-proxy.js';

const PROBLEM = { accept: 'application/problem+json' };

/** Reads of every endpoint, with the shapes of their answers in all variants. */
const ANSWERED = [
  '/v1/me',
  '/v1/billing/packs',
  '/v1/usage?group=day,endpoint,key',
  '/v1/usage?from=2020-01-01&to=2020-01-02&colour=green',
  '/v1/users/Aurora_Obs',
  '/v1/users/town_library?max_credits=3',
  '/v1/users/Aurora_Obs?estimate=true',
  '/v1/users/batch?handles=Aurora_Obs,town_library,nobody_here,a%20b',
  '/v1/users/batch?handles=Aurora_Obs,town_library&estimate=true',
  '/v1/users/Aurora_Obs/tweets',
  '/v1/users/Aurora_Obs/tweets?count=3&fresh=true',
  '/v1/users/Aurora_Obs/tweets?max_credits=2.5',
  '/v1/users/lonely_light/tweets',
  '/v1/users/Aurora_Obs/followers?count=5',
  '/v1/users/Aurora_Obs/followers/ids',
  '/v1/users/Aurora_Obs/followers/ids?estimate=1',
  '/v1/users/Aurora_Obs/following',
  '/v1/tweets/search?q=ferry',
  '/v1/tweets/search?q=ferry&product=people',
  '/v1/tweets/search?q=nothing-like-this-anywhere',
  '/v1/tweets/search?q=ferry&product=Photos&estimate=true',
  `/v1/tweets/${TWEETS.root}`,
  `/v1/tweets/${TWEETS.video}`,
  `/v1/tweets/batch?ids=${TWEETS.root},${TWEETS.photo},1,01`,
  `/v1/tweets/${TWEETS.root}/thread`,
  `/v1/tweets/${TWEETS.root}/replies`,
  `/v1/tweets/${TWEETS.root}/quotes`,
  `/v1/tweets/${TWEETS.root}/retweeters`,
  '/v1/tweets/1/quotes',
];

/** Requests that are wrong in themselves. */
const REFUSED: [status: number, path: string][] = [
  [400, '/v1/users/batch?handles=a&max_credits=lots'],
  [400, '/v1/usage?from=yesterday'],
  [404, '/v1/usage/019e1d2a-7c40-7b53-9f11-2d6a8e4c0b97'],
  [404, '/v1/users/nobody_here'],
  [400, '/v1/users/Aurora_Obs?fresh=maybe'],
  [400, '/v1/users/batch'],
  [400, '/v1/users/Aurora_Obs/tweets?count=101'],
  [400, '/v1/users/Aurora_Obs/followers?cursor=nonsense'],
  [404, `/v1/users/${PEOPLE.garden}/followers/ids`],
  [400, '/v1/tweets/search?q='],
  [400, '/v1/tweets/search?q=(ferry'],
  [404, '/v1/tweets/1'],
  [404, '/v1/tweets/1/thread'],
  [400, `/v1/tweets/${TWEETS.root}/retweeters?limit=3`],
  [414, `/v1/tweets/search?q=${'a'.repeat(9000)}`],
];

describe('Prism as a validating proxy, through which answers keep to the document', () => {
  let service: Service;
  let prism: PrismProxy;
  let document: OpenapiDocument;
  const faults: string[] = [];

  /** Sends requests through Prism, and has our own validator check what came back. */
  async function client(options?: Parameters<Service['customer']>[0]): Promise<Client> {
    const { key } = await service.perch.account(options);
    return createClient(prism.url, key, seen);
  }
  function seen(reply: Reply): void {
    const type = reply.headers.get('content-type');
    const body: unknown = type?.includes('json') ? reply.body : reply.text;
    faults.push(...validateResponse(document, { ...reply, contentType: type, body }));
  }
  const shown = ({ status, body, text }: Reply) => [status, 'validation' in body ? text : 'as documented'];

  beforeAll(async () => {
    service = await startService();
    const yaml = await (await fetch(`${service.perch.url}/openapi.yaml?estimates=true`)).text();
    document = parse(yaml) as OpenapiDocument;
    prism = await startPrism(document, service.perch.url);
  });
  afterAll(async () => {
    await prism?.close();
    await service?.close();
    expect(faults).toEqual([]);
  });

  it.each(ANSWERED)('200 %s', async (path) => {
    const reader = await client();
    expect(shown(await reader.get(path))).toEqual([200, 'as documented']);
    expect(shown(await reader.get(path))).toEqual([200, 'as documented']);
  });

  it('200 for pages with a next one, batches sent by POST, and a receipt', async () => {
    const reader = await client();
    const first = await reader.get('/v1/users/Aurora_Obs/followers?count=200');
    const last = await reader.get(`/v1/users/Aurora_Obs/followers?count=200&cursor=${first.body.next_cursor}`);
    const users = await reader.post('/v1/users/batch', { handles: ['Aurora_Obs', 'nobody_here'], fresh: true });
    const tweets = await reader.post('/v1/tweets/batch?fresh=1', { ids: [TWEETS.root] });
    const receipt = await reader.get(`/v1/usage/${first.body.request_id}`);
    for (const reply of [first, last, users, tweets, receipt]) expect(shown(reply)).toEqual([200, 'as documented']);
    expect(last.body).not.toHaveProperty('next_cursor');
  });

  it.each(REFUSED)('%i %s, as JSON and as a problem', async (status, path) => {
    const reader = await client();
    expect(shown(await reader.get(path))).toEqual([status, 'as documented']);
    const problem = await reader.get(path, PROBLEM);
    expect(shown(problem)).toEqual([status, 'as documented']);
    expect(problem.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  });

  it.each([{}, PROBLEM])('refusals of a POST, with %j', async (headers: HeaderFields) => {
    const reader = await client();
    const replies = [
      await reader.post('/v1/billing/checkout', { pack: 'huge' }, headers),
      await reader.post('/v1/billing/checkout', { pack: 'starter' }, headers),
      await reader.post('/v1/users/batch', { handles: [] }, headers),
      await reader.post('/v1/tweets/batch', { ids: 'x'.repeat(70_000) }, headers),
    ];
    expect(replies.map(shown)).toEqual([400, 503, 400, 413].map((status) => [status, 'as documented']));
  });

  it.each([{}, PROBLEM])('401, 402 and 429, with %j', async (headers: HeaderFields) => {
    const nobody = createClient(prism.url, null, seen);
    const stranger = createClient(prism.url, 'perch_live_not_a_key', seen);
    const poor = await client({ credits: 0 });
    const slow = await client({ qps: 1 });
    const paths = ['/v1/me', '/v1/users/Aurora_Obs', '/v1/tweets/search?q=ferry'];
    for (const path of paths) {
      expect(shown(await nobody.get(path, headers))).toEqual([401, 'as documented']);
      expect(shown(await stranger.get(path, headers))).toEqual([401, 'as documented']);
    }
    expect(shown(await poor.get('/v1/users/Aurora_Obs', headers))).toEqual([402, 'as documented']);
    await slow.get('/v1/me', headers);
    expect(shown(await slow.get('/v1/users/Aurora_Obs', headers))).toEqual([429, 'as documented']);
  });

  it.each([{}, PROBLEM])('403, 500 and 503, with %j', async (headers: HeaderFields) => {
    const reader = await client();
    const fails = async (error: unknown, path: string): Promise<unknown> => {
      service.faults.fail(error);
      return shown(await reader.get(path, headers).finally(() => service.faults.heal()));
    };
    const followers = '/v1/users/Aurora_Obs/followers?fresh=true';
    expect(await fails(denied(), followers)).toEqual([403, 'as documented']);
    expect(await fails(denied(), '/v1/tweets/search?q=ferry&fresh=true')).toEqual([403, 'as documented']);
    for (const code of ['upstream_error', 'no_account', 'upstream_rate_limited', 'request_rejected'] as const) {
      expect(await fails(upstreamFault(code), followers)).toEqual([503, 'as documented']);
    }
    const spy = vi.spyOn(service.perch.ledger, 'balance').mockRejectedValueOnce(new Error('disk 7 is gone'));
    const reply = await reader.get('/v1/me', headers).finally(() => spy.mockRestore());
    expect(shown(reply)).toEqual([500, 'as documented']);
  });

  it.each(['application/json', 'text/html'])('keyless operations, for %s', async (accept) => {
    service.clock.forget();
    const nobody = createClient(prism.url, null, seen);
    const pages = ['/', '/status', '/healthz', '/problems', '/problems/no_credits'];
    // A browser is redirected to the reference, which the proxy would follow.
    const paths = accept === 'text/html' ? pages : [...pages, '/openapi.yaml'];
    const replies: Reply[] = [];
    for (const path of paths) replies.push(await nobody.get(path, { accept }));
    expect(replies.map(shown)).toEqual(paths.map(() => [200, 'as documented']));
  });
});
