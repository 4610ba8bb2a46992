import type { Server } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { badRequest, ServiceError } from '../../src/domain/errors.js';
import { type Lazy, lazily } from '../../src/lib/lazily.js';
import type { Call, Outcome } from '../../src/serve/call.js';
import type { Serve } from '../../src/serve/serve.js';
import type { Piece } from '../http/bodies/encodings.js';
import { sendPieces } from '../http/bodies/shared-body.js';
import { bearerChallenge, errorBody, failureHeaders, logFailure } from '../http/failure.js';
import { creditHeaders, limitHeaders, serverTiming, setHeaders } from '../http/headers.js';
import { decodeBody, refusedUnread } from '../http/request.js';
import { parsed } from './arguments.js';
import { type Http, handshake, httpRefusal } from './calls.js';
import { completed, type Exchanged, exchange, rpcMethod, STAND_IN } from './exchange.js';
import type { SendLater } from './result.js';

/** Values in a message, in all of its objects and lists together: a call with a hundred ids has about 110. */
const MOST_VALUES = 1000;

/** Nesting of objects and lists: the deepest message of the protocol has about six levels. */
const MOST_LEVELS = 32;

/**
 * Why a message is larger than any client needs, or null. It is checked several times on its way, with work for every
 * value: 64 KB of the smallest values take 45 ms.
 */
function tooMuchIn(message: unknown): ServiceError | null {
  let values = 0;
  let level = [message];
  for (let levels = 0; level.length > 0; levels += 1) {
    if (levels > MOST_LEVELS) return badRequest(`The message is nested more than ${MOST_LEVELS} levels deep.`);
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue;
      const inside = Object.values(value);
      values += inside.length;
      if (values > MOST_VALUES) return badRequest(`The message has more than ${MOST_VALUES} values.`);
      for (const each of inside) next.push(each);
    }
    level = next;
  }
  return null;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Whether a page of this origin may use `/mcp` (A22). Keys are sent in a header, never in a cookie, so any site with
 * TLS is as safe as another; one without could be an attacker in between, or a name that was made to resolve to this
 * server.
 */
function isAllowedOrigin(origin: string | undefined): boolean {
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname } = new URL(origin);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}

const wrongOrigin = (): ServiceError =>
  new ServiceError(
    'access_denied',
    'MCP requests from this origin are not allowed: use https, or a page on this machine.',
    {
      reason: 'origin',
    },
  );

/** What a client in a browser may read of an answer, besides its body. */
const EXPOSED = [
  'WWW-Authenticate',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'X-Request-Id',
  'X-Credits-Charged',
  'X-Credits-Remaining',
  'Server-Timing',
].join(', ');

/** Set on every answer: clients in browsers are admitted, from any site that passes the origin check. */
function openToBrowsers(reply: FastifyReply): void {
  setHeaders(reply, {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': EXPOSED,
    'Cache-Control': 'private, no-store',
  });
}

/** Answers the preflight request of a browser. */
function preflight(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  setHeaders(reply, {
    Allow: 'POST, OPTIONS',
    // GET and DELETE are answered, with 405: a client must be able to see that.
    'Access-Control-Allow-Methods': 'POST, GET, DELETE, OPTIONS',
    'Access-Control-Allow-Headers': '*, Authorization',
    'Access-Control-Max-Age': '86400',
  });
  return reply.code(204).send();
}

const URL_PATH = '/mcp';

/** Runs a tool's call: its outcome decides the HTTP answer. */
export type Run = (call: Call) => Promise<Outcome>;

/** Makes the server for one HTTP request. */
export type ServerFor = (http: Http, run: Run, sendLater: SendLater) => Server;

/**
 * Mounts `/mcp`: Streamable HTTP without sessions, one handler for all revisions, whatever is served over it. The
 * protocol's library is large: it is loaded, and `open` called, with the first message.
 */
export function mountTransport(app: FastifyInstance, serve: Serve, open: () => Promise<ServerFor>): void {
  const opened = lazily(open);
  const route = (
    method: string | string[],
    handler: (request: FastifyRequest, reply: FastifyReply) => unknown,
  ): void => {
    app.route({
      method,
      url: URL_PATH,
      config: { sharedBy: 'caller' },
      onRequest: async (request, reply) => {
        openToBrowsers(reply);
        if (!isAllowedOrigin(request.headers.origin)) throw wrongOrigin();
      },
      handler: async (request, reply) => handler(request, reply),
    });
  };
  route('POST', async (request, reply) => {
    return answer(serve, opened, { request, reply });
  });
  route('OPTIONS', preflight);
  route(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'], (request, reply) => {
    reply.header('Allow', 'POST, OPTIONS');
    throw new ServiceError(
      'bad_request',
      `${request.method} is not allowed for ${URL_PATH}, which has no sessions: use POST.`,
      {
        status: 405,
      },
    );
  });
}

/** Bytes of a message whose sender is refused unread: of a larger one, the refusal does not repeat the id. */
const MOST_READ_FOR_ID = 4096;

