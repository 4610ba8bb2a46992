/** The two mounts compared: the same requests get the same answers, for the same price, from the same reads. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readOperations } from '../../../schema/operations.js';
import type { TestAccount } from '../../kit/perch.js';
import { GRAPHQL_TYPE, type GraphqlRequest } from './client.js';
import { MOUNTS, type Service, startService } from './service.js';

const OPERATIONS = readOperations();
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const TWO = 'query One { tweet(id: "11") { id } } query Two { tweet(id: "12") { id text } }';

const REQUESTS: readonly (string | GraphqlRequest)[] = [
  '{ user(handle: "user1") { id name } timeline(user: "1", first: 3) { nodes { id author { handle } } } }',
  '{ timeline(user: "1", first: 20) { nodes { id quoted { id text author { id } } } meta { items creditsCharged cache } } }',
  '{ users(handles: ["user1", "user2", "!!"]) { nodes { id tweets(first: 2) { nodes { id } } } errors { input code } } }',
  '{ yes: tweet(id: "200") { id } no: tweet(id: "999") { id } bad: user(handle: "!!") { id } none: timeline(user: "404") { nodes { id } } }',
  '{ user(id: "500") { id name } tweet(id: "1") { id } }',
  '{ me { balance } }',
  '{ __typename }',
  '{ nothing }',
  '{',
  'query ($n: Int!) { timeline(user: "1", first: $n) { nodes { id } } }',
  '{ timeline(user: "1", first: 0) { nodes { id } } }',
  '{ timeline(user: "1", first: 21) { nodes { replies(first: 1) { nodes { id } } } } }',
  'mutation { checkout(pack: "starter") { url } }',
  { query: TWO, operationName: 'One' },
  { query: TWO, operationName: 'Two' },
  { query: TWO },
  { query: TWO, operationName: 'Three' },
  {
    query: 'query ($no: Boolean!) { tweet(id: "5") { id } user(id: "7") @skip(if: $no) { id } }',
    variables: { no: true },
  },
  {
    query: 'query ($no: Boolean!) { tweet(id: "5") { id } user(id: "7") @skip(if: $no) { id } }',
    variables: { no: false },
  },
  { query: '{ timeline(user: "2", first: 9) { nodes { id } pageInfo { truncated } } }', extensions: { maxCredits: 4 } },
  { query: '{ timeline(user: "1", first: 10) { nodes { quoted { id } } } }', extensions: { dryRun: true } },
  { query: '{ tweet(id: "1") { id } }', extensions: { dryRun: 'yes' } },
  ...Object.keys(OPERATIONS).map((documentId) => ({ documentId })),
  { documentId: 'user-tweets', variables: { user: '1' } },
  { documentId: 'user-tweets', variables: { user: '1', count: 101 } },
  {
    extensions: { persistedQuery: { version: 1, sha256Hash: sha256(OPERATIONS['user-tweets'] ?? '') } },
    variables: { user: '1', count: 7 },
  },
  { extensions: { persistedQuery: { version: 1, sha256Hash: sha256('{ unknown }') } } },
];

const BODIES: readonly [type: string, body: string][] = [
  ...[
    '{',
    '',
    'null',
    '7',
    '"text"',
    '{}',
    '[]',
    '[{"query":"{__typename}"}]',
    '{"query":7}',
    '{"query":"{__typename}","more":1}',
  ].map((body): [string, string] => ['application/json', body]),
  ['application/json', '{"query":"{__typename}","variables":[1]}'],
  ['application/json', '{"documentId":"nobody"}'],
  [
    'multipart/form-data; boundary=x',
    '--x\r\ncontent-disposition: form-data; name="query"\r\n\r\n{__typename}\r\n--x--\r\n',
  ],
  ['application/json', '{"query":"{__typename}","variables":"{}"}'],
  ['application/json', '{"query":"{__typename}","extensions":7}'],
  ['application/json', '{"query":"{__typename}","operationName":7}'],
  ['application/json; charset=utf-8', '{"query":"{__typename}"}'],
  ['application/jsonl', '{"query":"{__typename}"}'],
  ['application/graphql+json', '{"query":"{__typename}"}'],
  ['application/graphql', '{ tweet(id: "1") { id } }'],
  ['application/graphql', ''],
  ['application/x-www-form-urlencoded', 'query=%7B__typename%7D&variables=%7B%7D'],
  ['text/plain', '{ __typename }'],
];

const SEARCHES = [
  'query={tweet(id:"1"){id}}',
  'query={tweet(id:"1"){id}}&variables={',
  'query={tweet(id:"1"){id}}&variables=[]',
  'query={tweet(id:"1"){id}}&extensions=7',
  'query=mutation{checkout(pack:"starter"){url}}',
  'documentId=user-tweets&variables={"user":"1"}',
  'documentId=nothing',
  'documentId=checkout&variables={"pack":"starter"}',
  'nothing=1',
  '',
];

const TWICE = ['query={__typename}', 'variables={}', 'operationName=A', 'extensions={}', 'documentId=user-tweets'];

/**
 * Removes how long the answer is and whether that is known in advance: an answer kept in compressed form has another
 * length.
 */
