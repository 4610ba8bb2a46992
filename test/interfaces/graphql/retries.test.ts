/**
 * The recipe for retries in docs/graphql.md, run as it is written: nothing that may have been charged is repeated
 * (M36).
 */
import { readFileSync } from 'node:fs';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { RetryLink } from '@apollo/client/link/retry';
import { expect, it } from 'vitest';

const GUIDE = readFileSync(new URL('../../../docs/graphql.md', import.meta.url), 'utf8');

function recipe(): ApolloLink {
  const [code] = /new RetryLink\(.*?\)(?=;\n)/s.exec(GUIDE) ?? [];
  return new Function('RetryLink', `return ${code}`)(RetryLink) as ApolloLink;
}

const refusal =
  (status: number, type: string, more: Record<string, string> = {}) =>
  () =>
    new Response('{"errors":[{"message":"Refused."}]}', { status, headers: { 'content-type': type, ...more } });
const lost = (): Response => {
  throw new TypeError('fetch failed');
};

it.each<[what: string, answer: () => Response, sent: number]>([
  ['429 with Retry-After', refusal(429, 'application/json', { 'retry-after': '1' }), 2],
  ['503 with Retry-After', refusal(503, 'application/json', { 'retry-after': '1' }), 2],
  ['503 without it', refusal(503, 'application/json'), 1],
  ['503 without it, as a result', refusal(503, 'application/graphql-response+json'), 1],
  ['no answer at all', lost, 1],
])('repeats with RetryLink what has Retry-After, and nothing else: %s', async (_what, answer, expected) => {
  let sent = 0;
  const send = async (): Promise<Response> => {
    sent += 1;
    return sent === 1 ? answer() : Response.json({ data: { me: { balance: 1 } } });
  };
  const link = ApolloLink.from([recipe(), new HttpLink({ uri: 'http://perch.test/graphql', fetch: send })]);
  const client = new ApolloClient({ link, cache: new InMemoryCache() });
  const read = client.query({ query: gql('query Balance { me { balance } }') });
  if (expected > 1) expect((await read).data).toEqual({ me: { balance: 1 } });
  else await expect(read).rejects.toThrow();
  expect(sent).toBe(expected);
});
