import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseRecordId, recordId, uriOfRecord, userDid, userId } from '../../../adapters/networks/bluesky/ids.js';
import { type BlueskyOptions, createBlueskyNetwork } from '../../../adapters/networks/bluesky/network.js';
import { bodyText, type Misbehaviour, type StandIn } from '../contract/harness.js';
import { Load } from '../contract/load.js';
import { postOf, WORLD } from '../contract/world.js';
import { type Answer, type Cut, METHODS } from './methods.js';
import { didOf, handleOf, tidOf, uriOf } from './objects.js';

const PAGE_OF_A_DOOR = '<!doctype html><title>Attention Required!</title><p>nginx';

/** What a test can do to the account's server. */
export interface Desk {
  /** How often clients have signed in, and renewed a session. */
  signIns: number;
  renewals: number;
  password: string;
  /** Expired tokens. */
  readonly expired: Set<string>;
  /** Tokens that are refused without a reason. */
  readonly refused: Set<string>;
  /** What the next refusals of those wait for, one each. */
  beforeRefusal: Promise<void>[];
  /** Whether the newer search is on. */
  hasV2: boolean;
}

export interface BlueskyStandIn extends StandIn {
  readonly desk: Desk;
  readonly baseUrl: string;
  /** A network on this stand-in, with other options. */
  open(options: Partial<BlueskyOptions>): ReturnType<typeof createBlueskyNetwork>;
}

export const ACCOUNT = { identifier: 'reader.test', appPassword: 'abcd-efgh-ijkl-mnop' };
export const USER_AGENT = 'Perch/0.3.0 (+https://perch.example; mail@perch.example)';

/** The AppView and the account's server in one, over the world. Clients without an account get no searches. */
export async function openStandIn(): Promise<BlueskyStandIn> {
  let how: Misbehaviour | null = null;
  const requests: string[] = [];
  let headers: IncomingMessage['headers'] = {};
  const desk: Desk = {
    signIns: 0,
    renewals: 0,
    password: ACCOUNT.appPassword,
    expired: new Set(),
    refused: new Set(),
    beforeRefusal: [],
    hasV2: false,
  };

  const load = new Load();
  const answerRequest = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '/' } = request;
    requests.push(`${method} ${url}`);
    headers = request.headers;
    let sent = '';
    for await (const chunk of request) sent += chunk;
    if (how !== null && misbehaves(how, request, response)) return;
    const { pathname, searchParams: query } = new URL(url, 'http://localhost');
    const name = pathname.replace('/xrpc/', '');
    if (desk.refused.has(bearerOf(request))) {
      await desk.beforeRefusal.shift();
      return send(response, 401, { error: 'AuthMissing', message: 'Authentication Required' });
    }
    const atDesk = answerAtDesk(desk, name, request, sent) ?? refuseSearch(desk, name, request);
    if (atDesk) return send(response, atDesk.status, atDesk.body);
    const answer = METHODS[name]?.({ query, cut: cutOf(how) });
    if (answer === undefined) {
      return send(response, 501, { error: 'MethodNotImplemented', message: 'Method Not Implemented' });
    }
    give(response, answer, how);
  };
  const server = createServer(load.wrap(answerRequest));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const open: BlueskyStandIn['open'] = (options) =>
    createBlueskyNetwork({
      baseUrl,
      serviceUrl: baseUrl,
      directoryUrl: baseUrl,
      userAgent: USER_AGENT,
      clock: { now: () => Date.now() },
      ...options,
    });
  const network = open(ACCOUNT);
  return {
    network,
    load,
    desk,
    baseUrl,
    open,
    handle: handleOf,
    userId: (name) => userId(didOf(name)),
    tweetId: (key) => recordId(uriOf(postOf(WORLD, key))),
    upstreamId: upstreamIdOf,
    nobody: {
      handle: 'nobody.test',
      userId: userId(didOf('nobody')),
      tweetId: recordId(`at://${didOf('nobody')}/app.bsky.feed.post/${tidOf('2026-10-01T00:00:00.000Z')}`),
    },
    misbehave(next) {
      how = next;
    },
    requests,
    lastHeaders: () => headers,
    cannot: [],
    async close() {
      await network.close?.();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function upstreamIdOf(id: string): string {
  const record = parseRecordId(id);
  return record ? uriOfRecord(record) : (userDid(id) ?? id);
}

const bearerOf = ({ headers }: IncomingMessage): string => headers.authorization?.replace('Bearer ', '') ?? '';

function answerAtDesk(desk: Desk, name: string, request: IncomingMessage, sent: string) {
  const tokens = (n: number) => ({
    did: didOf('reader'),
    handle: 'reader.test',
    accessJwt: `a${n}`,
    refreshJwt: `r${n}`,
  });
  if (name === 'com.atproto.server.createSession') {
    desk.signIns += 1;
    const { identifier, password } = JSON.parse(sent);
    if (identifier === ACCOUNT.identifier && password === desk.password)
      return { status: 200, body: tokens(desk.signIns * 100) };
    const error = { error: 'AuthenticationRequired', message: 'Invalid identifier or password' };
    return { status: 401, body: error };
  }
  if (name !== 'com.atproto.server.refreshSession') return undefined;
  if (sent !== '') {
    return {
      status: 400,
      body: { error: 'InvalidRequest', message: 'A request body was provided when none was expected' },
    };
  }
  desk.renewals += 1;
  const bearer = bearerOf(request);
  if (!bearer.startsWith('r') || desk.expired.has(bearer)) {
    return { status: 400, body: { error: 'ExpiredToken', message: 'Token has been revoked' } };
  }
  return { status: 200, body: tokens(Number(bearer.slice(1)) + 1) };
}

function refuseSearch(desk: Desk, name: string, request: IncomingMessage) {
  if (!/\.searchPosts(V2)?$/.test(name)) return undefined;
  const bearer = bearerOf(request);
  if (bearer === '') return { status: 403, body: PAGE_OF_A_DOOR };
  if (desk.expired.has(bearer)) return { status: 400, body: { error: 'ExpiredToken', message: 'Token has expired' } };
  if (name.endsWith('V2') && !desk.hasV2) {
    return { status: 400, body: { error: 'InvalidRequest', message: 'Search v2 is not enabled' } };
  }
  return undefined;
}

const SHORT = 9;

/** Cursors hold positions. Between two short pages there is an empty one. */
const cutOf =
  (how: Misbehaviour | null): Cut =>
  (items, limit, cursor) => {
    const start = Number(cursor?.replace(/^\D+/, '') ?? 0);
    if (cursor?.startsWith('gap-')) return { items: [], cursor: `at-${start}` };
    if (how?.does === 'repeatCursor') return { items: items.slice(0, limit), cursor: 'at-0' };
    const end = start + (how?.does === 'shortPages' ? SHORT : limit);
    const from = how?.does === 'overlap' ? Math.max(0, start - 3) : start;
    const next = `${how?.does === 'shortPages' ? 'gap' : 'at'}-${end}`;
    return { items: items.slice(from, end), ...(end < items.length && { cursor: next }) };
  };

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  const isText = typeof body === 'string';
  response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json; charset=utf-8', ...headers });
  response.end(isText ? body : JSON.stringify(body));
}

function give(response: ServerResponse, answer: Answer, how: Misbehaviour | null): void {
  if ('error' in answer) send(response, 400, answer);
  else if (how?.does === 'mistype') send(response, 200, mistyped(answer.body, how));
  else if (how?.does === 'overflow') send(response, 200, overflowing(answer.body));
  else if (how?.does === 'truncate') truncated(response, JSON.stringify(answer.body));
  else send(response, 200, JSON.parse(bodyText(answer.body, how)));
}

function truncated(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length + 100 });
  response.write(text.slice(0, text.length / 2));
  setTimeout(() => response.destroy(), 20);
}

