import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../src/core/errors.js';
import type { Outcome } from '../../src/serve/call.js';
import type { Serve } from '../../src/serve/serve.js';
import { challengeOf, errorBody, logFailure } from '../http/failure.js';
import { creditHeaders, setHeaders } from '../http/headers.js';
import { noteOutcome } from '../http/outcome.js';
import { greeting, type Http, refusalOf, toolCall } from './calls.js';
import { type CatalogueOptions, catalogueOf } from './catalogue.js';
import { openToBrowsers, preflight } from './cors.js';
import { exchange } from './exchange.js';
import { isAllowedOrigin, wrongOrigin } from './origin.js';
import { resourcesOf } from './resources.js';
import { resultOf } from './result.js';
import { newServer, type Offer } from './server.js';

const URL_PATH = '/mcp';

export interface McpOptions extends CatalogueOptions {
  readonly serve: Serve;
}

/** Mounts `/mcp`: Streamable HTTP without sessions, all revisions from one handler (A20). */
export function mountMcp(app: FastifyInstance, { serve, ...options }: McpOptions): void {
  const catalogue = catalogueOf(options);
  const offer: Offer = {
    catalogue,
    resources: resourcesOf(options.schema, catalogue),
    validator: new AjvJsonSchemaValidator(),
  };
  const route = (
    method: string | string[],
    handler: (request: FastifyRequest, reply: FastifyReply) => unknown,
  ): void => {
    app.route({
      method,
      url: URL_PATH,
      onRequest: async (request, reply) => {
        openToBrowsers(reply);
        if (!isAllowedOrigin(request.headers.origin)) throw wrongOrigin();
      },
      handler: async (request, reply) => handler(request, reply),
    });
  };
  route('POST', (request, reply) => answer(serve, offer, { request, reply }));
  route('OPTIONS', preflight);
  route(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'], (request, reply) => {
    reply.header('Allow', 'POST, OPTIONS');
    throw new ServiceError('bad_request', `${request.method} is not for ${URL_PATH}: there are no sessions here.`, {
      status: 405,
    });
  });
}

async function answer(serve: Serve, offer: Offer, http: Http): Promise<FastifyReply> {
  const body = bodyOf(http.request);
  // An object, for TypeScript follows no assignment out of a callback.
  const called: { outcome: Outcome | null } = { outcome: null };
  const makeServer = () =>
    newServer(offer, async (tool, given) => {
      called.outcome = await serve(toolCall(http, offer.catalogue, tool, given));
      return resultOf(called.outcome);
    });
  const response = await exchange(asFetchRequest(http.request), body, makeServer);
  // A greeting is no operation of anybody's.
  const outcome = called.outcome ?? { ...(await serve(greeting(http))), operation: null };
  noteOutcome(http.request, http.reply, outcome);
  const refusal = refusalOf(outcome, called.outcome !== null);
  if (refusal) return refuse(http, refusal, body);
  noteResult(http, outcome, called.outcome !== null);
  setHeaders(http.reply, headersOf(response));
  return http.reply
    .code(response.status)
    .send(response.body === null ? null : Buffer.from(await response.arrayBuffer()));
}

/** What the headers of a tool's answer say beside its result, as those of REST do. */
function noteResult({ request, reply }: Http, outcome: Outcome, wasTool: boolean): void {
  if (!wasTool) return;
  const { result } = outcome;
  if (result.kind === 'answer') {
    setHeaders(reply, creditHeaders(result, outcome));
    return;
  }
  logFailure(request, result.failure);
  reply.header('X-Credits-Charged', '0');
  if (result.failure.retryAfter !== undefined) reply.header('Retry-After', String(result.failure.retryAfter));
}

/** A message that is refused before it is looked at: an HTTP status, and the failure inside an error of JSON-RPC. */
function refuse({ request, reply }: Http, failure: ServiceError, body: unknown): FastifyReply {
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

/** The parsed body; undefined where it is no JSON. */
function bodyOf({ body }: FastifyRequest): unknown {
  try {
    return Buffer.isBuffer(body) ? (JSON.parse(body.toString()) as unknown) : undefined;
  } catch {
    return undefined;
  }
}

/** The body is read and bounded already: it goes beside this. */
function asFetchRequest({ url, method, headers, body, server }: FastifyRequest): Request {
  const copied = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const one of [value ?? []].flat()) copied.append(name, one);
  }
  const bytes = Buffer.isBuffer(body) && body.length > 0 ? { body: new Uint8Array(body) } : {};
  return new Request(new URL(url, server.baseUrl), { method, headers: copied, ...bytes });
}

const headersOf = ({ headers }: Response): Record<string, string> => {
  const { 'content-length': _, 'cache-control': __, ...rest } = Object.fromEntries(headers);
  return rest;
};
