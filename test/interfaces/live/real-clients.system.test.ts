/** Streams as existing clients read them: eventsource, graphql-sse, and urql, Apollo Client and Relay on top of it. */
import { ApolloClient, ApolloLink, gql, InMemoryCache, Observable } from '@apollo/client';
import { Client, subscriptionExchange } from '@urql/core';
import { EventSource } from 'eventsource';
import { print } from 'graphql';
import { createClient } from 'graphql-sse';
import {
  type ConcreteRequest,
  Environment,
  Network,
  RecordSource,
  Observable as RelayObservable,
  requestSubscription,
  Store,
} from 'relay-runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createScriptedNetwork, type ScriptedNetwork } from '../../kit/networks/scripted-network.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';
import { until } from '../../kit/time/until.js';

const SLOW_MS = 60_000;

let perch: TestPerch;
let net: ScriptedNetwork;
let next = 100;
const shown = new Map<string, string[]>();

function post(text: string, authorId = '7'): void {
  const { id } = net.tweet({ id: String(next), authorId, text, createdAt: new Date().toISOString() });
  next += 1;
  shown.set(authorId, [id, ...(shown.get(authorId) ?? [])]);
  net.list('timeline', authorId, shown.get(authorId) ?? [], { pageSize: 40 });
}

beforeAll(async () => {
  net = createScriptedNetwork();
  net.user({ id: '7', handle: 'seven' });
  net.user({ id: '8', handle: 'eight' });
  for (const author of ['7', '8']) post('the first', author);
  perch = await startPerch({ network: net.network });
}, SLOW_MS);
afterAll(() => perch?.close());

const DOCUMENT = gql`
  subscription Live($user: ID!) {
    timeline(user: $user) {
      nodes {
        text
      }
    }
  }
`;
const QUERY = print(DOCUMENT);
const VARIABLES = { user: 'seven' };

/** As Relay's compiler writes it. */
const SELECTIONS = [
  {
    kind: 'LinkedField',
    name: 'timeline',
    alias: null,
    args: [{ kind: 'Variable', name: 'user', variableName: 'user' }],
    concreteType: 'TweetPage',
    plural: false,
    storageKey: null,
    selections: [
      {
        kind: 'LinkedField',
        name: 'nodes',
        alias: null,
        args: null,
        concreteType: 'Tweet',
        plural: true,
        storageKey: null,
        selections: [{ kind: 'ScalarField', name: 'text', alias: null, args: null, storageKey: null }],
      },
    ],
  },
] as const;
const ARGUMENTS = [{ kind: 'LocalArgument', name: 'user', defaultValue: null }] as const;
const RELAY_REQUEST: ConcreteRequest = {
  kind: 'Request',
  fragment: {
    ...{ kind: 'Fragment', name: 'Live', type: 'Subscription', metadata: null, abstractKey: null },
    ...{ argumentDefinitions: ARGUMENTS, selections: SELECTIONS },
  },
  operation: { kind: 'Operation', name: 'Live', argumentDefinitions: ARGUMENTS, selections: SELECTIONS },
  params: { name: 'Live', operationKind: 'subscription', text: QUERY, id: null, cacheID: 'live', metadata: {} },
};

/**
 * Posts until one of the tweets has arrived, because it cannot be seen when the client has begun to follow; then waits
 * for the last of them.
 */
