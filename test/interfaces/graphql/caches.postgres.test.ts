/** The recipes for client caches in docs/graphql.md, run as they are written: what was paid for is in the cache. */
import { readFileSync } from 'node:fs';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { Client, type Exchange, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { getNamedType, isObjectType } from 'graphql';
import {
  type ConcreteRequest,
  createOperationDescriptor,
  Environment,
  fetchQuery,
  Network,
  RecordSource,
  Store,
} from 'relay-runtime';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { schema } from '../../../schema/index.js';
import { createScriptedNetwork } from '../../kit/networks/scripted-network.js';
import { startPerch, type TestAccount, type TestPerch } from '../../kit/perch.js';
import { manualClock } from '../../kit/time/manual-clock.js';
import { fill } from '../../rules/support/rows.js';
import { post } from './client.js';

const GUIDE = readFileSync(new URL('../../../docs/graphql.md', import.meta.url), 'utf8');

/** What the code under a client's name in the guide evaluates to. */
function recipe<Value>(client: string, known: Readonly<Record<string, unknown>>): Value {
  const part = GUIDE.split(`- **${client}** `)[1] ?? '';
  const code = /```ts\n(.*?)```/s.exec(part)?.[1] ?? '';
  const last = code.replace(/^ *(?=cacheExchange|new Environment)/m, 'return ');
  expect(last).toContain('return ');
  return new Function(...Object.keys(known), last)(...Object.values(known)) as Value;
}

/** A user and a tweet with the same id, and objects without an id. */
const QUERY = `query Twins {
  user(id: "120") { id handle }
  tweet(id: "120") { id text author { id handle } media { url } audio { url } poll { options { text } } articles { title } }
  timeline(user: "1", first: 2) { nodes { id text } pageInfo { endCursor } }
  users(handles: ["user1", "a b"]) { nodes { id name } errors { input code } }
}`;

let perch: TestPerch;
let account: TestAccount;
let expected: Record<string, unknown>;
let price: number;
beforeAll(async () => {
  const net = createScriptedNetwork();
  fill(net);
  net.user({ id: '120', handle: 'twin' });
  net.tweet({
    id: '120',
    authorId: '3',
    media: [{ type: 'photo', url: 'https://example.org/1.jpg' }],
    audio: [{ url: 'https://example.org/1.mp3' }],
    poll: { options: [{ text: 'ebb' }, { text: 'flood' }] },
    articles: [{ title: 'On tides' }],
  });
  perch = await startPerch({ clock: manualClock(), network: net.network });
  account = await perch.account();
  await post(perch, account, QUERY);
  const { body } = await post(perch, account, QUERY);
  expected = body.data as Record<string, unknown>;
  price = body.extensions.credits.charged;
  expect(price).toBeGreaterThan(0);
});
afterEach(() => void vi.restoreAllMocks());
afterAll(() => perch.close());

const withoutTypenames = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (name, member) => (name === '__typename' ? undefined : member)));

/** Makes one read that is charged, and one from the cache that sends nothing. */
async function readTwice(
  read: (from: 'network' | 'cache') => Promise<unknown>,
  whole: unknown = expected,
): Promise<number> {
  const complaints = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')];
  const before = await perch.balance(account);
  expect(withoutTypenames(await read('network'))).toEqual(whole);
  const after = await perch.balance(account);
  expect(withoutTypenames(await read('cache'))).toEqual(whole);
  expect(await perch.balance(account)).toBe(after);
  for (const complaint of complaints) expect(complaint).not.toHaveBeenCalled();
  return before - after;
}

it('reads what was charged from the cache of Apollo Client, with its defaults', async () => {
  const link = new HttpLink({ uri: `${perch.url}/graphql`, headers: { 'x-api-key': account.key } });
  const client = new ApolloClient({ cache: new InMemoryCache(), link });
  const query = gql(QUERY);
  const fetchPolicies = { network: 'network-only', cache: 'cache-only' } as const;
  const read = async (from: 'network' | 'cache') =>
    (await client.query({ query, fetchPolicy: fetchPolicies[from] })).data;
  expect(await readTwice(read)).toBe(price);
});

