import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ExecutionResult } from 'graphql';
import type { ServiceError } from '../../src/domain/errors.js';
import type { Call } from '../../src/serve/call.js';
import type { Serve } from '../../src/serve/serve.js';
import { bearerChallenge } from '../http/failure.js';
import { answerPlan, sendOutcome } from '../http/outcome.js';
import type { Form } from '../http/plans.js';
import { refusedUnread } from '../http/request.js';
import type { GraphqlParams } from './params.js';
import { graphqlCall, negotiateMediaType, type Operation, toOperation } from './request.js';
import { renderedBody, toResult } from './result.js';

/** Outcomes as GraphQL over HTTP. */
export const FORM: Form = {
  headers: { 'Cache-Control': 'private, no-store', Vary: 'Accept' },
  write(outcome, { accept, baseUrl }) {
    const failure = outcome.result.kind === 'refusal' ? outcome.result.failure : undefined;
    const type = negotiateMediaType(accept, failure);
    const headers = {
      'Content-Type': `${type}; charset=utf-8`,
      'WWW-Authenticate': failure?.status === 401 ? bearerChallenge(failure, baseUrl) : undefined,
      // Only a GET is refused for its method.
      Allow: failure?.status === 405 ? 'POST' : undefined,
    };
    const body = renderedBody(outcome);
    if (body) return { status: 200, headers, body };
    const result = toResult(outcome, baseUrl);
    return { status: responseStatus(result, type), headers, body: (result.stringify ?? JSON.stringify)(shown(result)) };
  },
};

/** What differs between the servers: `run` if the server executes operations itself. */
type OwnParts = Pick<Call, 'run' | 'hasStreams'>;

const answerOperation = (
  serve: Serve,
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  own: OwnParts = {},
) => answerPlan({ call: { ...graphqlCall(request), ...operation, ...own }, serve, form: FORM }, request, reply);

/** Serves the params of a request. */
export const answerParams = (
  serve: Serve,
  params: GraphqlParams,
  request: FastifyRequest,
  reply: FastifyReply,
  own?: OwnParts,
): Promise<FastifyReply> => answerOperation(serve, toOperation(params, request), request, reply, own);

/**
 * Refuses a malformed request, such as a body that is not JSON, with Perch's message. Key and rate are checked first,
 * as for any request.
 */
export const refuse = (
  serve: Serve,
  request: FastifyRequest,
  reply: FastifyReply,
  failure: ServiceError,
): Promise<FastifyReply> =>
  answerOperation(
    serve,
    { document: { failure }, parse: () => ({ variables: {}, budget: null, estimate: false }) },
    request,
    reply,
  );

/** Refuses a caller before the request is read, if it must be refused. Returns whether it was. */
export async function refuseEarly(serve: Serve, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
  const refused = await refusedUnread(serve, request, graphqlCall(request));
  if (refused !== null) await sendOutcome(FORM, refused, request, reply);
  return refused !== null;
}

interface Http {
  readonly status: ServiceError['status'];
  readonly spec?: boolean;
}

const httpExtension = (extensions: Readonly<Record<string, unknown>>): Http | undefined =>
  extensions.http as Http | undefined;

/** The status of a refusal. With plain JSON, an invalid document gets 200, as the protocol says. */
function responseStatus({ errors = [] }: ExecutionResult, type: string): number {
  const refusals = errors.flatMap(({ extensions }) => httpExtension(extensions) ?? []);
  const said = refusals.filter(({ spec }) => !(spec && type === 'application/json'));
  return Math.max(200, ...said.map(({ status }) => status));
}

/** Leaves out the extension that only determines the status. */
export const shown = ({ errors, ...result }: ExecutionResult): object => ({
  ...(errors && {
    errors: errors.map((error) => ({ ...error.toJSON(), extensions: { ...error.extensions, http: undefined } })),
  }),
  ...result,
});
