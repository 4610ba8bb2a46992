import { createHash, randomBytes } from 'node:crypto';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readOperations } from '../../../schema/operations.js';
import { mintKey } from '../../../src/access/key.js';
import { at, GRAPHQL_TYPE, type GraphqlBody, post } from './client.js';
import { MOUNTS, type Service, startService } from './service.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const persisted = (hash: string) => ({ persistedQuery: { version: 1, sha256Hash: hash } });
const OPERATIONS = readOperations();

describe.each(MOUNTS)('GraphQL over HTTP (%s)', (mount) => {
  let service: Service;
  let account: Awaited<ReturnType<Service['perch']['account']>>;
  beforeAll(async () => {
    service = await startService({}, mount);
    account = await service.perch.account();
  });
  afterAll(() => service.close());

  const get = async (query: Record<string, string>, accept = 'application/json') => {
    const url = `${service.perch.url}/graphql?${new URLSearchParams(query)}`;
    const response = await fetch(url, { headers: { 'x-api-key': account.key, accept } });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const raw = async (body: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${service.perch.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': account.key, ...headers },
      body,
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as GraphqlBody };
  };

  it('G1: runs queries by GET, and only queries', async () => {
    const query = await get({ query: '{ tweet(id: "1") { id } }' });
    expect(JSON.parse(query.text)).toMatchObject({ data: { tweet: { id: '1' } } });
    const mutation = await get({ query: 'mutation { checkout(pack: "starter") { url } }' });
    expect([mutation.status, mutation.headers.get('allow')]).toEqual([405, 'POST']);
    const named = await get({ documentId: 'checkout', variables: '{"pack":"starter"}' });
    expect(named.status).toBe(405);
  });

  it('G1: serves GraphiQL to a browser without a key and outside the public policy (L10)', async () => {
    for (let i = 0; i < 15; i += 1) {
      const response = await fetch(`${service.perch.url}/graphql`, { headers: { accept: 'text/html,*/*;q=0.8' } });
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(response.headers.has('ratelimit-policy')).toBe(false);
      expect(await response.text()).toContain('GraphiQL');
    }
  });

  it('G2: needs no key for introspection, which is under the public policy; reads and `me` need one', async () => {
    service.clock.advance(1000);
    const schema = await post(service.perch, null, getIntrospectionQuery());
    expect(at(schema, '__schema', 'queryType', 'name')).toBe('Query');
    expect(schema.headers.get('ratelimit-policy')).toBe('public; q=10; w=1');
    expect(schema.headers.get('ratelimit')).toBe('limit=10, remaining=9, reset=1');
    for (const query of ['{ tweet(id: "1") { id } }', '{ me { balance } }', '{ __typename me { balance } }']) {
      const { status, body, headers } = await post(service.perch, null, query);
      expect([status, body.errors[0]?.extensions.code]).toEqual([401, 'missing_key']);
      // L6, A7
      expect(headers.get('ratelimit-policy')).toBe('account; q=1; w=1');
      expect(headers.has('ratelimit')).toBe(false);
      expect(headers.get('www-authenticate')).toMatch(/^Bearer resource_metadata=".+", scope="read"$/);
    }
  });

  it('G2: answers 429 to more than ten keyless requests a second, and still serves keys at that address', async () => {
    service.clock.advance(1000);
    const replies = [];
    for (let i = 0; i < 12; i += 1) replies.push(await post(service.perch, null, '{ __typename }'));
    expect(replies.map(({ status }) => status)).toEqual([...Array(10).fill(200), 429, 429]);
    const last = replies.at(-1);
    expect(last?.body.errors[0]?.extensions).toMatchObject({ code: 'rate_limited', retry_after: 1 });
    expect(last?.headers.get('retry-after')).toBe('1');
    expect((await post(service.perch, account, '{ __typename }')).status).toBe(200);
    service.clock.advance(1000);
  });

  it('refuses a caller without a valid key before its body is parsed (L13)', async () => {
    service.clock.advance(1000);
    for (let i = 0; i < 10; i += 1) await post(service.perch, null, '{ __typename }');
    const parse = vi.spyOn(JSON, 'parse');
    // A random text, because this file's own source may be parsed for a stack.
    const mark = randomBytes(8).toString('hex');
    const unread = (text: unknown): boolean => !String(text).includes(mark);
    const body = JSON.stringify({ query: `{ __typename } # ${mark}` });
    const send = async (headers: Record<string, string>): Promise<number> => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body };
      return (await fetch(`${service.perch.url}/graphql`, init)).status;
    };
    try {
      for (const accept of ['application/json', GRAPHQL_TYPE]) {
        expect(await send({ accept })).toBe(429);
        expect(await send({ accept, 'x-api-key': 'nonsense' })).toBe(401);
        expect(await send({ accept, 'x-api-key': mintKey(randomBytes) })).toBe(401);
      }
      expect(parse.mock.calls.every(([text]) => unread(text))).toBe(true);
      expect(await send({ 'x-api-key': account.key })).toBe(200);
      expect(parse.mock.calls.every(([text]) => unread(text))).toBe(false);
    } finally {
      parse.mockRestore();
      service.clock.advance(1000);
    }
  });

  it('sends a refusal that may be retried as plain JSON, whatever type is preferred (G24)', async () => {
    const slow = await service.perch.account({ qps: 1 });
    await post(service.perch, slow, '{ __typename }');
    const limited = await post(service.perch, slow, '{ __typename }');
    expect(limited.headers.get('retry-after')).toBe('1');
    expect(limited.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const poor = await post(service.perch, await service.perch.account({ credits: 0 }), '{ tweet(id: "1") { id } }');
    expect(poor.headers.get('content-type')).toBe(`${GRAPHQL_TYPE}; charset=utf-8`);
  });

  it('G6: gives a refusal before execution the status of REST, and 422 to a document that asks for what does not exist', async () => {
    const poor = await service.perch.account({ credits: 0 });
    const slow = await service.perch.account({ qps: 1 });
    await post(service.perch, slow, '{ __typename }');
    const cases: [number, string, () => Promise<{ status: number; body: GraphqlBody }>][] = [
      [401, 'invalid_key', () => post(service.perch, { key: 'nonsense' }, '{ tweet(id: "1") { id } }')],
      [402, 'no_credits', () => post(service.perch, poor, '{ tweet(id: "1") { id } }')],
      [429, 'rate_limited', () => post(service.perch, slow, '{ __typename }')],
      [400, 'bad_request', () => post(service.perch, account, '{')],
      [422, 'bad_request', () => post(service.perch, account, '{ nothing }')],
      [400, 'bad_request', () => post(service.perch, account, '{ timeline(user: "1", first: 0) { nodes { id } } }')],
      [400, 'bad_request', () => post(service.perch, account, '{ timeline(user: "1", after: "") { nodes { id } } }')],
      [400, 'bad_request', () => post(service.perch, account, '{ search(q: " ") { meta { items } } }')],
      [
        400,
        'bad_request',
        () =>
          post(service.perch, account, {
            query: 'query ($n: Int!) { timeline(user: "1", first: $n) { nodes { id } } }',
          }),
      ],
    ];
    for (const [status, code, run] of cases) {
      const reply = await run();
      expect([reply.status, reply.body.errors[0]?.extensions.code, reply.body.data]).toEqual([status, code, undefined]);
      expect(reply.body.extensions.request_id).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('G6: answers 200 whenever there is data, even with errors', async () => {
    const reply = await post(service.perch, account, '{ a: tweet(id: "999") { id } }');
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, `${GRAPHQL_TYPE}; charset=utf-8`]);
    expect(reply.body).toMatchObject({
      data: { a: null },
      errors: [{ path: ['a'], extensions: { code: 'not_found' } }],
    });
  });

  it('refuses a body without an operation, after key and rate, always with the same code', async () => {
    const bodies: [string, Record<string, string>, number][] = [
      ['{', {}, 400],
      ['', {}, 400],
      ['null', {}, 400],
      ['"text"', {}, 400],
      ['{}', {}, 400],
      ['[{"query":"{__typename}"}]', {}, 400],
      ['{"query":7}', {}, 400],
      ['{"query":"{__typename}","operationName":7}', {}, 400],
      ['{"query":"{__typename}","variables":[1]}', {}, 400],
      ['{"query":"{__typename}","extensions":{"dryRun":"yes"}}', {}, 400],
      ['{"query":"{__typename}","extensions":{"maxCredits":-1}}', {}, 400],
      ['{"documentId":"nothing"}', {}, 400],
      ['{ __typename }', { 'content-type': 'text/plain' }, 415],
    ];
    for (const [text, headers, status] of bodies) {
      const reply = await raw(text, headers);
      expect([text, reply.status]).toEqual([text, status]);
      expect(reply.body.errors[0]?.extensions).toMatchObject({ code: 'bad_request' });
      expect(JSON.stringify(reply.body)).not.toMatch(/SyntaxError|at position|originalError/);
      expect(reply.headers.get('x-credits-charged')).toBe('0');
      expect(reply.headers.get('ratelimit-policy')).toBe('account; q=10000; w=1');
    }
    const nobody = await raw('{', { 'x-api-key': 'nonsense' });
    expect([nobody.status, nobody.body.errors[0]?.extensions.code]).toEqual([401, 'invalid_key']);
  });

  it.each([
    ['Application/JSON', '{"query":"{ __typename }"}'],
    ['application/json ; charset=utf-8', '{"query":"{ __typename }"}'],
    ['APPLICATION/GraphQL+json', '{"query":"{ __typename }"}'],
    ['Application/GraphQL ;charset=utf-8', '{ __typename }'],
    ['Application/X-WWW-Form-URLEncoded\t; charset=UTF-8', 'query=%7B__typename%7D'],
  ])('takes a media type in any case, with spaces before its parameters: %s', async (type, text) => {
    const { status, body } = await raw(text, { 'content-type': type });
    expect([status, body.data]).toEqual([200, { __typename: 'Query' }]);
  });

  it('takes an empty operationName for none, however it is sent and even if the document is known', async () => {
    const query = '{ tweet(id: "7") { id } }';
    const form = new URLSearchParams({ query, operationName: '' }).toString();
    for (let nth = 0; nth < 2; nth += 1) {
      const byJson = await raw(JSON.stringify({ query, operationName: '' }));
      const byForm = await raw(form, { 'content-type': 'application/x-www-form-urlencoded' });
      const byGet = JSON.parse((await get({ query, operationName: '' })).text);
      for (const body of [byJson.body, byForm.body, byGet]) expect(body.data).toEqual({ tweet: { id: '7' } });
      await raw(JSON.stringify({ query }));
    }
  });

  it('skips a byte order mark before the JSON', async () => {
    for (const accept of ['application/json', GRAPHQL_TYPE]) {
      const { status, body } = await raw('\ufeff{"query":"{ tweet(id: \\"8\\") { id } }"}', { accept });
      expect([status, body.data]).toEqual([200, { tweet: { id: '8' } }]);
    }
  });

  it('refuses invalid UTF-8 anywhere, free, and reads no replacement of it', async () => {
    const { key } = account;
    const before = await service.perch.balance(account);
    const send = (path: string, type?: string, body?: string, accept = 'application/json') =>
      fetch(service.perch.url + path, {
        headers: { 'x-api-key': key, accept, ...(type && { 'content-type': type }) },
        ...(body !== undefined && { method: 'POST', body: new Uint8Array(Buffer.from(body, 'latin1')) }),
      });
    const json = JSON.stringify({ query: '{ user(handle: "\xff") { id } }' });
    const replies = [
      await send('/graphql?query={user(handle:"%ff"){id}}'),
      await send('/graphql', 'application/json', json),
      await send('/graphql', 'application/json', json, GRAPHQL_TYPE),
      await send('/graphql', 'application/x-www-form-urlencoded', 'query={user(handle:"%ff"){id}}'),
    ];
    expect(replies.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    for (const reply of replies) expect(await reply.text()).toContain('UTF-8');
    expect(await service.perch.balance(account)).toBe(before);
  });

  it('answers in JSON whatever is accepted: what was paid for is delivered, never 406 and never in pieces', async () => {
    for (const accept of [
      'text/csv',
      'text/event-stream',
      'multipart/mixed',
      'application/problem+json',
      'text/html',
    ]) {
      const reply = await raw('{"query":"{ tweet(id: \\"1\\") { id } }"}', { accept });
      expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
      expect(reply.body.data).toEqual({ tweet: { id: '1' } });
    }
    const preferred = await raw('{"query":"{ __typename }"}', { accept: `application/json;q=0.5, ${GRAPHQL_TYPE}` });
    expect(preferred.headers.get('content-type')).toBe(`${GRAPHQL_TYPE}; charset=utf-8`);
  });

  it('answers a query for a client that accepts streams with every request as any other, introspection without a key', async () => {
    service.clock.advance(1000);
    // Sent by urql.
    const accept = `${GRAPHQL_TYPE}, application/graphql+json, application/json, text/event-stream, multipart/mixed`;
    const asked = { method: 'POST', headers: { 'content-type': 'application/json', accept } };
    const body = JSON.stringify({ query: getIntrospectionQuery() });
    const schema = await fetch(`${service.perch.url}/graphql`, { ...asked, body });
    expect([schema.status, schema.headers.get('content-type')]).toEqual([200, `${GRAPHQL_TYPE}; charset=utf-8`]);
    const hash = { extensions: persisted(sha256(OPERATIONS.tweet ?? '')), variables: { id: '1' } };
    const bodies = [{ documentId: 'tweet', variables: { id: '1' } }, hash, { query: '{ __typename }' }];
    for (const each of bodies) {
      const plain = await raw(JSON.stringify(each), { accept: GRAPHQL_TYPE });
      const reply = await raw(JSON.stringify(each), { accept });
      expect([reply.status, reply.body.data]).toEqual([200, plain.body.data]);
    }
    service.clock.advance(1000);
  });

  it('says where a variable is declared whose value is refused', async () => {
    const query = 'query ($id: ID!) { tweet(id: $id) { id } }';
    for (const variables of [{}, { id: null }, { id: [] }]) {
      const { body } = await post(service.perch, account, { query, variables });
      expect(body.errors[0]).toMatchObject({ locations: [{ line: 1, column: 8 }] });
    }
  });

  it('G7: counts one operation as one request, however many reads it has', async () => {
    const one = await service.perch.account({ qps: 5 });
    const fields = Array.from({ length: 10 }, (_, i) => `a${i}: tweet(id: "${i + 1}") { id }`).join(' ');
    const reply = await post(service.perch, one, `{ ${fields} }`);
    expect(reply.headers.get('ratelimit')).toBe('limit=5, remaining=4, reset=1');
  });

  describe('persisted operations', () => {
    it.each(Object.keys(OPERATIONS))('are found by name and by the SHA-256 of their text: %s', async (name) => {
      const hash = sha256(OPERATIONS[name] ?? '');
      const byName = await post(service.perch, account, { documentId: name });
      const byHash = await post(service.perch, account, { extensions: persisted(hash.toUpperCase()) });
      for (const { body } of [byName, byHash]) {
        expect(body.errors?.[0]?.message ?? '').not.toMatch(/no persisted operation|PersistedQueryNot/);
      }
      const { status, text } = await get({ extensions: JSON.stringify(persisted(hash)), variables: '{}' });
      expect(text).not.toContain('PersistedQueryNot');
      expect(status).toBe(OPERATIONS[name]?.startsWith('mutation') ? 405 : 200);
    });

    it('are refused by an unknown name, at the place where it was given', async () => {
      const { status, body } = await post(service.perch, account, { documentId: 'nobody' });
      expect(status).toBe(400);
      expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'bad_request', param: 'documentId' });
    });

    it('are refused by an unknown hash so that clients stop trying, and none is registered (U52)', async () => {
      const query = '{ tweet(id: "2") { id } }';
      const extensions = persisted(sha256(query));
      const missing = await post(service.perch, account, { extensions });
      expect(missing.body.errors).toMatchObject([
        { message: 'PersistedQueryNotSupported', extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } },
      ]);
      const beside = await post(service.perch, account, { query, extensions });
      expect(beside.body.data).toEqual({ tweet: { id: '2' } });
      const still = await post(service.perch, account, { extensions });
      expect(still.body.errors).toMatchObject([{ message: 'PersistedQueryNotSupported' }]);
    });

    it('bring their variables, defaults and bounds with them', async () => {
      const page = await post(service.perch, account, { documentId: 'user-tweets', variables: { user: '1' } });
      expect(at(page, 'page', 'meta', 'items')).toBe(20);
      const over = await post(service.perch, account, {
        documentId: 'user-tweets',
        variables: { user: '1', count: 101 },
      });
      expect([over.status, over.body.errors[0]?.extensions.param]).toEqual([400, 'first']);
    });
  });

  it('answers `internal` to a fault of the service and hides its text', async () => {
    service.net.user({ id: '500', name: undefined as never });
    const broken = await post(service.perch, account, '{ user(id: "500") { id name } }');
    expect(broken.body.errors).toMatchObject([{ extensions: { code: 'internal' } }]);
    expect(broken.body.errors[0]?.message).not.toMatch(/null|User|name/);
    expect(broken.body.extensions.request_id).toBe(broken.headers.get('x-request-id'));
  });

  it('M19: answers 500 `internal` if the ledger cannot be written: nothing delivered, nothing charged', async () => {
    const { sql } = service.perch.database;
    const paying = await service.perch.account({ credits: 5 });
    await sql`create function refuse_debit() returns trigger language plpgsql as $$
      begin raise exception 'the disk of the ledger is secret'; end $$`;
    await sql`create trigger refuse_debit before insert on debits for each row execute function refuse_debit()`;
    const reply = await post(service.perch, paying, '{ tweet(id: "3") { id } }');
    await sql`drop function refuse_debit() cascade`;
    expect([reply.status, reply.body.errors[0]?.extensions.code, reply.body.data]).toEqual([
      500,
      'internal',
      undefined,
    ]);
    expect(JSON.stringify(reply.body)).not.toContain('secret');
    expect(await service.perch.balance(paying)).toBe(5);
    expect((await post(service.perch, paying, '{ tweet(id: "3") { id } }')).body.extensions.credits.charged).toBe(0.5);
  });
});
