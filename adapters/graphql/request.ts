import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { ServiceError } from '../../src/core/errors.js';
import type { Call } from '../../src/serve/call.js';
import type { Serve } from '../../src/serve/serve.js';
import { prefers } from '../http/accept.js';
import { callerOf } from '../http/request.js';
import { outcomeHeaders } from './outcome-headers.js';
import { budgetOfParams, documentOf, dryRunOf, type Params } from './params.js';
import { refusalBody, renderResult } from './result.js';

/** What a mount of GraphQL, whichever server runs it, is mounted on. */
export interface GraphqlOptions {
  readonly serve: Serve;
  readonly schema: GraphQLSchema;
}

/** Answers a browser that opens the address. */
export type Page = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>;

type Asked = Pick<Call, 'document' | 'parse'>;

/** What every call of this interface has in common. */
export const callOf = (request: FastifyRequest, reply: FastifyReply): Omit<Call, keyof Asked> => ({
  ...callerOf(request, reply),
  interface: 'graphql',
  mayBeKeyless: true,
  render: renderResult,
  queriesOnly: request.method === 'GET',
});

/** What was asked for. */
export const askedOf = (params: Params, { headers }: FastifyRequest): Asked => ({
  document: documentOf(params),
  parse: () => ({
    variables: params.variables ?? {},
    budget: budgetOfParams(params, headers['x-max-credits']),
    estimate: dryRunOf(params),
  }),
});

/** A persisted operation's name in the query of a GET, where no server looks for it by itself. */
export const documentIdOf = ({ query }: FastifyRequest): object => {
  const { documentId } = query as Record<string, unknown>;
  return documentId === undefined ? {} : { documentId };
};

/** A browser's GET for a page, not for data. */
export const wantsPage = ({ method, headers, url }: FastifyRequest): boolean =>
  method === 'GET' && (headers.accept ?? '').includes('text/html') && !/[?&]query=/.test(url);

/** One of two, whatever is asked for, and never 406: what was paid for is delivered (H1, H3). */
export function mediaTypeOf({ headers }: FastifyRequest): string {
  const type = 'application/graphql-response+json';
  return prefers(headers.accept, type) ? type : 'application/json';
}

/** On every answer that is no page. */
export const commonHeaders = (reply: FastifyReply): FastifyReply =>
  reply.header('Cache-Control', 'private, no-store').header('Vary', 'Accept');

export const NOT_JSON = 'Send the operation as JSON, with the content type application/json.';
export const NO_JSON_IN_QUERY = 'variables and extensions must be JSON.';

/** A request that is none, a body that is no JSON, say: refused in our words, after key and rate like any other (S7, L4). */
export async function refuse(
  serve: Serve,
  request: FastifyRequest,
  reply: FastifyReply,
  failure: ServiceError,
): Promise<FastifyReply> {
  const outcome = await serve({
    ...callOf(request, reply),
    document: { failure },
    parse: () => ({ variables: {}, budget: null, estimate: false }),
  });
  outcomeHeaders(request, reply, outcome);
  const refusal = outcome.result.kind === 'refusal' ? outcome.result.failure : failure;
  return reply
    .code(refusal.status)
    .type(`${mediaTypeOf(request)}; charset=utf-8`)
    .send(JSON.stringify(refusalBody(refusal, outcome.requestId)));
}