it('reads what was charged from the cache of urql, set up as the guide says', async () => {
  const cache = recipe<Exchange>('urql', { cacheExchange, relayPagination });
  const client = new Client({
    url: `${perch.url}/graphql`,
    exchanges: [cache, fetchExchange],
    preferGetMethod: false,
    fetchOptions: { headers: { 'x-api-key': account.key } },
  });
  const requestPolicies = { network: 'network-only', cache: 'cache-only' } as const;
  const read = async (from: 'network' | 'cache') =>
    (await client.query(QUERY, {}, { requestPolicy: requestPolicies[from] })).data;
  expect(await readTwice(read)).toBe(price);
});

it('names in the recipe for urql every type without an id that paid reads have', () => {
  const found = new Set<string>();
  const visit = (name: string): void => {
    const type = schema.getType(name);
    if (!isObjectType(type) || found.has(name)) return;
    found.add(name);
    for (const field of Object.values(type.getFields())) visit(getNamedType(field.type).name);
  };
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {}))
    if (field.extensions.price) visit(getNamedType(field.type).name);
  const withoutId = [...found].filter((name) => {
    const type = schema.getType(name);
    return isObjectType(type) && !type.getFields().id;
  });
  const cacheExchange = (options: { keys: object }) => options.keys;
  const keys = recipe<object>('urql', { cacheExchange, relayPagination });
  expect(Object.keys(keys).sort()).toEqual(withoutId.sort());
});

/** As Relay's compiler writes it. */
const scalar = (name: string) => ({ alias: null, args: null, kind: 'ScalarField', name, storageKey: null }) as const;
const linked = (name: string, concreteType: string, field: string) =>
  ({
    alias: null,
    args: [{ kind: 'Literal', name: 'id', value: '120' }],
    concreteType,
    kind: 'LinkedField',
    name,
    plural: false,
    selections: [scalar('__typename'), scalar('nodeId'), scalar('id'), scalar(field)],
    storageKey: `${name}(id:"120")`,
  }) as const;
const selections = [linked('user', 'User', 'handle'), linked('tweet', 'Tweet', 'text')];
const REQUEST: ConcreteRequest = {
  fragment: {
    argumentDefinitions: [],
    kind: 'Fragment',
    metadata: null,
    name: 'Twins',
    selections,
    type: 'Query',
    abstractKey: null,
  },
  kind: 'Request',
  operation: { argumentDefinitions: [], kind: 'Operation', name: 'Twins', selections },
  params: {
    cacheID: 'twins',
    id: null,
    metadata: {},
    name: 'Twins',
    operationKind: 'query',
    text: `query Twins {
      user(id: "120") { __typename nodeId id handle } tweet(id: "120") { __typename nodeId id text }
    }`,
  },
};

it('reads what was charged from the store of Relay, set up as the guide says', async () => {
  const network = Network.create(async ({ text }) => (await post(perch, account, text ?? '')).body as never);
  const store = new Store(new RecordSource());
  const environment = recipe<Environment>('Relay', { Environment, network, store });
  const twins = createOperationDescriptor(REQUEST, {});
  const read = async (from: 'network' | 'cache'): Promise<unknown> => {
    if (from === 'cache') return environment.lookup(twins.fragment).data;
    return fetchQuery(environment, REQUEST, {}).toPromise();
  };
  environment.retain(twins);
  const { user, tweet } = expected as { user: object; tweet: { id: string; text: string } };
  const whole = {
    user: { ...user, nodeId: 'User:120' },
    tweet: { id: tweet.id, nodeId: 'Tweet:120', text: tweet.text },
  };
  const charged = await readTwice(read, whole);
  expect(charged).toBe(1);
});
