import { isUtf8 } from 'node:buffer';
import type { CallToolResult, Server } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { badRequest, ServiceError } from '../../src/domain/errors.js';
import { type Lazy, lazily } from '../../src/lib/lazily.js';
import { exactJson } from '../../src/lib/text.js';
import type { Outcome } from '../../src/serve/call.js';
import type { Serve } from '../../src/serve/serve.js';
import { joined } from '../http/bodies/encodings.js';
import { bearerChallenge, errorBody } from '../http/failure.js';
import { limitHeaders, serverTiming, setHeaders } from '../http/headers.js';
import { sendOutcome, sendPlanned } from '../http/outcome.js';
import type { Form, HttpAnswer, PlannedCall, ReadMessage } from '../http/plans.js';
import { callerParts, decodeBody, refusedUnread } from '../http/request.js';
import { parsed } from './arguments.js';
import { type Http, handshake, httpRefusal } from './calls.js';
import { type Exchanged, exchange, Frame, rpcMethod, STAND_IN } from './exchange.js';
import { resultMembers } from './result.js';

/** Values in a message, in all of its objects and lists together: a call with a hundred ids has about 110. */
const MOST_VALUES = 1000;

/** Nesting of objects and lists: the deepest message of the protocol has about six levels. */
const MOST_LEVELS = 32;

/**
 * The refusal of a message that is larger than any client needs, or null. The library checks a message several times,
 * with work for every value: 64 KB of the smallest values would take 45 ms.
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
 * Whether a page of this origin may use `/mcp` (A22). Keys are sent in a header, never in a cookie, so all sites with
 * TLS are equally safe. A site without TLS could be an attacker in between, or a name that was made to resolve to this
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

/** The headers of an answer that a client in a browser may read. */
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
const OPEN_TO_BROWSERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED,
  'Cache-Control': 'private, no-store',
};

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

/** Runs a tool's call, whose outcome decides the HTTP answer. Returns the stand-in for its result. */
export type Run = (call: PlannedCall) => Promise<CallToolResult>;

/** Makes the server for one HTTP request. */
export type ServerFor = (request: FastifyRequest, run: Run) => Server;

export interface TransportOptions {
  readonly serve: Serve;
  /** The operation of the tool with this name; null: it has none. */
  readonly operationOf: (tool: unknown) => string | null;
  /** The protocol's library is large, so it is loaded with the first message. */
  readonly open: () => Promise<ServerFor>;
}

interface Mounted extends Omit<TransportOptions, 'open'> {
  readonly opened: Lazy<ServerFor>;
  /** The latest frame of a tool's result in each era of the protocol, for refusals that are written without the library. */
  readonly frames: Map<'old' | 'new', { readonly frame: Frame; readonly exchanged: Exchanged }>;
}

