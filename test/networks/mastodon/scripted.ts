import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createMastodonNetwork } from '../../../adapters/networks/mastodon/network.js';
import type { Network, ReadContext } from '../../../src/ports/network.js';

export interface Scripted {
  readonly status?: number;
  /** JSON, or text unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Script {
  readonly tokens?: readonly string[];
  /** By path without the query; other paths are 404. A function gets the query and the token. */
  readonly answers: Readonly<
    Record<string, Scripted | ((query: URLSearchParams, token: string | undefined) => Scripted)>
  >;
}

/** A server that answers what a test wants, and the adapter over it. Both are closed after the test. */
export async function scripted({
  tokens = [],
  answers,
}: Script): Promise<{ network: Network; requests: string[]; baseUrl: string }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    const url = new URL(request.url ?? '/', 'http://server.example');
    const answer = answers[url.pathname] ?? { status: 404, body: { error: 'Record not found' } };
    const token = request.headers.authorization?.slice('Bearer '.length);
    const { status = 200, body, headers } = typeof answer === 'function' ? answer(url.searchParams, token) : answer;
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}`;
  const network = createMastodonNetwork({ baseUrl, tokens, userAgent: 'Perch/0.3.0 (test)', clock: Date });
  onTestFinished(async () => {
    await network.close?.();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { network, requests, baseUrl };
}

export const context = (session?: string): ReadContext => ({
  signal: AbortSignal.timeout(20_000),
  ...(session !== undefined && { session }),
});
