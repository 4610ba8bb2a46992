import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestAccount } from '../../kit/perch.js';
import type { GraphqlBody } from './client.js';
import { MOUNTS, type Service, startService } from './service.js';

const EXACT = '1855222380982907193';
/** What parsing JSON turns it into. */
const ROUNDED = '1855222380982907200';

describe.each(MOUNTS)('ids in GraphQL (%s)', (mount) => {
  let service: Service;
  let account: TestAccount;
  beforeAll(async () => {
    service = await startService({}, mount);
    for (const id of [EXACT, ROUNDED]) service.net.tweet({ id, authorId: '1', createdAt: '2024-11-09T12:00:00.000Z' });
    account = await service.perch.account();
  });
  afterAll(() => service.close());

  /** Sends the request as written, because `JSON.stringify` would round the id. */
  async function send(body: string): Promise<{ status: number; body: GraphqlBody }> {
    const headers = { 'content-type': 'application/json', 'x-api-key': account.key };
    const response = await fetch(`${service.perch.url}/graphql`, { method: 'POST', headers, body });
    return { status: response.status, body: (await response.json()) as GraphqlBody };
  }

  it.each([
    ['an id', '"query":"query($id: ID!) { tweet(id: $id) { id } }","variables":{"id":1855222380982907193}'],
    [
      'a list of ids',
      '"query":"query($id: [ID!]!) { tweets(ids: $id) { nodes { id } } }","variables":{"id":["1",1855222380982907193]}',
    ],
    [
      'one id for a list',
      '"query":"query($id: [ID!]!) { tweets(ids: $id) { nodes { id } } }","variables":{"id":1855222380982907193}',
    ],
    [
      'an id that is unused',
      '"query":"query($id: ID) { tweet(id: 1) { id } user(id: $id) @skip(if: true) { id } }","variables":{"id":1855222380982907193}',
    ],
    [
      'a user',
      '"query":"query($id: ID!) { timeline(user: $id, first: 1) { nodes { id } } }","variables":{"id":-9007199254740993}',
    ],
    ['a fraction', '"query":"query($id: ID!) { tweet(id: $id) { id } }","variables":{"id":20.5}'],
    ['an infinite number', '"query":"query($id: ID!) { tweet(id: $id) { id } }","variables":{"id":1e400}'],
    ['an id of a persisted operation', '"documentId":"tweet","variables":{"id":1855222380982907193}'],
    ['ids of a persisted operation', '"documentId":"tweets-batch","variables":{"ids":[1855222380982907193]}'],
  ])('refuses %s that JSON may have rounded, reads nothing, and asks for a string (G22)', async (_, members) => {
    const before = service.net.calls.length;
    const { status, body } = await send(`{${members}}`);
    expect(status).toBe(400);
    expect(body.errors[0]?.extensions.code).toBe('bad_request');
    expect(body.errors[0]?.message).toMatch(/^Send \$ids? as a string: JSON numbers lose digits/);
    expect(service.net.calls.length).toBe(before);
  });

  it.each([
    ['a string', `"query":"query($id: ID!) { tweet(id: $id) { id } }","variables":{"id":"${EXACT}"}`],
    ["the document's own digits", `"query":"{ tweet(id: ${EXACT}) { id } }"`],
    ['digits in a list', `"query":"{ tweets(ids: [${EXACT}]) { nodes { id } } }"`],
    ['a default value', `"query":"query($id: ID = ${EXACT}) { tweet(id: $id) { id } }"`],
  ])('reads the exact id of %s, before and after the operation is compiled (G22)', async (_, members) => {
    for (let time = 0; time < 3; time += 1) {
      const { status, body } = await send(`{${members}}`);
      expect([status, JSON.stringify(body.data)]).toEqual([200, expect.stringContaining(`"id":"${EXACT}"`)]);
    }
  });

  it('takes a number that JSON keeps exactly (G22)', async () => {
    const { body } = await send('{"query":"query($id: ID!) { tweet(id: $id) { id } }","variables":{"id":200}}');
    expect(body.data).toEqual({ tweet: { id: '200' } });
  });
});