const ERRORS: Readonly<Record<number, string>> = {
  401: 'AuthenticationRequired',
  403: 'Forbidden',
  404: 'XRPCNotSupported',
  429: 'RateLimitExceeded',
  500: 'InternalServerError',
  502: 'UpstreamFailure',
  503: 'UpstreamUnavailable',
};

/** True if the answer is complete with this. */
function misbehaves(how: Misbehaviour, request: IncomingMessage, response: ServerResponse): boolean {
  switch (how.does) {
    case 'status': {
      const { status, retryAfterSeconds } = how;
      const reset = String(Math.floor(Date.now() / 1000) + (retryAfterSeconds ?? 60));
      const rate: Record<string, string> =
        status === 429
          ? {
              'ratelimit-limit': '3000',
              'ratelimit-remaining': '0',
              'ratelimit-reset': reset,
              'ratelimit-policy': '3000;w=300',
            }
          : {};
      send(response, status, { error: ERRORS[status], message: 'No' }, rate);
      return true;
    }
    case 'html':
      send(response, how.status, PAGE_OF_A_DOOR);
      return true;
    case 'garbage':
      response.writeHead(200, { 'content-type': 'application/json' }).end(how.body);
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

const NAMES = { id: ['did', 'uri'], createdAt: ['createdAt'], handle: ['handle'] } as const;

/** Every object without its identifying field, or with another value there. */
function mistyped(body: unknown, { field, as }: Extract<Misbehaviour, { does: 'mistype' }>): unknown {
  const names: readonly string[] = NAMES[field];
  return rewritten(body, (name, value) => {
    if (!names.includes(name)) return value;
    return as === 'missing' ? undefined : as === 'null' ? null : 5;
  });
}

const overflowing = (body: unknown): unknown =>
  rewritten(body, (name, value) => (name.endsWith('Count') ? 2 ** 60 : value));

const rewritten = (body: unknown, change: (name: string, value: unknown) => unknown): unknown =>
  JSON.parse(JSON.stringify(body, (name, value) => change(name, value)));
