import { client } from '../made/hey-api/client.gen.ts';
import { user, userTweets } from '../made/hey-api/sdk.gen.ts';
import { key, say, url } from '../say.mjs';

client.setConfig({ baseUrl: url, auth: () => key });
await say({
  async user(handle) {
    const { data, error } = await user({ path: { handle } });
    if (data === undefined) throw error.error.code;
    return data.data.handle;
  },
  async page(name, count, cursor) {
    const { data, error } = await userTweets({ path: { user: name }, query: { count, ...(cursor && { cursor }) } });
    if (data === undefined) throw error.error.code;
    return { ids: data.data.map(({ id }) => id), cursor: data.next_cursor };
  },
  codeOf: (code) => code,
});
