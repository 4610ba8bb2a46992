import type { Server } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../src/domain/errors.js';
import { type Lazy, lazily } from '../../src/lib/lazily.js';
import type { Call, Outcome } from '../../src/serve/call.js';
import type { Serve } from '../../src/serve/serve.js';
import type { Piece } from '../http/bodies/encodings.js';
import { sendPieces } from '../http/bodies/shared-body.js';
import { challengeOf, errorBody, failureHeaders, logFailure } from '../http/failure.js';
import { creditHeaders, noteOutcome, setHeaders } from '../http/headers.js';
import { refusedUnread, textOf } from '../http/request.js';
import { parsed } from './arguments.js';
import { type Http, handshake, refusalOf } from './calls.js';
import { openToBrowsers, preflight } from './cors.js';
import { type Exchanged, exchange, methodOf } from './exchange.js';
import { tooMuchIn } from './message-size.js';
import { isAllowedOrigin, wrongOrigin } from './origin.js';
import type { SendLater } from './result.js';
import { completed, STAND_IN } from './stand-in.js';

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
    return refuse(http, { ...refused, operation: null }, refused.result.failure, isSmall ? bodyOf(http.request) : null);
  }
  const serverFor = await opened.get();
  const body = bodyOf(http.request);
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
  const handshakeOutcome = methodOf(body) === 'tools/call' && tooMuch === null ? null : await runHandshake(serve, http);
  if (handshakeOutcome?.result.kind === 'refusal')
    return refuse(http, handshakeOutcome, handshakeOutcome.result.failure, body);
  if (handshakeOutcome && tooMuch) return refuse(http, handshakeOutcome, tooMuch, body);
  const exchanged = await exchange(asFetchRequest(http.request), body, () => serverFor(http, run, sendLater));
  const outcome = called.outcome ?? handshakeOutcome ?? (await runHandshake(serve, http));
  const refusal = refusalOf(outcome, called.outcome !== null);
  if (refusal) return refuse(http, outcome, refusal, body);
  noteOutcome(http.request, http.reply, outcome);
  noteResult(http, outcome, called.outcome !== null);
  setHeaders(http.reply, headersOf(exchanged));
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

/** Sets the headers that go with a tool's result, the same as REST's. */
function noteResult({ request, reply }: Http, outcome: Outcome, wasTool: boolean): void {
  if (!wasTool) return;
  const { result } = outcome;
  if (result.kind === 'answer') {
    setHeaders(reply, creditHeaders(result, outcome));
    return;
  }
  logFailure(request, result.failure);
  failureHeaders(reply, result.failure);
}

/** A result that was made for this call alone is compressed for it alone. */
const sendResult = ({ request, reply }: Http, { result }: Outcome, pieces: readonly Piece[]): FastifyReply =>
  result.kind === 'answer' && result.rendered
    ? sendPieces(request, reply, pieces)
    : reply.send(Buffer.concat(pieces.map((piece) => (Buffer.isBuffer(piece) ? piece : piece.bytes))));

/** A message whose sender is refused: an HTTP status, and the failure inside a JSON-RPC error. */
function refuse({ request, reply }: Http, outcome: Outcome, failure: ServiceError, body: unknown): FastifyReply {
  noteOutcome(request, reply, outcome);
  logFailure(request, failure);
  if (failure.retryAfter !== undefined) reply.header('Retry-After', String(failure.retryAfter));
  if (failure.status === 401) reply.header('WWW-Authenticate', challengeOf(failure, request.server.baseUrl, URL_PATH));
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
function bodyOf({ body }: FastifyRequest): unknown {
  try {
    return withArguments(JSON.parse(textOf(body)));
  } catch {
    return undefined;
  }
}

/** Some clients send the arguments of a tool as the text of an object (A38). */
function withArguments(body: unknown): unknown {
  const { params } = (body ?? {}) as { params?: { arguments?: unknown } | null };
  if (methodOf(body) !== 'tools/call' || typeof params?.arguments !== 'string') return body;
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

const headersOf = ({ headers }: Exchanged): Record<string, string> => {
  const { 'content-length': _, 'cache-control': __, ...rest } = Object.fromEntries(headers);
  return rest;
};