async function answer(serve: Serve, opened: Lazy<ServerFor>, http: Http): Promise<FastifyReply> {
  const refused = await refusedUnread(serve, http.request, { interface: 'mcp' });
  if (refused?.result.kind === 'refusal') {
    const isSmall = ((http.request.body as Buffer | undefined)?.length ?? 0) <= MOST_READ_FOR_ID;
    return refuse(
      http,
      { ...refused, operation: null },
      refused.result.failure,
      isSmall ? parseBody(http.request) : null,
    );
  }
  const serverFor = await opened.get();
  const body = parseBody(http.request);
  // An object, since TypeScript does not track assignments made in a callback.
  const called: { outcome: Outcome | null; members: readonly Piece[] | null } = { outcome: null, members: null };
  const run: Run = async (call) => {
    const outcome = await serve(call);
    called.outcome = outcome;
    return outcome;
  };
  const sendLater: SendLater = (members) => {
    called.members = members;
    return STAND_IN;
  };
  // A client that is not admitted is told so before any work is done for it. A tool's call is admitted, or not, when it
  // runs.
  const tooMuch = tooMuchIn(body);
  const handshakeOutcome =
    rpcMethod(body) === 'tools/call' && tooMuch === null ? null : await runHandshake(serve, http);
  if (handshakeOutcome?.result.kind === 'refusal')
    return refuse(http, handshakeOutcome, handshakeOutcome.result.failure, body);
  if (handshakeOutcome && tooMuch) return refuse(http, handshakeOutcome, tooMuch, body);
  const exchanged = await exchange(asFetchRequest(http.request), body, () => serverFor(http, run, sendLater));
  const outcome = called.outcome ?? handshakeOutcome ?? (await runHandshake(serve, http));
  const refusal = httpRefusal(outcome, called.outcome !== null);
  if (refusal) return refuse(http, outcome, refusal, body);
  noteOutcome(http, outcome);
  noteResult(http, outcome, called.outcome !== null);
  setHeaders(http.reply, responseHeaders(exchanged));
  http.reply.code(exchanged.status);
  if (called.members) return sendResult(http, outcome, completed(exchanged, called.members));
  // Never null, which Fastify would send as JSON.
  return http.reply.send(exchanged.bytes);
}

/** The outcome of a message that is not a tool's call: it runs no operation. */
const runHandshake = async (serve: Serve, http: Http): Promise<Outcome> => ({
  ...(await serve(handshake(http))),
  operation: null,
});

/** For the log, and the headers of all calls. */
function noteOutcome({ request, reply }: Http, outcome: Outcome): void {
  request.outcome = outcome;
  setHeaders(reply, { ...limitHeaders(outcome), 'Server-Timing': serverTiming(outcome, reply.elapsedTime) });
}

/** Sets the headers that go with a tool's result, the same as REST's. */
function noteResult({ request, reply }: Http, outcome: Outcome, wasTool: boolean): void {
  if (!wasTool) return;
  const { result } = outcome;
  if (result.kind === 'answer') {
    setHeaders(reply, creditHeaders(result, outcome));
    return;
  }
  logFailure(request, result.failure);
  setHeaders(reply, failureHeaders(result.failure));
}

/** A result that was made for this call alone is compressed for it alone. */
const sendResult = ({ request, reply }: Http, { result }: Outcome, pieces: readonly Piece[]): FastifyReply =>
  result.kind === 'answer' && result.rendered
    ? sendPieces(request, reply, pieces)
    : reply.send(Buffer.concat(pieces.map((piece) => (Buffer.isBuffer(piece) ? piece : piece.bytes))));

/** A message whose sender is refused: an HTTP status, and the failure inside a JSON-RPC error. */
function refuse({ request, reply }: Http, outcome: Outcome, failure: ServiceError, body: unknown): FastifyReply {
  noteOutcome({ request, reply }, outcome);
  logFailure(request, failure);
  if (failure.retryAfter !== undefined) reply.header('Retry-After', String(failure.retryAfter));
  if (failure.status === 401)
    reply.header('WWW-Authenticate', bearerChallenge(failure, request.server.baseUrl, URL_PATH));
  const id = (body as { id?: unknown } | null | undefined)?.id;
  return reply
    .code(failure.status)
    .type('application/json; charset=utf-8')
    .send(
      JSON.stringify({
        jsonrpc: '2.0',
        id: typeof id === 'string' || typeof id === 'number' ? id : null,
        error: { code: -32000, message: failure.message, data: errorBody(failure, request.id) },
      }),
    );
}

/** The parsed body; undefined where it is not JSON. */
function parseBody({ body }: FastifyRequest): unknown {
  try {
    return withArguments(JSON.parse(decodeBody(body)));
  } catch {
    return undefined;
  }
}

/** Some clients send the arguments of a tool as the text of an object (A38). */
function withArguments(body: unknown): unknown {
  const { params } = (body ?? {}) as { params?: { arguments?: unknown } | null };
  if (rpcMethod(body) !== 'tools/call' || typeof params?.arguments !== 'string') return body;
  return { ...(body as object), params: { ...params, arguments: parsed(params.arguments) } };
}

/**
 * The body is already read and bounded, so it is passed separately: nothing else may read it, and see another one. Answers
 * are JSON whatever a client says that it accepts (A37): the library would refuse one that does not name both media types.
 */
function asFetchRequest({ url, method, headers, server }: FastifyRequest): Request {
  const copied = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const one of [value ?? []].flat()) copied.append(name, one);
  }
  copied.set('accept', 'application/json, text/event-stream');
  return new Request(new URL(url, server.baseUrl), { method, headers: copied });
}

const responseHeaders = ({ headers }: Exchanged): Record<string, string> => {
  const { 'content-length': _, 'cache-control': __, ...rest } = Object.fromEntries(headers);
  return rest;
};
