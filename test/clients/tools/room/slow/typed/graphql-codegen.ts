import { type ClientError, GraphQLClient } from 'graphql-request';
import { headers, say, url } from '../../say.mjs';
import { graphql } from '../made/graphql-codegen/index.ts';

const client = new GraphQLClient(`${url}/graphql`, { headers });
const USER = graphql(`query User($handle: String!) { user(handle: $handle) { handle } }`);
const TWEETS = graphql(`
  query Tweets($user: ID!, $first: Int, $after: String) {
    timeline(user: $user, first: $first, after: $after) { nodes { id } pageInfo { endCursor } }
  }
`);

await say({
  user: async (handle) => (await client.request(USER, { handle })).user?.handle ?? '',
  async page(user, first, after) {
    const { timeline } = await client.request(TWEETS, { user, first, after });
    return { ids: timeline?.nodes.map(({ id }) => id) ?? [], cursor: timeline?.pageInfo.endCursor };
  },
  codeOf: (error) => (error as ClientError).response.errors?.[0]?.extensions?.code,
});