/** Mounts `/mcp`: Streamable HTTP without sessions, with one handler for all revisions. */
export function mountTransport(app: FastifyInstance, { open, ...options }: TransportOptions): void {
  const mounted: Mounted = { ...options, opened: lazily(open), frames: new Map() };
  app.readMessages(URL_PATH, readToolCall);
  const route = (
    method: string | string[],
    handler: (request: FastifyRequest, reply: FastifyReply) => unknown,
    refusesMethods = false,
  ): void => {
    app.route({
      method,
      url: URL_PATH,
      config: { sharedBy: 'caller', refusesMethods },
      onRequest: async (request, reply) => {
        setHeaders(reply, OPEN_TO_BROWSERS);
        if (!isAllowedOrigin(request.headers.origin)) throw wrongOrigin();
      },
      handler: async (request, reply) => handler(request, reply),
    });
  };
  route('POST', async (request, reply) => {
    return answer(mounted, { request, reply });
  });
  route('OPTIONS', preflight);
  const refuse = ({ method }: FastifyRequest, reply: FastifyReply): never => {
    reply.header('Allow', 'POST, OPTIONS');
    const message = `${method} is not allowed for ${URL_PATH}, which has no sessions: use POST.`;
    throw new ServiceError('bad_request', message, { status: 405 });
  };
  route(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'], refuse, true);
}

/**
 * Bytes. A sender may be refused before the message is read; if the message is larger, the refusal does not repeat its
 * id.
 */
const MOST_READ_FOR_ID = 4096;

async function answer(mounted: Mounted, http: Http): Promise<FastifyReply> {
  const { serve, opened, frames } = mounted;
  const { request, reply } = http;
  const refused = await refusedUnread(serve, request, { interface: 'mcp' });
  if (refused?.result.kind === 'refusal') {
    const isSmall = ((request.body as Buffer | undefined)?.length ?? 0) <= MOST_READ_FOR_ID;
    const id = isSmall ? idOf(parseBody(request)) : 'null';
    return sendOutcome(refusalForm(id), { ...refused, operation: null }, request, reply);
  }
  const serverFor = await opened.get();
  const body = parseBody(request);
  const id = idOf(body);
  // A client that is not admitted is refused before any work is done for it.
  const tooMuch = tooMuchIn(body);
  const isCall = rpcMethod(body) === 'tools/call' && tooMuch === null && id !== 'null';
  const tooFast = isCall ? await refusedCall(mounted, request, body) : null;
  const known = tooFast && frames.get(eraOf(body));
  if (tooFast && known) return sendOutcome(toolForm(known.frame, id, known.exchanged), tooFast, request, reply);
  const handshakeOutcome = isCall ? null : await runHandshake(serve, http);
  if (handshakeOutcome?.result.kind === 'refusal')
    return sendOutcome(refusalForm(id), handshakeOutcome, request, reply);
  if (handshakeOutcome && tooMuch) {
    const result = { kind: 'refusal', failure: tooMuch } as const;
    return sendOutcome(refusalForm(id), { ...handshakeOutcome, result }, request, reply);
  }
  // An object, since TypeScript does not track assignments made in a callback.
  const called: { by: { call: PlannedCall; outcome: Outcome } | null } = { by: null };
  const run: Run = async (call) => {
    called.by = { call, outcome: tooFast ?? (await serve({ ...callerParts(request, reply), ...call })) };
    return STAND_IN;
  };
  const exchanged = await exchange(asFetchRequest(request), body, () => serverFor(request, run));
  if (called.by) {
    const { call, outcome } = called.by;
    const frame = new Frame(exchanged, id);
    const form = toolForm(frame, id, exchanged);
    if (frame.fitsAnyId) frames.set(eraOf(body), { frame, exchanged });
    return frame.fitsAnyId
      ? sendPlanned({ call, serve, form }, outcome, request, reply)
      : sendOutcome(form, outcome, request, reply);
  }
  const outcome = handshakeOutcome ?? tooFast ?? (await runHandshake(serve, http));
  if (outcome.result.kind === 'refusal') return sendOutcome(refusalForm(id), outcome, request, reply);
  request.outcome = outcome;
  setHeaders(reply, { ...limitHeaders(outcome), 'Server-Timing': serverTiming(outcome, reply.elapsedTime) });
  setHeaders(reply, responseHeaders(exchanged));
  // Never null, which Fastify would send as JSON.
  return reply.code(exchanged.status).send(exchanged.bytes);
}

/** Takes a tool's call from the rate of its account. Returns the outcome that refuses it, or null. */
async function refusedCall({ serve, operationOf }: Mounted, request: FastifyRequest, body: unknown) {
  const refused = await refusedUnread(serve, request, { interface: 'mcp', takesRate: true });
  const { params } = body as { params?: { name?: unknown } | null };
  return refused && { ...refused, operation: operationOf(params?.name) };
}

/** Since 2026-07-28 each message names its revision. */
function eraOf(body: unknown): 'old' | 'new' {
  const { params } = body as { params?: { _meta?: Record<string, unknown> | null } | null };
  return params?._meta?.['io.modelcontextprotocol/protocolVersion'] === undefined ? 'old' : 'new';
}

/** The outcome of a message that runs no operation. */
const runHandshake = async (serve: Serve, http: Http): Promise<Outcome> => ({
  ...(await serve(handshake(http))),
  operation: null,
});

/** Writes the outcome of a tool's call, for this message or for one that asks the same under another id. */
function toolForm(frame: Frame, ownId: string, exchanged: Exchanged): Form {
  const { status } = exchanged;
  const headers = responseHeaders(exchanged);
  return {
    headers: OPEN_TO_BROWSERS,
    write(outcome, { messageId: id = ownId, baseUrl }) {
      const refusal = httpRefusal(outcome, true);
      if (refusal) return refusedMessage(refusal, outcome.requestId, id, baseUrl);
      const pieces = frame.around(resultMembers(outcome, baseUrl), id);
      const isKept = outcome.result.kind === 'answer' && outcome.result.rendered !== undefined;
      return { status, headers, body: isKept ? pieces : String(joined(pieces)) };
    },
  };
}

const refusalForm = (id: string): Form => ({
  headers: OPEN_TO_BROWSERS,
  write({ result, requestId }, { baseUrl }) {
    if (result.kind !== 'refusal') throw new TypeError('This form has no answers.');
    return refusedMessage(result.failure, requestId, id, baseUrl);
  },
});

/** The answer to a message whose sender is refused: an HTTP status, and the failure inside a JSON-RPC error. */
const refusedMessage = (failure: ServiceError, requestId: string, id: string, baseUrl: string): HttpAnswer => ({
  status: failure.status,
  headers: {
    'WWW-Authenticate': failure.status === 401 ? bearerChallenge(failure, baseUrl, URL_PATH) : undefined,
    'Content-Type': 'application/json; charset=utf-8',
  },
  body: `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code: -32000, message: failure.message, data: errorBody(failure, requestId, baseUrl) })}}`,
});

/** The id of a message, in JSON; `null` where the message has no id that an answer may repeat. */
function idOf(body: unknown): string {
  const id = (body as { id?: unknown } | null | undefined)?.id;
  return typeof id === 'string' || typeof id === 'number' ? JSON.stringify(id) : 'null';
}

/** Headers that affect how the protocol reads a message, besides those in the key of every request. */
const READ_HEADERS = ['origin', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

/** Ids that JSON writes exactly as they came. */
const PLAIN_ID = /^[ -~]{0,64}$/;

/** Whether a member of `_meta` belongs to the protocol; a client's own notes do not change what a message asks. */
const isOfProtocol = (name: string): boolean => name.startsWith('io.modelcontextprotocol/');

/** What a tool's call asks, apart from its id and the client's notes. */
const readToolCall: ReadMessage = (headers, text) => {
  const message = parsed(text);
  if (rpcMethod(message) !== 'tools/call') return undefined;
  // The notes are not in the key, but a message is refused for them as well.
  if (tooMuchIn(withArguments(message)) !== null || !isUtf8(Buffer.from(text, 'latin1'))) return undefined;
  const { id, params, ...others } = message as { id?: unknown; params?: unknown };
  if (!(Number.isSafeInteger(id) || (typeof id === 'string' && PLAIN_ID.test(id)))) return undefined;
  if (typeof params !== 'object' || params === null) return undefined;
  const { _meta: meta, ...callParams } = params as { _meta?: unknown };
  if (meta !== undefined && (typeof meta !== 'object' || meta === null || Array.isArray(meta))) return undefined;
  const { progressToken = 0 } = (meta ?? {}) as { progressToken?: unknown };
  // The library refuses any other.
  if (!Number.isSafeInteger(progressToken) && typeof progressToken !== 'string') return undefined;
  const read = Object.entries(meta ?? {}).filter(([name]) => isOfProtocol(name));
  const asked = exactJson([others, callParams, read]);
  if (asked === undefined) return undefined;
  return { key: asked + JSON.stringify(READ_HEADERS.map((name) => headers[name])), id: JSON.stringify(id) };
};

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
 * The request without its body, which is already read and bounded, and is passed separately so that it is not parsed
 * again. Answers are JSON whatever the client accepts (A37), but the library refuses a request that does not name both
 * media types.
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
