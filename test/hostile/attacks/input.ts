import { randomBytes } from 'node:crypto';
import { type Attack, flood, graphql, keyOf, mcpTool, type Stage, withAndWithoutKey } from '../support/attack.js';
import type { Sent } from '../support/client.js';

const long = (length: number): string => randomBytes(length).toString('hex').slice(0, length);

const BOUND = /\d/;

/** Selects nothing, but is part of the request all the same. */
const UNUSED = `query ($user: ID!, $long: String!, $never: Boolean!) {
  followerIds(user: $user, first: 1) { nodes } user(handle: $long) @include(if: $never) { id } }`;

const byKey = (name: string, over: Attack['over'], total: number, sent: (index: number) => Sent): Attack => ({
  name,
  over,
  keyed: true,
  strike: (stage) => flood(stage, { total, width: 8 }, (index) => ({ ...sent(index), key: stage.attacker.key })),
  expected: { statuses: [400, 404, 413, 414, 431], message: BOUND, halfWithinMs: 250, free: true },
  memoryMb: 20,
});

/** Input that is wrong whatever its length, so the refusal need not state a bound. */
const bad = (...row: Parameters<typeof byKey>): Attack => {
  const attack = byKey(...row);
  const { message: _, ...expected } = attack.expected;
  return { ...attack, expected };
};

const manyParts = (name: string, query: () => string): Attack[] =>
  withAndWithoutKey((keyed) => ({
    name: `${name}, 20 a second, ${keyed ? 'by key' : 'without a key'}`,
    over: 'REST',
    keyed,
    strike: (stage) =>
      flood(stage, { total: 40, width: 20, perSecond: 20 }, () => ({
        path: `/v1/me?${query()}`,
        ...keyOf(stage, keyed),
      })),
    expected: { statuses: keyed ? [200, 400, 414] : [400, 401, 414, 429], halfWithinMs: 100, free: true },
    memoryMb: 10,
  }));

const POSTS = [
  '/graphql',
  '/mcp',
  '/v1/users/batch',
  '/v1/tweets/batch',
  '/v1/billing/checkout',
  '/api/oauth/register',
  '/api/oauth/token',
  '/sign-in/mail',
  '/sign-in/whose',
];

const deep = (open: string, inner: string, close: string, levels: number): string =>
  `${open.repeat(levels)}${inner}${close.repeat(levels)}`;

const BODIES = [deep('[', '', ']', 30_000), deep('{"a":', '1', '}', 9000), `{"query":${deep('[', '', ']', 30_000)}}`];

const everywhere = (stage: Stage, keyed: boolean): Sent[] =>
  POSTS.flatMap((path) => BODIES.map((body) => ({ path, body, ...keyOf(stage, keyed) })));

/** Everything outside the document that can be long, deep or numerous. */
export const INPUT: readonly Attack[] = [
  {
    name: 'cheap cached reads with a 60 KB variable that nothing uses, each another',
    over: 'GraphQL',
    keyed: true,
    prepare: async ({ send, attacker }) => {
      for (let round = 0; round < 2; round += 1) {
        await send({ ...graphql(UNUSED, { user: '7', long: 'person_1', never: false }), key: attacker.key });
      }
    },
    strike: (stage) =>
      flood(stage, { total: 1200, width: 8 }, () => ({
        ...graphql(UNUSED, { user: '7', long: long(60_000), never: false }),
        key: stage.attacker.key,
      })),
    expected: { statuses: [200, 400], message: BOUND, free: false },
    memoryMb: 32,
  },
  bad('a cursor of 60 KB', 'GraphQL', 100, () =>
    graphql('query ($c: String!) { followerIds(user: "7", after: $c) { nodes } }', { c: long(60_000) }),
  ),
  bad('a cursor as long as an address may be', 'REST', 100, () => ({
    path: `/v1/users/7/followers/ids?cursor=${long(7900)}`,
  })),
  byKey('a handle as long as an address may be', 'REST', 100, () => ({ path: `/v1/users/${long(7900)}` })),
  byKey('a query as long as an address may be', 'REST', 100, () => ({
    path: `/v1/tweets/search?q=${encodeURIComponent('('.repeat(2000))}`,
  })),
  {
    ...byKey('a handle of 60 KB', 'MCP', 60, () => mcpTool('get_user', { handle: long(60_000) })),
    // A failing tool reports that in a 200.
    expected: { statuses: [200, 400], halfWithinMs: 250, free: true },
  },
  {
    ...byKey('a list of 10,000 handles', 'MCP', 20, () =>
      mcpTool('get_users', { handles: new Array(10_000).fill('a') }),
    ),
    // Beyond the size of a message, the connection refuses it; ten such refusals a second are answered.
    expected: { statuses: [200, 400, 429], halfWithinMs: 250, free: true },
  },
  byKey('a list of 6,000 ids', 'REST', 20, () => ({
    path: '/v1/tweets/batch',
    body: { ids: Array.from({ length: 6000 }, (_, n) => String(n)) },
  })),
  byKey('thousands of variables', 'GraphQL', 20, () => ({
    path: '/graphql',
    headers: { accept: 'application/graphql-response+json' },
    body: {
      query: `query (${Array.from({ length: 1500 }, (_, n) => `$v${n}: Int`).join()}) { me { balance } }`,
      variables: Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`v${n}`, n])),
    },
  })),
  ...manyParts('8,000 ampersands', () => '&'.repeat(8000)),
  ...manyParts('thousands of parameters', () => Array.from({ length: 1900 }, (_, n) => `a${n % 10}=`).join('&')),
  ...manyParts('thousands of percent signs', () => `key=${'%'.repeat(7900)}`),
  ...withAndWithoutKey(
    (keyed): Attack => ({
      name: `JSON 30,000 levels deep on every POST, ${keyed ? 'by key' : 'without a key'}`,
      over: 'all',
      keyed,
      strike: (stage) => {
        const all = everywhere(stage, keyed);
        return flood(stage, { total: all.length, width: 4 }, (index) => all[index] ?? { path: '/' });
      },
      expected: { statuses: [400, 401, 403, 413, 415, 422, 429, 503], halfWithinMs: 250, free: true },
      memoryMb: 20,
    }),
  ),
  ...withAndWithoutKey(
    (keyed): Attack => ({
      name: `headers as long as may be, ${keyed ? 'by key' : 'without a key'}`,
      over: 'HTTP',
      keyed,
      strike: (stage) =>
        flood(stage, { total: 60, width: 8, perSecond: 60 }, (index) => ({
          path: '/v1/me',
          headers: { [HEADERS[index % HEADERS.length] ?? 'accept']: LISTS[index % LISTS.length] ?? '' },
          ...keyOf(stage, keyed),
        })),
      expected: { statuses: [200, 400, 401, 403, 406, 429, 431], halfWithinMs: 150, free: true },
      memoryMb: 10,
    }),
  ),
];

const HEADERS = ['accept', 'accept-encoding', 'cookie', 'x-forwarded-for', 'traceparent', 'origin', 'accept-language'];
const LISTS = [
  'a/b,'.repeat(3800),
  'a;q=0.1,'.repeat(1900),
  ' '.repeat(15_000),
  `a=${';'.repeat(15_000)}`,
  '1.1.1.1,'.repeat(1800),
];
