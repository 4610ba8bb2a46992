import createClient from 'openapi-fetch';
import type { paths } from '../made/openapi-typescript.ts';
import { headers, say, url } from '../say.mjs';

const client = createClient<paths>({ baseUrl: url, headers });
await say({
  async user(handle) {
    const { data, error } = await client.GET('/v1/users/{handle}', { params: { path: { handle } } });
    if (data === undefined) throw error.error?.code;
    return data.data.handle;
  },
  async page(user, count, cursor) {
    const query = { count, ...(cursor && { cursor }) };
    const { data, error } = await client.GET('/v1/users/{user}/tweets', { params: { path: { user }, query } });
    if (data === undefined) throw error.error?.code;
    return { ids: data.data.map(({ id }) => id), cursor: data.next_cursor };
  },
  codeOf: (code) => code,
});
