import { Api, type HttpResponse } from '../made/swagger-typescript-api/Api.ts';
import { headers, say, url } from '../say.mjs';

const { v1 } = new Api({ baseUrl: url, baseApiParams: { headers } });
await say({
  user: async (handle) => (await v1.user(handle)).data.data.handle,
  async page(name, count, cursor) {
    const { data } = await v1.userTweets(name, { count, ...(cursor && { cursor }) });
    return { ids: data.data.map(({ id }) => id), cursor: data.next_cursor };
  },
  codeOf: (answer) => (answer as HttpResponse<unknown, { error: { code: string } }>).error.error.code,
});
