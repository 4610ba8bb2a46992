import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createBlueskyNetwork } from '../../../adapters/networks/bluesky/network.js';
import { USER_AGENT } from './stand-in.js';

export interface FakeAnswer {
  readonly status?: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
}

export type FakeAnswers = Record<string, (query: URLSearchParams) => FakeAnswer | Promise<FakeAnswer>>;

/** An AppView and a directory that answer by method (or path) what a test says. Every profile exists. */
export async function openFake(answers: FakeAnswers) {
  const calls: { method: string; query: URLSearchParams }[] = [];
  const server = createServer(async (request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://localhost');
    const method = pathname.replace('/xrpc/', '');
    calls.push({ method, query });
    const profiles = (): FakeAnswer => ({ body: { profiles: query.getAll('actors').map((did) => profileOf(did)) } });
    const answer = answers[method] ?? (method === 'app.bsky.actor.getProfiles' ? profiles : undefined);
    const { status = 200, body, headers = {} } = (await answer?.(query)) ?? { status: 501, body: {} };
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clock = { now: () => Date.now() };
  const network = createBlueskyNetwork({ baseUrl, directoryUrl: baseUrl, userAgent: USER_AGENT, clock });
  return {
    baseUrl,
    network,
    calls,
    async close() {
      await network.close?.();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const PLC_DIGITS = 'abcdefghijklmnopqrstuvwxyz234567';

/** A DID made from a number. */
export const didAt = (n: number): string =>
  `did:plc:${[...String(n).padStart(24, '0')].map((digit) => PLC_DIGITS[Number(digit)]).join('')}`;

export const basicOf = (did: string, more: object = {}) => ({ did, handle: `u${did.slice(-6)}.test`, ...more });

export const profileOf = (did: string, more: object = {}) => ({
  ...basicOf(did),
  createdAt: '2026-01-01T00:00:00.000Z',
  followersCount: 1,
  followsCount: 2,
  postsCount: 3,
  ...more,
});

export const uriAt = (did: string, key: string): string => `at://${did}/app.bsky.feed.post/${key}`;

interface PostParts {
  readonly record?: object;
  readonly author?: object;
  readonly embed?: object;
  readonly indexedAt?: string;
  readonly replyCount?: number;
}

export const postOf = (uri: string, more: PostParts = {}) => {
  const { record, author, ...rest } = more;
  return {
    uri,
    cid: 'bafy',
    author: basicOf(uri.split('/')[2] ?? '', author),
    record: { text: 'Hello', createdAt: '2026-10-01T00:00:00.000Z', ...record },
    indexedAt: '2026-10-01T00:00:00.000Z',
    labels: [],
    ...rest,
  };
};
