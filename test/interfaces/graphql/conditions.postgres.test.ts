/** Documents with `@include` and `@skip`, sent until their operation would be compiled. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type GraphqlRequest, post } from './client.js';
import { MOUNTS, type Service, startService } from './service.js';

const OFF = { a: false };

describe.each(MOUNTS)('a document with conditions (%s)', (mount) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({}, mount);
    for (const id of ['99', '100']) service.net.list('replies', id, ['1', '2', '3']);
    service.net.list('search', 'people', ['7', '8'], { product: 'People' });
  });
  afterAll(() => service.close());
  beforeEach(() => service.clock.forget());

  /** Three runs, each by another account: anew, from the cache, and as any later one. */
  async function runs(request: GraphqlRequest) {
    const replies = [];
    for (let nth = 0; nth < 3; nth += 1) {
      const account = await service.perch.account({ credits: 10_000 });
      const { status, body } = await post(service.perch, account, request);
      expect(status, JSON.stringify(body)).toBe(200);
      replies.push({ data: body.data, charged: body.extensions.credits.charged });
    }
    return replies;
  }

  it('reads and charges nothing below a skipped field, however often it is sent', async () => {
    const request = {
      query: `query ($a: Boolean!) {
        timeline(user: "1", first: 20) { nodes { id quoted @include(if: $a) { ...R } quoted { id } } }
      } fragment R on Tweet { replies(first: 50) { nodes { id } } }`,
      variables: OFF,
    };
    const [anew, cached, later] = await runs(request);
    expect(anew?.charged).toBe(20 * 2);
    expect([cached, later]).toEqual([
      { data: anew?.data, charged: 20 },
      { data: anew?.data, charged: 20 },
    ]);
    expect(service.net.calls.filter(({ kind }) => kind === 'replies')).toEqual([]);
  });

  it.each([
    [
      'a fragment that is spread twice, once on a condition',
      '{ tweet(id: "200") { ...F @include(if: $a) ...F } } fragment F on Tweet { text }',
      { tweet: { text: expect.any(String) } },
    ],
    [
      'a fragment that two members of a union share',
      '{ search(q: "people", first: 2, product: People) { nodes { ... on Tweet @include(if: $a) { ...F } ... on User { ...F } } } } fragment F on Node { nodeId }',
      { search: { nodes: [{ nodeId: 'User:7' }, { nodeId: 'User:8' }] } },
    ],
    [
      'a skipped inline fragment around a spread',
      '{ tweet(id: "200") { id ... @skip(if: true) { ... @include(if: $a) { ...F } } ... { ...F } } } fragment F on Tweet { text }',
      { tweet: { id: '200', text: expect.any(String) } },
    ],
    [
      'a field that is skipped and included',
      '{ tweet(id: "200") { id text @skip(if: true) @include(if: true) lang @skip(if: $a) @include(if: $a) } }',
      { tweet: { id: '200' } },
    ],
  ])('answers the same each time, with %s', async (_, text, data) => {
    const replies = await runs({ query: `query ($a: Boolean!) ${text}`, variables: OFF });
    for (const reply of replies) expect(reply.data).toEqual(data);
    expect(replies[1]?.data).toEqual(replies[0]?.data);
    expect(replies[2]?.data).toEqual(replies[0]?.data);
  });
});
