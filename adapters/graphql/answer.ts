import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ExecutionResult } from 'graphql';
import type { ServiceError } from '../../src/domain/errors.js';
import type { Outcome, Run } from '../../src/serve/call.js';
import type { Serve } from '../../src/serve/serve.js';
import { sendShared } from '../http/bodies/shared-body.js';
import type { AskedCall } from '../http/repeated-requests.js';
import { callerParts, refusedUnread } from '../http/request.js';
import type { GraphqlParams } from './params.js';
import { graphqlCall, negotiateMediaType, toAsked } from './request.js';
import { outcomeHeaders, renderedBody, toResult } from './result.js';

/** Serves the params of a request through either server's `run`, and answers in the form of GraphQL over HTTP. */
export async function answerParams(
  serve: Serve,
  params: GraphqlParams,
  request: FastifyRequest,
  reply: FastifyReply,
  run?: Run,
): Promise<FastifyReply> {
  const { served } = request.raw;
  const asked = { ...graphqlCall(request), ...toAsked(params, request) };
  const outcome = served?.outcome ?? (await serve({ ...callerParts(request, reply), ...asked, ...(run && { run }) }));
  return sendOutcome(outcome, request, reply, () => {
    if (!served) remember(serve, asked, request, reply);
  });
}

/** The outcome that refuses the caller of a request before it is read, or null: it may be. */
export const earlyRefusal = (serve: Serve, request: FastifyRequest): Promise<Outcome | null> =>
  refusedUnread(serve, request, graphqlCall(request));

export function sendOutcome(
  outcome: Outcome,
  request: FastifyRequest,
  reply: FastifyReply,
  onKept = (): void => {},
): FastifyReply {
  outcomeHeaders(request, reply, outcome);
  const type = negotiateMediaType(request, outcome.result.kind === 'refusal' ? outcome.result.failure : undefined);
  reply.type(`${type}; charset=utf-8`);
  const body = renderedBody(outcome);
  if (body) {
    onKept();
    return sendShared(request, reply, body);
  }
  const result = toResult(outcome);
  return reply.code(responseStatus(result, type)).send((result.stringify ?? JSON.stringify)(shown(result)));
}

/** The answer was kept: the next request like this one asks the same. */
function remember(serve: Serve, asked: AskedCall, request: FastifyRequest, reply: FastifyReply): void {
  const params = asked.parse();
  const headers = Object.fromEntries(
    ['Cache-Control', 'Vary', 'Content-Type'].map((name) => [name, String(reply.getHeader(name))]),
  );
  const body = Buffer.isBuffer(request.body) ? request.body.toString('latin1') : '';
  request.server.rememberRequest(request.raw, body, {
    call: { ...asked, parse: () => params },
    serve,
    headers,
    bodyOf: renderedBody,
  });
}

interface Http {
  readonly status: ServiceError['status'];
  readonly spec?: boolean;
}

const httpExtension = (extensions: Readonly<Record<string, unknown>>): Http | undefined =>
  extensions.http as Http | undefined;

/** The status of a refusal; with plain JSON, a wrong document is reported with 200, as the protocol says. */
function responseStatus({ errors = [] }: ExecutionResult, type: string): number {
  const refusals = errors.flatMap(({ extensions }) => httpExtension(extensions) ?? []);
  const said = refusals.filter(({ spec }) => !(spec && type === 'application/json'));
  return Math.max(200, ...said.map(({ status }) => status));
}

/** Leaves out what only decides the status. */
const shown = ({ errors, ...result }: ExecutionResult): object => ({
  ...(errors && {
    errors: errors.map((error) => ({ ...error.toJSON(), extensions: { ...error.extensions, http: undefined } })),
  }),
  ...result,
});
