import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { Serve } from '../../src/serve/serve.js';
import { failureAnswer } from '../http/failure.js';
import { answerPlan } from '../http/outcome.js';
import type { Form, Plan } from '../http/plans.js';
import { queryString } from '../http/request.js';
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
      handler: (request, reply) => answerPlan(planOf(options.serve, row, endpoint, request), request, reply),
    });
  }
}

/** The call that a request asks for. Its parameters are read once the caller is admitted. */
const planOf = (serve: Serve, row: RouteRow, endpoint: Endpoint, request: FastifyRequest): Plan => ({
  call: {
    interface: 'rest',
    allOrNothing: true,
    render: renderEnvelope,
    document: { name: row.operation },
    parse: () => parseRequest(endpoint, toRawRequest(request)),
  },
  serve,
  form: ENVELOPE_FORM,
});

const JSON_TYPE = 'application/json; charset=utf-8';

/** Writes answers as envelopes, and failures in their common shape. */
export const ENVELOPE_FORM: Form = {
  headers: {},
  write(outcome, context) {
    const { result, requestId, warnings } = outcome;
    if (result.kind === 'refusal') return failureAnswer(result.failure, requestId, context);
    const body = result.estimate
      ? estimateEnvelope(result, requestId, warnings)
      : buildEnvelope(result, requestId, warnings);
    return { status: 200, headers: { 'Content-Type': JSON_TYPE }, body };
  },
};

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
