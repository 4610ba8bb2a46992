import { setConfig } from '@kubb/plugin-client/clients/fetch';
import { user } from '../made/kubb/clients/user.ts';
import { userTweets } from '../made/kubb/clients/userTweets.ts';
import type { Failure } from '../made/kubb/types/Failure.ts';
import { headers, say, url } from '../say.mjs';

setConfig({ baseURL: url, headers });
await say({
  async user(handle) {
    const { status, data } = await user(handle);
    // Its types know of no failure in an answer.
    if (status !== 200) throw (data as unknown as Failure).error.code;
    return data.data.handle;
  },
  async page(name, count, cursor) {
    const { data } = await userTweets(name, { count, ...(cursor && { cursor }) });
    return { ids: data.data.map(({ id }) => id), cursor: data.next_cursor };
  },
  codeOf: (code) => code,
});
