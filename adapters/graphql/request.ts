import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { ServiceError } from '../../src/domain/errors.js';
import type { Live } from '../../src/live/live.js';
import type { Call } from '../../src/serve/call.js';
import type { Serve } from '../../src/serve/serve.js';
import { prefers } from '../http/accept.js';
import type { PlannedCall } from '../http/plans.js';
import { budgetOfParams, type GraphqlParams, parseDryRun, requestedDocument } from './params.js';
import { renderResult } from './result.js';

/** What a mount of GraphQL needs, whichever server runs it. */
export interface GraphqlOptions {
  readonly serve: Serve;
  /** Undefined if Perch is embedded in another app: no streams then. */
  readonly live?: Live;
  readonly schema: GraphQLSchema;
}

/** Answers a browser that opens the address. */
export type PageHandler = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>;

/** The operation and params that a request asks for. */
export type Operation = Pick<Call, 'document' | 'parse'>;

/** The parts common to all calls of this interface. */
export const graphqlCall = (request: FastifyRequest): Omit<PlannedCall, keyof Operation> => ({
  interface: 'graphql',
  mayBeKeyless: true,
  render: renderResult,
  queriesOnly: request.method === 'GET',
});

/** The part of a call that comes from the request. */
export const toOperation = (params: GraphqlParams, { headers }: FastifyRequest): Operation => ({
  document: requestedDocument(params),
  parse: () => ({
    variables: params.variables ?? {},
    budget: budgetOfParams(params, headers['x-max-credits']),
    estimate: parseDryRun(params),
  }),
});

/**
 * Adds a persisted operation's name from the query string, because the servers do not read it themselves. A name in the
 * body as well makes a list, which is refused.
 */
export function withDocumentId(params: GraphqlParams, { query }: FastifyRequest): GraphqlParams {
  const { documentId } = query as Record<string, unknown>;
  if (documentId === undefined) return params;
  return { ...params, documentId: params.documentId == null ? documentId : [params.documentId, documentId] };
}

/** Whether this is a browser's GET for a page, not for data. A query in its address is shown by the page. */
export const wantsPage = ({ method, headers }: FastifyRequest): boolean =>
  method === 'GET' && prefers(headers.accept, 'text/html');

/** Whether the client reads the answer as server-sent events. */
export const wantsStream = ({ headers }: FastifyRequest): boolean => prefers(headers.accept, 'text/event-stream');

/**
 * Whether this may be a subscription, the only operation that is answered as a stream: some clients accept streams with
 * every request. No persisted operation is one.
 */
export const mayBeSubscription = ({ query }: GraphqlParams): boolean =>
  typeof query === 'string' && /\bsubscription\b/.test(query);

/**
 * Always one of two types and never 406, because an answer that was paid for must be delivered (H3). A refusal that
 * says when to try again is plain JSON: clients treat the other type as the operation's result, and do not retry (G24).
 */
export function negotiateMediaType(accept: string | undefined, failure?: ServiceError): string {
  const type = 'application/graphql-response+json';
  return failure?.retryAfter === undefined && prefers(accept, type) ? type : 'application/json';
}

export const NOT_JSON = 'Send the operation as JSON, with the content type application/json.';
export const NO_JSON_IN_QUERY = 'variables and extensions must be JSON.';
