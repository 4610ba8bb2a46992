import { isErrorFromAlias } from '@zodios/core';
import { createApiClient, api as described } from '../made/openapi-zod-client.ts';
import { headers, say, url } from '../say.mjs';

const api = createApiClient(url, { axiosConfig: { headers } });
await say({
  user: async (handle) => (await api.user({ params: { handle } })).data.handle,
  async page(user, count, cursor) {
    const { data, next_cursor } = await api.userTweets({
      params: { user },
      queries: { count, ...(cursor && { cursor }) },
    });
    return { ids: data.map(({ id }) => id), cursor: next_cursor };
  },
  codeOf: (error) =>
    isErrorFromAlias(described.api, 'user', error) && error.response.status === 404 && error.response.data.error.code,
});
