import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';
import type { XOptions } from '../../../../adapters/networks/x/api.js';
import { createXNetwork } from '../../../../adapters/networks/x/network.js';
import type { Network, NetworkPage, ReadContext } from '../../../../src/ports/network.js';

export const NOW = Date.parse('2026-11-21T18:00:00Z');

interface Request {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
}

interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
}

export interface Scripted {
  readonly network: Network;
  /** The server's address, for further adapters over it. */
  readonly baseUrl: string;
  readonly requests: readonly Request[];
  /** The queries of requests for a path, in order. */
  queries(path: string): Record<string, string>[];
  close(): Promise<void>;
}

/** The adapter over a server that answers as a test says. */
export async function openScripted(
  answer: (request: Request) => Reply,
  options: Partial<XOptions> = {},
): Promise<Scripted> {
  const requests: Request[] = [];
  const server = createServer((incoming, response) => {
    const url = new URL(incoming.url ?? '/', 'http://x');
    const request = { path: url.pathname, query: url.searchParams, headers: incoming.headers };
    requests.push(request);
    const { status = 200, headers = {}, body } = answer(request);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const network = createXNetwork({
    baseUrl,
    bearerTokens: ['one', 'two'],
    search: 'recent',
    vocabulary: 'tweet',
    userAgent: 'Perch/0.3.0 (perch@example.org)',
    clock: { now: () => NOW },
    ...options,
  });
  return {
    network,
    baseUrl,
    requests,
    queries: (path) =>
      requests.filter((request) => request.path === path).map(({ query }) => Object.fromEntries(query.entries())),
    async close() {
      await network.close?.();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The same for a file of tests: whatever a test opens is closed after it. */
export function scripting(): typeof openScripted {
  const open: Scripted[] = [];
  afterEach(async () => {
    for (const each of open.splice(0)) await each.close();
  });
  return async (answer, options) => {
    const at = await openScripted(answer, options);
    open.push(at);
    return at;
  };
}

export const context = (more: Partial<ReadContext> = {}): ReadContext => ({
  signal: AbortSignal.timeout(10_000),
  ...more,
});

/** A snowflake id from this many hours ago. */
export const idOf = (hours: number): string => String((BigInt(NOW - hours * 3_600_000) - 1288834974657n) << 22n);

export const ids = (page: NetworkPage): string[] => [...(page.tweets ?? page.users ?? [])].map(({ id }) => id);

/** A user and a post as X sends them if everything is requested. */
export const user = (id: string, more: object = {}): Record<string, unknown> => ({
  id,
  username: `user${id}`,
  name: `User ${id}`,
  created_at: '2020-01-01T00:00:00.000Z',
  public_metrics: { followers_count: 1, following_count: 1, tweet_count: 1, listed_count: 0 },
  ...more,
});

export const post = (id: string, more: object = {}): Record<string, unknown> => ({
  id,
  text: `post ${id}`,
  created_at: '2026-11-20T00:00:00.000Z',
  author_id: '5',
  conversation_id: id,
  ...more,
});

export const replyTo = (parent: string, conversation: string) => ({
  conversation_id: conversation,
  referenced_tweets: [{ type: 'replied_to', id: parent }],
});
