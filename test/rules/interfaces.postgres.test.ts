import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ROUTES } from '../../adapters/rest/routes.js';
import { readOperations } from '../../schema/operations.js';
import { type GraphqlReply, type GraphqlRequest, post } from '../interfaces/graphql/client.js';
import { createClient } from '../kit/client.js';
import { createScriptedNetwork, type ScriptedNetwork } from '../kit/networks/scripted-network.js';
import { startPerch, type TestPerch } from '../kit/perch.js';
import { type ManualClock, manualClock } from '../kit/time/manual-clock.js';
import { fill, ROWS, type Row } from './support/rows.js';

/** The result of one read in a form that is comparable across interfaces. */
interface Result {
  readonly code: string | null;
  readonly data: unknown;
  readonly charged: number;
  readonly hasMore: boolean;
  readonly upstream: readonly string[];
}

const OPERATIONS = readOperations();

/** Members that differ from call to call, or that only the envelope has. */
const OWN = [
  'request_id',
  'balance_remaining',
  'credits_charged',
  'fetched_at',
  'next_cursor',
  'since_cursor',
  'balance',
  'customer_id',
  'key_prefix',
];

const strip = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(strip);
  if (typeof value !== 'object' || value === null) return value;
  const known = Object.entries(value).filter(([name, member]) => member !== null && !OWN.includes(name));
  return Object.fromEntries(known.map(([name, member]) => [name, strip(member)]));
};

/** The members of an envelope, rebuilt from the fields of the operation's document. */
function flattened(data: unknown): Record<string, unknown> {
  const { page, ...rest } = data as { page?: Record<string, unknown> };
  const { pageInfo = {}, meta = {}, ...own } = page ?? {};
  return { ...rest, ...own, ...(pageInfo as object), ...(meta as object) };
}

describe.each(['yoga', 'mercurius'] as const)(
  'the same read is the same by REST and GraphQL on %s (data, charge, upstream reads)',
  (graphql) => {
    let perch: TestPerch;
    let net: ScriptedNetwork;
    let clock: ManualClock;
    beforeAll(async () => {
      clock = manualClock();
      net = createScriptedNetwork();
      fill(net);
      perch = await startPerch({ clock, network: net.network, graphql });
    });
    afterAll(() => perch.close());
    beforeEach(() => clock.forget());

    async function observed(run: (key: string) => Promise<Omit<Result, 'upstream'>>): Promise<Result> {
      clock.forget();
      const account = await perch.account({ credits: 500 });
      const before = net.calls.length;
      const result = await run(account.key);
      expect(500 - (await perch.balance(account))).toBeCloseTo(result.charged, 9);
      return {
        ...result,
        upstream: net.calls.slice(before).map(({ what, kind, of }) => `${what} ${kind} ${of.join()}`),
      };
    }

    const byRest = (row: Row): Promise<Result> =>
      observed(async (key) => {
        const client = createClient(perch.url, key);
        const { status, body } =
          row.method === 'GET' ? await client.get(row.path) : await client.post(row.path, row.body);
        const { cache, items, ...own } = body as unknown as Record<string, unknown>;
        const isPage = 'cache_hits' in own;
        return {
          code: status === 200 ? null : body.error.code,
          data: status === 200 ? strip(isPage ? { ...own, cache, items } : own) : null,
          charged: body.credits_charged,
          hasMore: body.next_cursor !== undefined,
        };
      });

    const byGraphql = (request: GraphqlRequest): Promise<Result> =>
      observed(async (key) => resultOf(await post(perch, { key }, request)));

    function resultOf({ body }: GraphqlReply): Omit<Result, 'upstream'> {
      const failed = body.errors?.[0]?.extensions.code ?? null;
      const members = body.data ? flattened(body.data) : {};
      return {
        code: failed,
        data: failed ? null : strip(members),
        charged: body.extensions.credits?.charged ?? 0,
        hasMore: typeof members.next_cursor === 'string',
      };
    }

    it('has every route in the table', () => {
      const covered = new Set(ROWS.map(({ route }) => route));
      expect(ROUTES.map(({ method, path }) => `${method} ${path}`).filter((route) => !covered.has(route))).toEqual([]);
    });

    it.each(ROWS.map((row) => [`${row.method} ${row.path} ${JSON.stringify(row.body ?? '')}`, row] as const))(
      '%s',
      async (_name, row) => {
        const text = OPERATIONS[row.operation] ?? '';
        const { variables } = row;
        const sha256Hash = createHash('sha256').update(text).digest('hex');
        const rest = await byRest(row);
        expect(await byGraphql({ documentId: row.operation, variables })).toEqual(rest);
        expect(await byGraphql({ extensions: { persistedQuery: { version: 1, sha256Hash } }, variables })).toEqual(
          rest,
        );
        expect(await byGraphql({ query: text, variables })).toEqual(rest);
      },
    );

    it('serves a read through one interface from the cache after a read through another', async () => {
      const account = await perch.account();
      const client = createClient(perch.url, account.key);
      const first = await post(
        perch,
        account,
        '{ timeline(user: "1", first: 5) { nodes { id } } followers(user: "1", first: 3) { nodes { id } } }',
      );
      expect(first.body.extensions.credits.charged).toBeCloseTo(5.3, 9);
      expect((await client.get('/v1/users/1/tweets?count=5')).body).toMatchObject({
        cache: 'hit',
        credits_charged: 2.5,
      });
      expect((await client.get('/v1/users/1/followers/ids?count=3')).body).toMatchObject({
        cache: 'hit',
        credits_charged: 0.03,
      });
      const last = await post(perch, account, { documentId: 'user-tweets', variables: { user: 'user1', count: 5 } });
      expect(last.body.extensions.credits).toMatchObject({ cache: 'hit', charged: 2.5 });
    });
  },
);
