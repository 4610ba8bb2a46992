import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMastodonNetwork } from '../../../adapters/networks/mastodon/network.js';
import { bodyText, type Misbehaviour, type StandIn } from '../contract/harness.js';
import { Load } from '../contract/load.js';
import { WORLD } from '../contract/world.js';
import { wordsOf } from './objects.js';
import { type Answer, answerTo } from './routes.js';

const TOKEN = 'a-user-token';

const ERRORS: Readonly<Record<number, string>> = {
  401: 'The access token is invalid',
  403: 'This action is outside the authorized scopes',
  404: 'Record not found',
  429: 'Too many requests',
  500: 'An unexpected error occurred',
  503: 'Service temporarily unavailable',
};

/** A Mastodon 4.5 server over the world. With a token, it also serves search and quotes. */
export async function openMastodon({ withToken }: { withToken: boolean }): Promise<StandIn> {
  const words = wordsOf(WORLD);
  const requests: string[] = [];
  let headers: IncomingMessage['headers'] = {};
  let wrong: Misbehaviour | null = null;

  const load = new Load();
  const answerRequest = (request: IncomingMessage, response: ServerResponse) => {
    requests.push(`${request.method} ${request.url}`);
    headers = request.headers;
    const url = new URL(request.url ?? '/', 'http://server.example');
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (wrong && failsAtOnce(wrong, request, response)) return;
    if (token !== undefined && token !== TOKEN) {
      send(response, 401, { error: ERRORS[401] });
      return;
    }
    const answer = answerTo(WORLD, words, { path: url.pathname, query: url.searchParams, hasToken: token === TOKEN });
    const { status, body, link } =
      'list' in answer ? cut(answer, url, wrong, requests.length) : { ...answer, link: undefined };
    respond(response, status, body, wrong, link);
  };
  const server = createServer(load.wrap(answerRequest));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const network = createMastodonNetwork({
    baseUrl: `http://127.0.0.1:${port}`,
    tokens: withToken ? [TOKEN] : [],
    userAgent: 'Perch/0.3.0 (operator@example.org)',
    clock: Date,
  });

  return {
    network,
    load,
    handle: words.acct,
    userId: words.accountId,
    tweetId: words.statusId,
    nobody: { handle: 'nobody_at_all@elsewhere.example', userId: '999999', tweetId: '115000000000000000' },
    misbehave(how) {
      wrong = how;
    },
    requests,
    lastHeaders: () => headers,
    cannot: withToken ? ['conversationId'] : ['conversationId', 'quotes', 'search'],
    async close() {
      await network.close?.();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function failsAtOnce(wrong: Misbehaviour, request: IncomingMessage, response: ServerResponse): boolean {
  switch (wrong.does) {
    case 'status':
      // The server states only in its rate headers when calls are available again.
      send(
        response,
        wrong.status,
        { error: ERRORS[wrong.status] ?? '' },
        rateHeaders(wrong.status === 429 ? 0 : 100, wrong.retryAfterSeconds ?? 300),
      );
      return true;
    case 'html':
      response.writeHead(wrong.status, { 'content-type': 'text/html' }).end('<html><body>Please wait…</body></html>');
      return true;
    case 'garbage':
      response.writeHead(200, { 'content-type': 'application/json' }).end(wrong.body);
      return true;
    case 'hang':
      return true;
    case 'reset':
      request.socket.resetAndDestroy();
      return true;
    default:
      return false;
  }
}

/** The requested page of a list, and the `Link` to the next. */
function cut(answer: Extract<Answer, { list: unknown }>, url: URL, wrong: Misbehaviour | null, turn: number) {
  const { list, most } = answer;
  const limit = Math.min(most, Number(url.searchParams.get('limit') ?? 20));
  const maxId = url.searchParams.get('max_id');
  const rest = maxId === null ? list : list.filter(({ position }) => position < BigInt(maxId));
  const size = wrong?.does === 'shortPages' ? [7, 0, 3][turn % 3] : limit;
  const page = rest.slice(0, size);
  const last = page.at(-1)?.position;
  let next = rest.length > page.length || page.length === limit ? last : undefined;
  // After an empty page with a next one, the cursor goes on between two positions.
  if (page.length === 0 && rest[0]) next = maxId === null ? rest[0].position + 2n : BigInt(maxId) - 1n;
  if (wrong?.does === 'overlap' && next !== undefined) next = page.at(-3)?.position ?? next;
  if (wrong?.does === 'repeatCursor' && maxId !== null) next = BigInt(maxId);
  const to = (query: string) => `<https://server.example${url.pathname}?limit=${limit}&${query}>`;
  const links = [
    ...(next === undefined ? [] : [`${to(`max_id=${next}`)}; rel="next"`]),
    ...(page[0] ? [`${to(`min_id=${page[0].position}`)}; rel="prev"`] : []),
  ];
  return { status: 200, body: page.map(({ item }) => item), link: links.join(', ') || undefined };
}

function respond(
  response: ServerResponse,
  status: number,
  body: unknown,
  wrong: Misbehaviour | null,
  link?: string,
): void {
  const more = { ...rateHeaders(299, 300), ...(link !== undefined && { link }) };
  if (wrong?.does === 'mistype') {
    send(response, status, spoilt(body, mistyped(wrong)), more);
    return;
  }
  if (wrong?.does === 'overflow') {
    const count = (key: string) => (key.endsWith('_count') ? 1e20 : undefined);
    send(response, status, spoilt(body, count), more);
    return;
  }
  if (wrong?.does !== 'truncate') {
    send(response, status, JSON.parse(bodyText(body, wrong)), more);
    return;
  }
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) + 10 });
  response.write(text.slice(0, text.length / 2), () => response.destroy());
}

const FIELDS = { id: 'id', createdAt: 'created_at', handle: 'acct' } as const;
const GONE = Symbol('gone');

const mistyped =
  ({ field, as }: Extract<Misbehaviour, { does: 'mistype' }>) =>
  (key: string): unknown => {
    if (key !== FIELDS[field]) return undefined;
    return as === 'missing' ? GONE : as === 'null' ? null : 1234;
  };

/** Replaces, at any depth, every value for which `wrongOf` has another one. */
function spoilt(value: unknown, wrongOf: (key: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => spoilt(each, wrongOf));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, wrongOf(key) ?? spoilt(inner, wrongOf)] as const);
  return Object.fromEntries(entries.filter(([, inner]) => inner !== GONE));
}

/** With microseconds, as the server writes them. */
const rateHeaders = (remaining: number, seconds: number): Record<string, string> => ({
  'x-ratelimit-limit': '300',
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': new Date(Date.now() + seconds * 1000).toISOString().replace('Z', '123Z'),
});

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  response.writeHead(status, { ...type, ...headers }).end(JSON.stringify(body));
}
