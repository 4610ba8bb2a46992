import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TOOLS } from '../../../adapters/mcp/tools.js';
import { createClient } from '../../kit/client.js';
import type { TestAccount } from '../../kit/perch.js';
import { ROWS, type Row } from '../../rules/support/rows.js';
import { post } from '../graphql/client.js';
import { CLIENTS, type McpClient } from './clients/clients.js';
import { sendNew } from './raw.js';
import { type McpService, startMcp } from './service.js';

/** What differs from call to call. */
const OWN = [
  ...['request_id', 'fetched_at', 'next_cursor', 'since_cursor'],
  ...['balance', 'balance_remaining', 'customer_id', 'key_prefix'],
];

type Members = Readonly<Record<string, unknown>>;

const strip = (value: unknown, drops = (_member: unknown): boolean => false): unknown => {
  if (Array.isArray(value)) return value.map((item) => strip(item, drops));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name, member]) => !OWN.includes(name) && !drops(member));
  return Object.fromEntries(kept.map(([name, member]) => [name, strip(member, drops)]));
};

/** As MCP writes a list: an author is an object only on the first of their tweets (A39). */
function withAuthorsOnce<Body extends object>(body: Body): Body {
  const { data } = body as { data?: unknown };
  if (!Array.isArray(data)) return body;
  const authorOf = (item: { author?: { id: string } | null }) => item.author?.id;
  const isLater = (item: Members, index: number) =>
    data.findIndex((each) => authorOf(each) === authorOf(item)) < index && authorOf(item) !== undefined;
  return { ...body, data: data.map((item, index) => (isLater(item, index) ? { ...item, author: undefined } : item)) };
}

/** What an interface made of a read. */
interface Read {
  readonly body: unknown;
  readonly spent: number;
  readonly hasMore: boolean;
  readonly upstream: readonly string[];
}

const READS = ROWS.filter(({ operation }) => operation !== 'checkout' && !operation.startsWith('watch'));
const toolOf = (row: Row): string => TOOLS.find(({ operation }) => operation === row.operation)?.name ?? '';

let service: McpService;
beforeAll(async () => {
  service = await startMcp();
});
afterAll(() => service.close());
beforeEach(() => service.clock.forget());

describe('every read is the same over MCP as over REST: data, charge, upstream reads', () => {
  async function observed(read: (key: string) => Promise<object>): Promise<Read> {
    service.clock.forget();
    const account = await service.perch.account({ credits: 500 });
    const before = service.net.calls.length;
    const body = await read(account.key);
    return {
      body: strip(body),
      spent: 500 - (await service.perch.balance(account)),
      hasMore: 'next_cursor' in body,
      upstream: service.net.calls.slice(before).map(({ what, kind, of }) => `${what} ${kind} ${of.join()}`),
    };
  }

  const byRest = (row: Row): Promise<Read> =>
    observed(async (key) => {
      const client = createClient(service.perch.url, key);
      const { body } = row.method === 'GET' ? await client.get(row.path) : await client.post(row.path, row.body);
      return withAuthorsOnce(body);
    });

  const byMcp = (connect: (typeof CLIENTS)[number][1], row: Row): Promise<Read> =>
    observed(async (key) => {
      const client: McpClient = await connect(service.url, key);
      const { structuredContent } = await client.call(toolOf(row), row.variables);
      await client.close();
      return structuredContent;
    });

  it('has every tool but `price` in the table', () => {
    expect(new Set(READS.map(toolOf))).toEqual(new Set(TOOLS.map(({ name }) => name)));
  });

  describe.each(CLIENTS)('client %s', (_name, connect) => {
    it.each(READS.map((row) => [`${toolOf(row)} ${JSON.stringify(row.variables)}`, row] as const))(
      '%s',
      async (_call, row) => {
        expect(await byMcp(connect, row)).toEqual(await byRest(row));
      },
    );
  });
});

describe.each(['yoga', 'mercurius'] as const)(
  'every read and every failure is the same over MCP as over GraphQL on %s',
  (graphql) => {
    let other: McpService;
    beforeAll(async () => {
      other = await startMcp({ graphql });
    });
    afterAll(() => other.close());

    /** What both can be compared by: what was read, what failed, what was paid. */
    async function seen(read: (account: TestAccount) => Promise<{ failure: Members | undefined; members: Members }>) {
      other.clock.forget();
      const account = await other.perch.account({ credits: 500 });
      const { failure = null, members } = await read(account);
      const { data = null, errors = null } = failure === null ? members : {};
      // GraphQL has null where the others leave a member out.
      return {
        failure,
        data: strip(data, (member) => member === null),
        errors,
        spent: 500 - (await other.perch.balance(account)),
      };
    }

    const byMcp = (row: Row) =>
      seen(async ({ key }) => {
        const params = { name: toolOf(row), arguments: row.variables };
        const members = (await sendNew(other.url, key, { method: 'tools/call', params })).body.result.structuredContent;
        const { message: _, ...failure } = members.error ?? {};
        return { failure: members.error && failure, members };
      });

    const byGraphql = (row: Row) =>
      seen(async (account) => {
        const { body } = await post(other.perch, account, {
          documentId: row.operation,
          variables: { ...row.variables },
        });
        const { page, ...members } = (body.data ?? {}) as { page?: Members };
        return { failure: body.errors?.[0]?.extensions, members: withAuthorsOnce({ ...members, ...page }) };
      });

    it.each(READS.map((row) => [`${toolOf(row)} ${JSON.stringify(row.variables)}`, row] as const))(
      '%s',
      async (_call, row) => {
        expect(await byMcp(row)).toEqual(await byGraphql(row));
      },
    );
  },
);

describe('shares the cache between interfaces', () => {
  it('between REST, then MCP, then GraphQL', async () => {
    const { key } = await service.perch.account();
    const rest = createClient(service.perch.url, key);
    const [[, connect]] = CLIENTS;
    const mcp = await connect(service.url, key);
    expect((await rest.get('/v1/users/1/followers?count=5')).body).toMatchObject({
      cache: 'miss',
      credits_charged: 0.5,
    });
    const { structuredContent: first } = await mcp.call('get_followers', { user: '1', count: 3 });
    expect(first).toMatchObject({ cache: 'hit', credits_charged: 0.15 });
    const { structuredContent: next } = await mcp.call('get_followers', {
      user: '1',
      count: 2,
      cursor: first.next_cursor,
    });
    expect(next).toMatchObject({ cache: 'hit', credits_charged: 0.1 });
    const { body } = await rest.post('/graphql', { query: '{ followers(user: "1", first: 5) { nodes { id } } }' });
    expect(body).toMatchObject({ extensions: { credits: { charged: 0.25, cache: 'hit' } } });
    await mcp.close();
  });

  it('explains a call of any of them with one receipt', async () => {
    const { key } = await service.perch.account();
    const [[, connect]] = CLIENTS;
    const mcp = await connect(service.url, key);
    const { structuredContent: read } = await mcp.call('get_retweeters', { id: '120', count: 4 });
    const { body } = await createClient(service.perch.url, key).get(`/v1/usage/${read.request_id}`);
    expect(body.data).toMatchObject({ operation: 'retweeters', credits: read.credits_charged, items: 4 });
    await mcp.close();
  });
});
