/** GraphQL clients with what their users add to them: a normalised cache, paging, persisted queries, retries. */
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { headers, say, url } from './say.mjs';

const address = `${url}/graphql`;
const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const BALANCE = 'query Balance { me { balance } }';
const USER = 'query Profile($handle: String!) { user(handle: $handle) { id handle } }';
const TWEETS = `query Tweets($user: ID!, $first: Int, $after: String) {
  timeline(user: $user, first: $first, after: $after) {
    edges { cursor node { id text author { id handle } } }
    pageInfo { startCursor endCursor hasPreviousPage hasNextPage }
  }
}`;

/** Counts the requests of four reads by a client that tries persisted queries first. */
async function counted(read) {
  let requests = 0;
  const counting = (...call) => {
    requests += 1;
    return fetch(...call);
  };
  const send = read(counting);
  for (let call = 0; call < 4; call += 1) await send();
  return requests;
}

async function apollo({ core, retry, persisted, utilities, codeOf }) {
  const { ApolloClient, ApolloLink, HttpLink, InMemoryCache, gql } = core;
  const { default: lists } = await import('@apollo/persisted-query-lists');
  const manifest = await (await fetch(`${address}/operations.json`)).json();
  const http = (own = fetch) => new HttpLink({ uri: address, headers, fetch: own });
  const over = (...links) => new ApolloClient({ link: ApolloLink.from(links), cache: cacheOf() });
  const cacheOf = () =>
    new InMemoryCache({ typePolicies: { Query: { fields: { timeline: utilities.relayStylePagination(['user']) } } } });

  const listed = over(
    persisted(lists.generatePersistedQueryIdsFromManifest({ loadManifest: async () => manifest })),
    http(),
  );
  const stored = gql(manifest.operations.find(({ name }) => name === 'user').body);
  const paged = over(http());
  const retryIf = ({ response }) => response?.headers.has('retry-after');
  const waiting = over(new retry.RetryLink({ delay: { initial: 1000, jitter: false }, attempts: { retryIf } }), http());
  const TWEETS_READ = gql(TWEETS);
  return say({
    user: async (handle) => (await listed.query({ query: stored, variables: { handle } })).data.data.handle,
    // `fetchMore` merges both pages in the cache, so the second page is what was added to the first.
    async page(user, first, after) {
      const read = { query: TWEETS_READ, variables: { user, first } };
      const before = after ? paged.readQuery(read).timeline.edges.length : 0;
      const watched = paged.watchQuery(read);
      const subscription = watched.subscribe({});
      if (after) await watched.fetchMore({ variables: { after } });
      else await paged.query(read);
      subscription.unsubscribe();
      const { edges, pageInfo } = paged.readQuery(read).timeline;
      return { ids: edges.slice(before).map(({ node }) => node.id), cursor: pageInfo.endCursor };
    },
    codeOf,
    balance: () =>
      waiting.query({ query: gql(BALANCE), fetchPolicy: 'no-cache', context: { queryDeduplication: false } }),
    async also() {
      const requests = await counted((own) => {
        const client = over(persisted({ sha256 }), http(own));
        return () => client.query({ query: gql(BALANCE), fetchPolicy: 'network-only' });
      });
      return { requests };
    },
  });
}

const CLIENTS = {
  async 'apollo-4'() {
    const { PersistedQueryLink } = await import('@apollo/client/link/persisted-queries');
    await apollo({
      core: await import('@apollo/client'),
      retry: await import('@apollo/client/link/retry'),
      persisted: (options) => new PersistedQueryLink(options),
      utilities: await import('@apollo/client/utilities'),
      codeOf: ({ errors }) => errors[0].extensions.code,
    });
  },
  async 'apollo-3'() {
    const require = createRequire(import.meta.url);
    await apollo({
      core: require('apollo-client-3/core'),
      retry: require('apollo-client-3/link/retry'),
      persisted: require('apollo-client-3/link/persisted-queries').createPersistedQueryLink,
      utilities: require('apollo-client-3/utilities'),
      codeOf: ({ graphQLErrors }) => graphQLErrors[0].extensions.code,
    });
  },
  async urql() {
    const { Client, fetchExchange, gql } = await import('@urql/core');
    const { cacheExchange } = await import('@urql/exchange-graphcache');
    const { relayPagination } = await import('@urql/exchange-graphcache/extras');
    const { retryExchange } = await import('@urql/exchange-retry');
    const { persistedExchange } = await import('@urql/exchange-persisted');
    const over = (exchanges, own = fetch) =>
      new Client({ url: address, fetch: own, fetchOptions: { headers }, exchanges: [...exchanges, fetchExchange] });
    const read = async (client, query, variables, context) => {
      const { data, error } = await client.query(query, variables, context).toPromise();
      if (error) throw error;
      return data;
    };
    const keys = Object.fromEntries(['TweetPage', 'TweetEdge', 'PageInfo'].map((name) => [name, () => null]));
    const cached = over([cacheExchange({ keys, resolvers: { Query: { timeline: relayPagination() } } })]);
    const retryIf = ({ response }) => [429, 503].includes(response?.status) && response.headers.has('retry-after');
    const waiting = over([retryExchange({ retryIf, maxNumberAttempts: 5 })]);
    const TWEETS_READ = gql(TWEETS);
    let known = 0;
    await say({
      user: async (handle) => (await read(cached, gql(USER), { handle })).user.handle,
      async page(user, first, after) {
        const { edges, pageInfo } = (await read(cached, TWEETS_READ, { user, first, after })).timeline;
        const ids = edges.slice(known).map(({ node }) => node.id);
        known = edges.length;
        return { ids, cursor: pageInfo.endCursor };
      },
      codeOf: ({ graphQLErrors }) => graphQLErrors[0].extensions.code,
      balance: (call) => read(waiting, BALANCE.replace('Balance', `Balance${call}`)),
      async also() {
        const requests = await counted((own) => {
          const client = over([persistedExchange()], own);
          return () => read(client, BALANCE, {}, { requestPolicy: 'network-only' });
        });
        return { requests };
      },
    });
  },
  async 'graphql-request'() {
    const { GraphQLClient } = await import('graphql-request');
    const client = new GraphQLClient(address, { headers });
    await say({
      user: async (handle) => (await client.request(USER, { handle })).user.handle,
      async page(user, first, after) {
        const { edges, pageInfo } = (await client.request(TWEETS, { user, first, after })).timeline;
        return { ids: edges.map(({ node }) => node.id), cursor: pageInfo.endCursor };
      },
      codeOf: ({ response }) => response.errors[0].extensions.code,
    });
  },
};

await CLIENTS[process.argv[2]]();