function unframed<R extends { readonly headers: Readonly<Record<string, string>> }>({ headers, ...rest }: R) {
  const { 'content-length': _, 'transfer-encoding': __, ...others } = headers;
  return { ...rest, headers: others };
}

describe('Yoga and Mercurius', () => {
  const sides: { service: Service; account: TestAccount }[] = [];
  beforeAll(async () => {
    for (const mount of MOUNTS) {
      const service = await startService({}, mount);
      service.net.user({ id: '500', name: undefined as never });
      sides.push({ service, account: await service.perch.account() });
    }
  });
  afterAll(async () => {
    for (const { service } of sides) await service.close();
  });

  /**
   * Sends a request to each side and returns what each made of it: all that a client can see, the charge and the reads.
   */
  const onEach = (path: string, init: RequestInit & { headers: Record<string, string> }, keyless = false) =>
    Promise.all(
      sides.map(async ({ service, account }) => {
        service.clock.advance(1000);
        const calls = service.net.calls.length;
        const headers = { ...init.headers, ...(!keyless && { 'x-api-key': account.key }) };
        const response = await fetch(`${service.perch.url}${path}`, { ...init, headers });
        const text = (await response.text()).replaceAll(service.perch.url, 'https://perch.example');
        const seen = Object.fromEntries(response.headers);
        for (const name of ['x-request-id', 'date', 'server-timing', 'www-authenticate']) delete seen[name];
        const own =
          /"request_id":"[^"]+"|"(?:endCursor|next_cursor|since_cursor|key_prefix|keyPrefix|customer_id|customerId)":"[^"]+"/g;
        return {
          status: response.status,
          headers: seen,
          body: text === '' ? null : (JSON.parse(text.replaceAll(own, '"own":""')) as unknown),
          balance: await service.perch.balance(account),
          calls: service.net.calls.slice(calls).map(({ what, kind, of }) => `${what} ${kind} ${of.join()}`),
        };
      }),
    );

  const same = async (path: string, init: RequestInit & { headers: Record<string, string> }, keyless = false) => {
    // First anew, then from the cache, then with the compiled operation.
    for (let i = 0; i < 3; i += 1) {
      const [yoga, mercurius] = await onEach(path, init, keyless);
      expect(mercurius && unframed(mercurius)).toEqual(yoga && unframed(yoga));
    }
  };

  it.each(REQUESTS.map((operation) => [JSON.stringify(operation), operation] as const))(
    'answer %s alike',
    async (_name, operation) => {
      const body = JSON.stringify(typeof operation === 'string' ? { query: operation } : operation);
      for (const accept of [GRAPHQL_TYPE, 'application/json']) {
        await same('/graphql', { method: 'POST', headers: { accept, 'content-type': 'application/json' }, body });
      }
    },
  );

  it.each(BODIES)('answer a body of %s: %s', async (type, body) => {
    await same('/graphql', { method: 'POST', headers: { 'content-type': type }, body });
  });

  it.each(SEARCHES)('answer GET /graphql?%s alike', async (search) => {
    await same(`/graphql?${encodeURI(search)}`, { headers: { accept: GRAPHQL_TYPE } });
  });

  it.each(TWICE)('refuse a parameter that is given twice, in an address and in a form: %s (P4)', async (parameter) => {
    const text = encodeURI(`query={tweet(id:"1"){id}}&${parameter}&${parameter}`);
    const type = 'application/x-www-form-urlencoded';
    for (const [path, init] of [
      [`/graphql?${text}`, { headers: {} }],
      ['/graphql', { method: 'POST', headers: { 'content-type': type }, body: text }],
      [
        `/graphql?${text}`,
        { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"query":"{__typename}"}' },
      ],
    ] as const) {
      for (const { status, body, calls } of await onEach(path, init)) {
        expect([status, calls]).toEqual([400, []]);
        expect(body).toMatchObject({ errors: [{ message: expect.stringContaining('is given more than once') }] });
      }
    }
  });

  it('refuse, unread and free, a request for more than one operation (P4)', async () => {
    const post = (body: object) => ({
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const [query, documentId] = ['{ __typename }', 'me'];
    const extensions = { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } };
    for (const [path, init] of [
      ['/graphql?documentId=me', post({ documentId: 'user', variables: { handle: 'user1' } })],
      ['/graphql?documentId=me', post({ query })],
      ['/graphql', post({ query, documentId })],
      ['/graphql', post({ documentId, extensions })],
      ['/graphql?query={__typename}', post({ documentId })],
      ['/graphql?query={__typename}&documentId=me', { headers: {} }],
    ] as const) {
      for (const { status, calls } of await onEach(path, init)) expect([path, status, calls]).toEqual([path, 400, []]);
    }
    const [plain] = await onEach('/graphql', post({ query }));
    for (const more of [{ documentId: null }, { documentId: '' }, { extensions }]) {
      expect((await onEach('/graphql', post({ query, ...more })))[0]?.body).toMatchObject({
        data: { __typename: 'Query' },
      });
    }
    expect(plain?.status).toBe(200);
  });

  it('refuse, unread and free, a budget or a dry run under the name that it has in REST, wherever it is sent (P3)', async () => {
    const query = '{ timeline(user: "1", first: 5) { nodes { id } } }';
    const [json, form] = ['application/json', 'application/x-www-form-urlencoded'];
    const post = (type: string, body: string) => ({ method: 'POST', headers: { 'content-type': type }, body });
    for (const [name, meant] of [
      ['max_credits', 'maxCredits'],
      ['maxcredits', 'maxCredits'],
      ['dry_run', 'dryRun'],
      ['estimate', 'dryRun'],
      ['max_credits_per_day', 'maxCreditsPerDay'],
    ] as const) {
      const sent = new URLSearchParams({ query, [name]: '1' }).toString();
      for (const [path, init] of [
        ['/graphql', post(json, JSON.stringify({ query, extensions: { [name]: 1 } }))],
        [`/graphql?${sent}`, { headers: {} }],
        [`/graphql?${name}=1`, post(json, JSON.stringify({ query }))],
        ['/graphql', post(form, sent)],
      ] as const) {
        for (const { status, body, calls } of await onEach(path, init)) {
          expect([status, calls]).toEqual([400, []]);
          const message = `${name} is not a parameter of GraphQL: send extensions.${meant}.`;
          expect(body).toMatchObject({ errors: [{ message, extensions: { code: 'bad_request', param: meant } }] });
        }
      }
    }
    const client = { clientLibrary: { name: 'some-client', version: '1' }, tracing: true };
    await same('/graphql', post(json, JSON.stringify({ query: '{ __typename }', extensions: client })));
  });

  it.each(['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE'])('answer %s /graphql alike', async (method) => {
    await same('/graphql?query={__typename}', { method, headers: {} });
  });

  it.each<[string, Record<string, string>, Uint8Array<ArrayBuffer> | string]>([
    ['larger than is taken', {}, JSON.stringify({ query: `{ __typename } #${'x'.repeat(70_000)}` })],
    ['that is compressed', { 'content-encoding': 'gzip' }, new Uint8Array(gzipSync('{"query":"{ __typename }"}'))],
    ['that is no UTF-8', {}, new Uint8Array(Buffer.from('{"query":"{ tweet(id: \xff) { id } }"}', 'latin1'))],
    ['with a mark of the byte order', {}, '\ufeff{"query":"{ __typename }"}'],
  ])('answer a body %s alike', async (_name, given, body) => {
    await same('/graphql', { method: 'POST', headers: { 'content-type': 'application/json', ...given }, body });
  });

  it('compress an answer alike', async () => {
    const body = JSON.stringify({ query: getIntrospectionQuery() });
    const headers = { 'content-type': 'application/json', 'accept-encoding': 'gzip' };
    await same('/graphql', { method: 'POST', headers, body });
  });

  it('answer 400 in the usual words to invalid JSON in the address', async () => {
    const replies = await onEach('/graphql?query={__typename}&variables={', { headers: {} });
    for (const { status, body } of replies) {
      expect(status).toBe(400);
      expect(body).toMatchObject({ errors: [{ message: 'variables and extensions must be JSON.' }] });
    }
  });

  it.each([getIntrospectionQuery(), '{ __typename }', '{ me { balance } }', '{'])(
    'answer alike without a key: %s',
    async (query) => {
      const body = JSON.stringify({ query });
      await same('/graphql', { method: 'POST', headers: { 'content-type': 'application/json' }, body }, true);
    },
  );

  it('trim alike for a budget in the header, and when credits run out', async () => {
    const query =
      '{ a: tweet(id: "41") { id } b: timeline(user: "1", first: 30) { nodes { id quoted { id } } } c: user(id: "9") { id } }';
    for (const credits of ['0.4', '1', '7', '31.5', '62']) {
      for (const { service } of sides) service.clock.forget();
      const headers = { 'content-type': 'application/json', 'x-max-credits': credits };
      await same('/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) });
    }
  });
});
