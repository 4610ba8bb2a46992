import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post } from '../../interfaces/graphql/client.js';
import { type Client, createClient } from '../../kit/client.js';
import { startPerch, type TestAccount, type TestPerch } from '../../kit/perch.js';

const words = fc.oneof(
  fc.constantFrom('from:', 'to:', '@', '#', 'since:', 'until:', 'since_id:', 'max_id:', 'min_faves:', 'min_retweets:'),
  fc.constantFrom('min_replies:', 'filter:', '-filter:', 'lang:', 'conversation_id:', 'quoted_tweet_id:', 'url:'),
  fc.constantFrom(
    '"',
    '(',
    ')',
    'OR',
    '-',
    ':',
    '\\',
    "'",
    ';--',
    '%',
    '_',
    '\u0000',
    '\u202e',
    '𝒳',
    'replies',
    'images',
  ),
  fc.constantFrom('2024-01-01', '2024-13-45', '99999999999999999999', '-1', '1e9', 'a', 'bread'),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
/** Texts that nearly look like queries. */
const queries = fc.oneof(
  fc.array(words, { maxLength: 12 }).map((some) => some.join(' ')),
  fc.array(words, { maxLength: 12 }).map((some) => some.join('')),
  fc.string({ unit: 'binary', maxLength: 200 }),
);
const anything = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  words,
  fc.constantFrom('', 'null', 'undefined', '[]', 'NaN'),
);

describe('whatever is sent', () => {
  let perch: TestPerch;
  let account: TestAccount;
  let client: Client;
  beforeAll(async () => {
    perch = await startPerch();
    account = await perch.account();
    client = createClient(perch.url, account.key);
  });
  afterAll(() => perch.close());

  it('as a query is searched for, or gets a free 400 with the reason, through both interfaces', async () => {
    await fc.assert(
      fc.asyncProperty(queries, fc.constantFrom('Latest', 'Top', 'People', 'Photos', 'Videos'), async (q, product) => {
        const { status, body } = await client.get(`/v1/tweets/search?${new URLSearchParams({ q, product })}`);
        expect([200, 400, 403]).toContain(status);
        if (status === 400)
          expect(body.error).toMatchObject({ code: 'bad_request', message: expect.stringMatching(/\S/) });
        expect(body.credits_charged).toBe(0);
        const request = {
          query: 'query ($q: String!, $p: Product) { search(q: $q, product: $p) { meta { items } } }',
          variables: { q, p: product },
        };
        const graphql = await post(perch, account, request);
        const code = graphql.body.errors?.[0]?.extensions.code ?? null;
        expect(code).toBe(status === 200 ? null : body.error.code);
      }),
      {
        numRuns: 120,
        examples: [
          ['--1', 'Latest'],
          ['a -(-(-b))', 'People'],
        ],
      },
    );
  });

  it('as a name, id, size, switch or cursor is answered or refused, never a fault of ours', async () => {
    const places: ((text: string) => string)[] = [
      (text) => `/v1/users/${text}`,
      (text) => `/v1/users/${text}/tweets`,
      (text) => `/v1/users/${text}/followers/ids`,
      (text) => `/v1/tweets/${text}`,
      (text) => `/v1/tweets/${text}/thread`,
      (text) => `/v1/usage/${text}`,
      (text) => `/v1/users/1/tweets?count=${text}`,
      (text) => `/v1/users/1/tweets?cursor=${text}`,
      (text) => `/v1/users/1/tweets?fresh=${text}&max_credits=${text}`,
      (text) => `/v1/tweets/batch?ids=${text}`,
      (text) => `/v1/users/batch?handles=${text}`,
      (text) => `/v1/usage?from=${text}&group=${text}`,
      (text) => `/v1/tweets/1/replies?${text}=${text}`,
    ];
    await fc.assert(
      fc.asyncProperty(anything, fc.constantFrom(...places), async (text, place) => {
        const { status, body } = await client.get(place(encodeURIComponent(text)));
        expect([200, 400, 404]).toContain(status);
        expect(body.credits_charged ?? 0).toBe(0);
      }),
      { numRuns: 250 },
    );
  });

  it('as a body is read, or gets 400', async () => {
    const bodies = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.json({ maxDepth: 3 }),
      fc
        .record({ ids: fc.jsonValue({ maxDepth: 2 }), fresh: fc.jsonValue({ maxDepth: 1 }) })
        .map((body) => JSON.stringify(body)),
    );
    await fc.assert(
      fc.asyncProperty(
        bodies,
        fc.constantFrom('/v1/tweets/batch', '/v1/users/batch', '/v1/billing/checkout'),
        async (body, path) => {
          const reply = await client.post(path, body);
          expect([200, 400, 503]).toContain(reply.status);
          if (reply.status === 503) expect(reply.body.error.code).toBe('billing_disabled');
        },
      ),
      { numRuns: 150 },
    );
  });

  it('as a GraphQL request is answered, or refused with our codes', async () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc
        .array(
          fc.constantFrom(
            '{',
            '}',
            '(',
            ')',
            'tweet',
            'id',
            ':',
            '"1"',
            '...',
            'on',
            'Tweet',
            '@skip',
            '$a',
            'query',
            '!',
          ),
        )
        .map((some) => some.join(' ')),
    );
    await fc.assert(
      fc.asyncProperty(texts, fc.jsonValue({ maxDepth: 2 }), async (query, variables) => {
        const { status, body } = await post(perch, account, { query, variables: variables as never });
        expect([200, 400, 422]).toContain(status);
        for (const error of body.errors ?? []) expect(['bad_request', 'not_found']).toContain(error.extensions.code);
      }),
      { numRuns: 150 },
    );
  });
});
