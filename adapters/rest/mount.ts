import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { asServiceError } from '../../src/domain/errors.js';
import type { Outcome } from '../../src/serve/call.js';
import type { Serve } from '../../src/serve/serve.js';
import { bodyText, type SharedBody, sendShared } from '../http/bodies/shared-body.js';
import { sendFailure } from '../http/failure.js';
import { creditHeaders, noteOutcome, setHeaders } from '../http/headers.js';
import type { AskedCall } from '../http/repeated-requests.js';
import { callerParts, queryString } from '../http/request.js';
import { buildEnvelope, estimateEnvelope, renderEnvelope } from './envelope.js';
import { deriveEndpoint, type Endpoint } from './parameters.js';
import { parseRequest, type RawRequest } from './request.js';
import { ROUTES, type RouteRow } from './routes.js';

export interface RestOptions {
  readonly serve: Serve;
  readonly schema: GraphQLSchema;
  readonly operations: Readonly<Record<string, string>>;
}

/** Mounts every row of the route table: a path becomes a call of its operation, an outcome becomes the envelope. */
export function mountRest(app: FastifyInstance, options: RestOptions): void {
  for (const row of ROUTES) {
    const text = options.operations[row.operation];
    if (text === undefined) throw new TypeError(`${row.path} names ${row.operation}, which is not an operation.`);
    const endpoint = deriveEndpoint(options.schema, text);
    app.route({
      method: row.method,
      url: row.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { sharedBy: 'caller' },
      handler: (request, reply) => answer(options.serve, row, endpoint, request, reply),
    });
  }
}

async function answer(
  serve: Serve,
  row: RouteRow,
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { served } = request.raw;
  if (served) return send(served.outcome, request, reply);
  const raw = toRawRequest(request);
  const call = restCall(row, () => parseRequest(endpoint, raw));
  const outcome = await serve({ ...callerParts(request, reply), ...call });
  if (isShared(outcome) && request.method === 'GET') {
    const params = call.parse();
    const asked = {
      call: restCall(row, () => params),
      serve,
      headers: { 'Content-Type': JSON_TYPE },
      bodyOf: sharedBody,
    };
    request.server.rememberRequest(request.raw, '', asked);
  }
  return send(outcome, request, reply);
}

const restCall = ({ operation }: RouteRow, parse: AskedCall['parse']): AskedCall => ({
  interface: 'rest',
  allOrNothing: true,
  render: renderEnvelope,
  document: { name: operation },
  parse,
});

const JSON_TYPE = 'application/json; charset=utf-8';

const isShared = ({ result }: Outcome): boolean => result.kind === 'answer' && result.rendered !== undefined;

/** The envelope of an answer that others share. */
const sharedBody = ({ result, requestId, warnings }: Outcome): SharedBody | undefined =>
  result.kind === 'answer' && result.rendered ? buildEnvelope(result, requestId, warnings) : undefined;

function send(outcome: Outcome, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  noteOutcome(request, reply, outcome);
  const { result, requestId, warnings } = outcome;
  if (result.kind === 'refusal') return sendFailure(request, reply, result.failure);
  try {
    const body = result.estimate ? null : buildEnvelope(result, requestId, warnings);
    setHeaders(reply, creditHeaders(result, outcome));
    reply.type(JSON_TYPE);
    if (body === null) return reply.send(estimateEnvelope(result, requestId, warnings));
    // A body made for this call alone is compressed for it alone.
    return result.rendered ? sendShared(request, reply, body) : reply.send(bodyText(body));
  } catch (error) {
    return sendFailure(request, reply, asServiceError(error));
  }
}

function toRawRequest(request: FastifyRequest): RawRequest {
  const header = request.headers['x-max-credits'];
  return {
    method: request.method,
    path: request.params as Record<string, string>,
    query: queryString(request),
    body: Buffer.isBuffer(request.body) ? request.body : null,
    contentType: request.headers['content-type'],
    headers: request.headers,
    maxCreditsHeader: Array.isArray(header) ? header[0] : header,
  };
}
