import { user, userTweets } from '../made/orval.ts';
import { headers, say } from '../say.mjs';

await say({
  async user(handle) {
    const { status, data } = await user(handle, {}, { headers });
    if (status !== 200) throw data.error?.code;
    return data.data.handle;
  },
  async page(name, count, cursor) {
    const { status, data } = await userTweets(name, { count, ...(cursor && { cursor }) }, { headers });
    if (status !== 200) throw data.error?.code;
    return { ids: data.data.map(({ id }) => id), cursor: data.next_cursor };
  },
  codeOf: (code) => code,
});
