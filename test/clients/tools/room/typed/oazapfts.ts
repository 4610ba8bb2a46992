import { defaults, user, userTweets } from '../made/oazapfts.ts';
import { headers, say } from '../say.mjs';

defaults.headers = headers;
await say({
  async user(handle) {
    const answer = await user(handle);
    if (answer.status !== 200) throw answer.data.error.code;
    return answer.data.data.handle;
  },
  async page(name, count, cursor) {
    const answer = await userTweets(name, { count, ...(cursor && { cursor }) });
    if (answer.status !== 200) throw answer.data.error.code;
    return { ids: answer.data.data.map(({ id }) => id), cursor: answer.data.next_cursor };
  },
  codeOf: (code) => code,
});
