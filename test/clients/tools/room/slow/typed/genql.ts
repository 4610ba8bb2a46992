import { headers, say, url } from '../../say.mjs';
import { createClient, type GenqlError } from '../made/genql/index.ts';

const client = createClient({ url: `${url}/graphql`, headers });
await say({
  user: async (handle) => (await client.query({ user: { __args: { handle }, handle: true } })).user?.handle ?? '',
  async page(user, first, after) {
    const page = { nodes: { id: true }, pageInfo: { endCursor: true } };
    const { timeline } = await client.query({ timeline: { __args: { user, first, after: after ?? null }, ...page } });
    return { ids: timeline?.nodes.map(({ id }) => id) ?? [], cursor: timeline?.pageInfo.endCursor };
  },
  codeOf: (error) => (error as GenqlError).errors[0]?.extensions?.code,
});
