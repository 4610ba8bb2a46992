/** `1e999` is JSON, but beyond the range of numbers. Where null is remembered, it must not pass for null. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Service, startService } from '../../interfaces/graphql/service.js';
import { createClient } from '../../kit/client.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const DOCUMENT =
  'query ($fresh: Boolean) { tweet(id: "150") { text } timeline(user: "1", fresh: $fresh) { nodes { id } } }';
const query = (n: string) => `{"query":"${DOCUMENT.replaceAll('"', '\\"')}","variables":{"fresh":${n}}}`;
const toolCall = (given: string, more = '') =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_user_tweets","arguments":{"user":"1",${given}}${more}}}`;

it.each([
  ['a variable', '/graphql', query('null'), query('1e999')],
  ['an argument of a tool', '/mcp', toolCall('"count":null'), toolCall('"count":1e999')],
  ['the budget of a tool’s call', '/mcp', toolCall('"max_credits":null'), toolCall('"max_credits":-1e999')],
  ['a progress token', '/mcp', toolCall('"count":3'), toolCall('"count":3', ',"_meta":{"progressToken":1e999}')],
])('refuses an endless number as %s, although null was answered before', async (_, path, known, endless) => {
  const { key } = await service.perch.account({ credits: 1000 });
  const client = createClient(service.perch.url, key);
  const send = (body: string) => client.post(path, body, { accept: 'application/json, text/event-stream' });
  const failed = ({ status, text }: Awaited<ReturnType<typeof send>>) =>
    status >= 400 || /"(?:isE|e)rrors?":/.test(text);
  for (let nth = 0; nth < 3; nth += 1) expect(failed(await send(known)), known).toBe(false);
  expect(failed(await send(endless))).toBe(true);
});