async function postUntil(texts: readonly string[]): Promise<void> {
  const text = `news ${next}`;
  let [nth, last] = [0, ''];
  await until(
    'a new tweet arrives',
    async () => {
      nth += 1;
      if (nth % 50 === 1) {
        last = `${text} ${nth}`;
        post(last);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
      return texts.some((one) => one.startsWith(text));
    },
    SLOW_MS,
  );
  await until('the last of them arrives', () => texts.includes(last), SLOW_MS);
}

interface Timeline {
  readonly timeline: { readonly nodes: { readonly text: string }[] } | null;
}

/** Requests heartbeats in the form of results. */
const extensions = { heartbeats: true };

/** What a client has received. */
class Given {
  readonly texts: string[] = [];
  heartbeats = 0;

  take(result: unknown): void {
    const { timeline } = (result as { data: Timeline }).data;
    this.texts.push(...(timeline?.nodes ?? []).map(({ text }) => text));
    if (timeline === null) this.heartbeats += 1;
  }

  /** Resolves once a tweet and a heartbeat have come. */
  async both(): Promise<void> {
    await postUntil(this.texts);
    await until('a heartbeat arrives', () => this.heartbeats > 0, SLOW_MS);
  }
}

describe('a stream', () => {
  it(
    'is read by eventsource, which resumes where it was',
    async () => {
      const { key } = await perch.account();
      const [texts, ids]: [string[], (string | null)[]] = [[], []];
      const cut = { now: null as AbortController | null };
      const source = new EventSource(`${perch.url}/v1/live?user=seven`, {
        fetch: (url, init) => {
          ids.push(new Headers(init.headers as HeadersInit).get('last-event-id'));
          cut.now = new AbortController();
          const signal = AbortSignal.any([cut.now.signal, ...(init.signal ? [init.signal as AbortSignal] : [])]);
          return fetch(url, { ...init, signal, headers: { ...init.headers, 'x-api-key': key } } as RequestInit);
        },
      });
      source.addEventListener('items', ({ data }) => {
        for (const { text } of JSON.parse(data).data) texts.push(text);
      });
      await postUntil(texts);
      const before = texts.length;
      cut.now?.abort(new Error('The connection broke.'));
      post('while it was away');
      await until('it has come back', () => texts.includes('while it was away'), SLOW_MS);
      source.close();
      expect(ids[0]).toBeNull();
      expect(ids[1]).toMatch(/^[\w-]{12}\./);
      expect(texts.slice(before)).toEqual(['while it was away']);
    },
    SLOW_MS,
  );

  it(
    'is read by graphql-sse, which resumes by the position in its results',
    async () => {
      const account = await perch.account();
      const given = new Given();
      const sent: string[] = [];
      let [position, cut, began, charged] = ['', new AbortController(), 0, 0];
      const client = createClient({
        url: `${perch.url}/graphql`,
        headers: () => ({ 'x-api-key': account.key, 'last-event-id': position }),
        retryAttempts: 3,
        retry: () => Promise.resolve(),
        fetchFn: (url: string, init: RequestInit) => {
          sent.push(position);
          cut = new AbortController();
          return fetch(url, { ...init, signal: AbortSignal.any([cut.signal, init.signal as AbortSignal]) });
        },
      });
      const errors: unknown[] = [];
      const end = client.subscribe<Timeline, { live: { position: string }; credits?: { charged: number } }>(
        { query: QUERY, variables: { user: 'eight' }, extensions },
        {
          next(result) {
            given.take(result);
            const { live, credits } = result.extensions ?? {};
            position = live?.position ?? position;
            charged += credits?.charged ?? 0;
            if (credits !== undefined) began += 1;
          },
          error: (error) => errors.push(error),
          complete: () => undefined,
        },
      );
      const arrive = (text: string) => until(`${text} arrives`, () => given.texts.includes(text), SLOW_MS);
      await until('it has begun', () => began > 0, SLOW_MS);
      // Before anything came, and after that.
      for (const nth of [1, 2]) {
        post(`before cut ${nth}`, '8');
        cut.abort(new Error('The connection broke.'));
        post(`after cut ${nth}`, '8');
        await arrive(`after cut ${nth}`);
      }
      await until('a heartbeat arrives', () => given.heartbeats > 0, SLOW_MS);
      end();
      expect(errors).toEqual([]);
      expect(sent).toEqual(['', expect.stringMatching(/^[\w-]{12}\./), expect.stringMatching(/^[\w-]{12}\./)]);
      expect(given.texts).toEqual(['before cut 1', 'after cut 1', 'before cut 2', 'after cut 2']);
      const [paid] = await perch.database.sql<{ items: number }[]>`
        select sum(items)::int as items from debits where account_id = ${account.accountId}`;
      expect(paid?.items).toBe(4);
      expect(await perch.balance(account)).toBe(1000 - charged);
    },
    SLOW_MS,
  );

  it(
    'is an error of graphql-sse without a retry if it is refused',
    async () => {
      const client = createClient({
        url: `${perch.url}/graphql`,
        headers: { 'x-api-key': `perch_live_${'a'.repeat(32)}` },
        retryAttempts: 0,
      });
      const errors: unknown[] = [];
      await new Promise<void>((resolve) => {
        client.subscribe(
          { query: QUERY, variables: VARIABLES },
          { next: () => undefined, error: (error) => resolve(void errors.push(error)), complete: resolve },
        );
      });
      expect(errors).toHaveLength(1);
      client.dispose();
    },
    SLOW_MS,
  );

  it(
    'is read by urql',
    async () => {
      const { key } = await perch.account();
      const sse = createClient({ url: `${perch.url}/graphql`, headers: { 'x-api-key': key } });
      const client = new Client({
        url: `${perch.url}/graphql`,
        preferGetMethod: false,
        exchanges: [
          subscriptionExchange({
            forwardSubscription: ({ query = '', variables }) => ({
              subscribe: (sink) => ({
                unsubscribe: sse.subscribe(
                  { query, variables: variables as Record<string, unknown>, extensions },
                  sink as never,
                ),
              }),
            }),
          }),
        ],
      });
      const given = new Given();
      const { unsubscribe } = client.subscription(DOCUMENT, VARIABLES).subscribe((result) => {
        if (result.data) given.take(result);
      });
      await given.both();
      unsubscribe();
      sse.dispose();
    },
    SLOW_MS,
  );

  it(
    'is read by Apollo Client',
    async () => {
      const { key } = await perch.account();
      const sse = createClient({ url: `${perch.url}/graphql`, headers: { 'x-api-key': key } });
      const link = new ApolloLink(
        ({ query, variables, operationName }) =>
          new Observable((sink) =>
            sse.subscribe(
              { query: print(query), variables, operationName: operationName ?? '', extensions },
              sink as never,
            ),
          ),
      );
      const client = new ApolloClient({ link, cache: new InMemoryCache() });
      const given = new Given();
      const subscription = client
        .subscribe({ query: DOCUMENT, variables: VARIABLES })
        .subscribe((result) => given.take(result));
      await given.both();
      subscription.unsubscribe();
      client.stop();
      sse.dispose();
    },
    SLOW_MS,
  );

  it(
    'is read by Relay',
    async () => {
      const { key } = await perch.account();
      const sse = createClient({ url: `${perch.url}/graphql`, headers: { 'x-api-key': key } });
      const network = Network.create(
        () => {
          throw new TypeError('A subscription is not fetched.');
        },
        ({ text, name }, variables) =>
          RelayObservable.create((sink) =>
            sse.subscribe({ query: text ?? '', operationName: name, variables, extensions }, sink as never),
          ),
      );
      const environment = new Environment({ network, store: new Store(new RecordSource()) });
      const given = new Given();
      const { dispose } = requestSubscription(environment, {
        subscription: RELAY_REQUEST,
        variables: VARIABLES,
        onNext: (data) => given.take({ data }),
      });
      await given.both();
      dispose();
      sse.dispose();
    },
    SLOW_MS,
  );
});
