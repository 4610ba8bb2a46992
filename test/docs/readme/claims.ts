/** Sentences of the pages, each with the calls that prove it. */
import { expect } from 'vitest';
import { DEMO_HANDLES } from '../../../demo/entry-points.js';
import { idsOf, record, rows } from '../../kit/client.js';
import type { Customer, Customers } from '../../kit/customers.js';
import type { TestPerch } from '../../kit/perch.js';
import { readPage } from './markdown.js';

const { observatory, library, museum, ferries, weather, railway } = DEMO_HANDLES;

interface GraphqlBody {
  readonly data: Record<string, Record<string, unknown>> | null;
  readonly errors?: readonly { message: string; extensions: { code: string } }[];
  readonly extensions: { readonly credits: { readonly charged: number } };
}

export interface ClaimContext {
  readonly perch: TestPerch;
  readonly customers: Customers;
  /** Has 1,000 credits. */
  readonly ada: Customer;
}

const graphql = async ({ ada }: ClaimContext, body: object): Promise<GraphqlBody> =>
  (await ada.post('/graphql', body)).body as unknown as GraphqlBody;

/** Sentences by page. Each uses accounts and lists that no other touches, so that they hold in any order. */
export const CLAIMS: Readonly<Record<string, Readonly<Record<string, (context: ClaimContext) => Promise<void>>>>> = {
  'docs/interface.md': {
    'A wallet that covers part of a page gets that part and a cursor. 402 means that not one item is covered.': async ({
      customers,
    }) => {
      const poor = await customers.customer({ credits: 3 });
      const page = await poor.get(`/v1/users/${museum}/tweets?count=20`);
      expect(page.body).toMatchObject({ items: 3, truncated: 'no_credits', next_cursor: expect.any(String) });
      const next = await poor.get(`/v1/users/${museum}/tweets?count=20&cursor=${page.body.next_cursor}`);
      expect([next.status, next.body.error.code]).toEqual([402, 'no_credits']);
    },
    '`count` out of bounds is 400 and names the bounds; it is never clamped.': async ({ ada }) => {
      const { status, body } = await ada.get(`/v1/users/${observatory}/tweets?count=101`);
      expect([status, body.error.message]).toEqual([400, expect.stringContaining('100')]);
    },
    'Other unknown parameters are ignored and listed in `warnings`.': async ({ ada }) => {
      expect((await ada.get('/v1/me?colour=blue')).body.warnings).toEqual([expect.stringContaining('colour')]);
      for (const name of ['limit', 'page', 'next_cursor']) {
        expect((await ada.get(`/v1/users/${observatory}/tweets?${name}=5`)).status).toBe(400);
      }
    },
    'In `/v1/users/{user}/…` digits are an id; `@12345` is the handle. In `/v1/users/{handle}` they are a handle.':
      async ({ ada }) => {
        const { id } = record(await ada.get(`/v1/users/${observatory}`));
        expect((await ada.get(`/v1/users/${id}/tweets?count=1`)).body.items).toBe(1);
        expect((await ada.get(`/v1/users/@${id}/tweets?count=1`)).status).toBe(404);
        expect((await ada.get(`/v1/users/${id}`)).status).toBe(404);
      },
    'A key in the address is not accepted. Two headers with different keys are 400.': async ({ ada, customers }) => {
      const { key } = ada.account;
      expect((await customers.nobody.get(`/v1/me?api_key=${key}`)).status).toBe(401);
      expect((await ada.get('/v1/me', { authorization: `Bearer ${key.slice(0, -1)}` })).status).toBe(400);
    },
    "`HEAD` on a paid read is 405: nobody pays for a body they don't get.": async ({ ada }) => {
      expect((await ada.send('HEAD', `/v1/users/${observatory}`)).status).toBe(405);
    },
    'Tweets and lists of a protected account are 404 with `error.reason: "private"`; its profile is shown.': async ({
      ada,
    }) => {
      expect(record(await ada.get(`/v1/users/${DEMO_HANDLES.protected}`)).protected).toBe(true);
      for (const list of ['tweets', 'followers', 'following']) {
        const { status, body } = await ada.get(`/v1/users/${DEMO_HANDLES.protected}/${list}`);
        expect([status, body.error.reason]).toEqual([404, 'private']);
      }
    },
    'Unknown fields are left out in REST and `null` in GraphQL.': async (context) => {
      const profile = record(await context.ada.get(`/v1/users/${observatory}`));
      expect(profile).not.toHaveProperty('banner_url');
      const { data } = await graphql(context, { query: `{ user(handle: "${observatory}") { bannerUrl } }` });
      expect(data?.user).toEqual({ bannerUrl: null });
    },
    '`RateLimit-Policy` is on every `/v1` answer, `RateLimit` beside it where the key is known.': async ({
      ada,
      customers,
    }) => {
      const known = await ada.get('/v1/tweets/search');
      expect(known.headers.get('ratelimit-policy')).toBe('account; q=10000; w=1');
      expect(known.headers.get('ratelimit')).toMatch(/^limit=10000, remaining=\d+, reset=\d+$/);
      for (const path of ['/v1/me', '/v1/nowhere']) {
        const { headers } = await customers.nobody.get(path);
        expect([headers.get('ratelimit-policy'), headers.get('ratelimit')]).toEqual(['account; q=1; w=1', null]);
      }
    },
    'The keyless `/`, `/status`, `/healthz` and `/openapi.yaml` take 10 a second per address.': async ({
      customers,
    }) => {
      for (const path of ['/', '/status', '/healthz', '/openapi.yaml']) {
        expect((await customers.nobody.get(path)).headers.get('ratelimit-policy')).toBe('public; q=10; w=1');
      }
    },
    'While the operator takes no payments the answer is 503 `billing_disabled`.': async ({ ada }) => {
      const { status, body } = await ada.post('/v1/billing/checkout', { pack: 'starter' });
      expect([status, body.error.code]).toEqual([503, 'billing_disabled']);
    },
  },
  'docs/graphql.md': {
    'A list above another paid list holds at most 20.': async (context) => {
      const nested = (first: number): string =>
        `{ followers(user: "${ferries}", first: ${first}) { nodes { tweets(first: 1) { nodes { id } } } } }`;
      expect((await graphql(context, { query: nested(21) })).errors?.[0]?.extensions.code).toBe('bad_request');
      expect((await graphql(context, { query: nested(20) })).data?.followers?.nodes).toHaveLength(20);
    },
    'If you set no budget, an operation that could cost more than the default budget is refused, at no charge. The default is 1,000 credits':
      async (context) => {
        const query = `{ followers(user: "${ferries}", first: 20) { nodes { tweets(first: 100) { nodes { id } } } } }`;
        expect((await graphql(context, { query })).errors?.[0]?.message).toContain('1000');
        const within = await graphql(context, { query, extensions: { maxCredits: 3 } });
        expect(within.data?.followers?.nodes).toHaveLength(20);
        expect(within.extensions.credits.charged).toBeLessThanOrEqual(3);
      },
    'The documents behind the REST endpoints can be run by name, without sending the text': async (context) => {
      const named = /'(\{"documentId".*?\}\})'/.exec(readPage('docs/graphql.md'))?.[1] ?? '';
      const { data, errors } = await graphql(context, JSON.parse(named));
      expect(errors).toBeUndefined();
      expect(data?.data).toMatchObject({ handle: library, created_at: expect.any(String) });
    },
  },
  'docs/pricing.md': {
    'bypasses the cache, costs double, and refreshes what is cached.': async ({ ada }) => {
      expect((await ada.get(`/v1/users/${railway}?fresh=true`)).body).toMatchObject({
        credits_charged: 2,
        cache: 'bypass',
      });
      expect((await ada.get(`/v1/users/${railway}`)).body).toMatchObject({ credits_charged: 0.5, cache: 'hit' });
    },
    'A page of followers and a page of follower ids are the same page, and a list also caches the objects on it.':
      async ({ ada }) => {
        const followers = await ada.get(`/v1/users/${library}/followers?count=10`);
        const ids = await ada.get(`/v1/users/${library}/followers/ids?count=10`);
        expect(idsOf(ids)).toEqual(idsOf(followers));
        expect(ids.body).toMatchObject({ credits_charged: 0.1, cache: 'hit' });
        const [first] = rows(followers);
        expect((await ada.get(`/v1/users/${first?.handle}`)).body.cache).toBe('hit');
      },
    'Two callers who ask for the same thing at once cause one read: the second pays half.': async ({
      ada,
      customers,
    }) => {
      const other = await customers.customer();
      const path = `/v1/users/${weather}/following?count=10`;
      const replies = await Promise.all([ada.get(path), other.get(path)]);
      expect(replies.map(({ body }) => body.cache).sort()).toEqual(['hit', 'miss']);
    },
  },
  'docs/cursors.md': {
    'In REST, GraphQL and MCP alike, with every key': async (context) => {
      const first = await context.ada.get(`/v1/users/${weather}/tweets?count=5`);
      const after = first.body.next_cursor;
      const other = await context.customers.customer();
      const rest = await other.get(`/v1/users/${weather}/tweets?count=5&cursor=${after}`);
      const query = `{ timeline(user: "${weather}", first: 5, after: "${after}") { nodes { id } } }`;
      const { data } = await graphql(context, { query });
      expect(data?.timeline?.nodes).toEqual(idsOf(rest).map((id) => ({ id })));
      expect(idsOf(rest)).not.toEqual(idsOf(first));
    },
  },
  'docs/errors.md': {
    'With `Accept: application/problem+json`, the response follows RFC 9457, and the same URL is its `type`.': async ({
      ada,
    }) => {
      const { headers, body } = await ada.get('/v1/tweets/1/nowhere', { accept: 'application/problem+json' });
      expect(headers.get('content-type')).toContain('application/problem+json');
      expect(body).toMatchObject({
        type: expect.stringContaining('/problems/not_found'),
        code: 'not_found',
        status: 404,
      });
    },
  },
  'docs/rest.md': {
    'An invalid query is answered with 400 and the position of the mistake.': async ({ ada }) => {
      const { status, body } = await ada.get('/v1/tweets/search?q=comet%20min_faves:many');
      expect([status, body.error.message]).toEqual([400, expect.stringContaining('at character 7')]);
    },
  },
  'docs/authentication.md': {
    'An app finds everything else from one address, `/.well-known/oauth-protected-resource`.': async ({
      customers,
      perch,
    }) => {
      const at = async (path: string) =>
        (await customers.nobody.get(path)).body as unknown as Record<string, string & readonly string[]>;
      const resource = await at('/.well-known/oauth-protected-resource');
      expect(resource.authorization_servers).toEqual([perch.url]);
      const server = await at('/.well-known/oauth-authorization-server');
      for (const endpoint of ['authorization', 'token', 'registration', 'revocation']) {
        expect(server[`${endpoint}_endpoint`]).toContain(perch.url);
      }
    },
  },
  'docs/accounts.md': {
    'Sign in at `/sign-in` with your email address': async ({ customers }) => {
      const page = await customers.nobody.get('/sign-in');
      expect(page.status).toBe(200);
    },
  },
  'README.md': {
    '`/mcp` speaks the Model Context Protocol': async ({ customers }) => {
      const { status, headers } = await customers.nobody.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' });
      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toContain('/.well-known/oauth-protected-resource/mcp');
    },
  },
};
