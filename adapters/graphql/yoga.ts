import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { createYoga, type GraphQLParams, type Plugin } from 'graphql-yoga';
import { ServiceError } from '../../src/core/errors.js';
import type { Call } from '../../src/serve/call.js';
import type { Serve } from '../../src/serve/serve.js';
import { prefers } from '../http/accept.js';
import { setHeaders } from '../http/headers.js';
import { callerOf } from '../http/request.js';
import { outcomeHeaders } from './outcome-headers.js';
import { budgetOfParams, documentOf, dryRunOf } from './params.js';
import { refusalBody, resultOf } from './result.js';

interface Http {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Whether `serve` was asked; it is not where Yoga itself refuses the request. An object, for Yoga copies what it is given. */
  readonly asked: { yet: boolean };
}

export interface GraphqlOptions {
  readonly serve: Serve;
  readonly schema: GraphQLSchema;
}

/** Placed for what a persisted operation's request leaves out: Yoga asks for a text, and never gets to run it. */
const NO_TEXT = '{ __typename }';

/** What every call of this interface has in common. */
const callOf = ({ request, reply }: Http): Omit<Call, 'document' | 'variables' | 'budget' | 'estimate'> => ({
  ...callerOf(request, reply),
  interface: 'graphql',
  mayBeKeyless: true,
  queriesOnly: request.method === 'GET',
});

/** Yoga speaks GraphQL over HTTP; every operation runs the one way, through `serve`. */
function oneWay(serve: Serve): Plugin<Http> {
  return {
    onParams({ params, context, setParams, setParamsHandler }) {
      const http = context as unknown as Http;
      const asked: GraphQLParams = { ...params, ...documentIdOf(http.request) };
      if (typeof params.query !== 'string') setParams({ ...params, query: NO_TEXT });
      setParamsHandler(async () => {
        http.asked.yet = true;
        const outcome = await serve({
          ...callOf(http),
          document: () => documentOf(asked),
          variables: () => asked.variables ?? {},
          budget: () => budgetOfParams(asked, http.request.headers['x-max-credits']),
          estimate: () => dryRunOf(asked),
        });
        outcomeHeaders(http.request, http.reply, outcome);
        return resultOf(outcome);
      });
    },
  };
}

/** A persisted operation's name in the query of a GET, where Yoga does not look for it. */
const documentIdOf = ({ query }: FastifyRequest): object => {
  const { documentId } = query as Record<string, unknown>;
  return documentId === undefined ? {} : { documentId };
};

/** Mounts `/graphql`. A browser's GET for a page is not Yoga's: `page` answers it with GraphiQL. */
export function mountGraphql(
  app: FastifyInstance,
  options: GraphqlOptions,
  page: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>,
): void {
  const yoga = createYoga<Http>({
    schema: options.schema,
    graphqlEndpoint: '/graphql',
    landingPage: false,
    graphiql: false,
    batching: false,
    // A persisted operation's name; Yoga refuses members of a body that it does not know.
    extraParamNames: ['documentId'],
    maskedErrors: false,
    cors: false,
    logging: false,
    plugins: [oneWay(options.serve)],
  });
  app.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    handler: async (request, reply) => {
      if (request.method === 'GET' && wantsPage(request)) return page(request, reply);
      reply.header('Cache-Control', 'private, no-store').header('Vary', 'Accept');
      const http: Http = { request, reply, asked: { yet: false } };
      const type = mediaTypeOf(request);
      const response = await yoga.fetch(asFetchRequest(app, request, type), http);
      if (!http.asked.yet) return refused(options.serve, http, type, response);
      setHeaders(reply, Object.fromEntries(response.headers));
      return reply.code(response.status).send(Buffer.from(await response.arrayBuffer()));
    },
  });
}

const wantsPage = (request: FastifyRequest): boolean =>
  (request.headers.accept ?? '').includes('text/html') && !/[?&]query=/.test(request.url);

/** One of two, whatever is asked for, and never 406: what was paid for is delivered (H1, H3). */
function mediaTypeOf({ headers }: FastifyRequest): string {
  const type = 'application/graphql-response+json';
  return prefers(headers.accept, type) ? type : 'application/json';
}

/** The body is read and bounded already: Yoga gets it as bytes. */
function asFetchRequest(app: FastifyInstance, request: FastifyRequest, accept: string): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  headers.set('accept', accept);
  const body = Buffer.isBuffer(request.body) && request.body.length > 0 ? { body: new Uint8Array(request.body) } : {};
  return new Request(new URL(request.url, app.baseUrl), { method: request.method, headers, ...body });
}

/** A request that is none, a body that is no JSON, say: refused in our words, after key and rate like any other (S7, L4). */
async function refused(serve: Serve, http: Http, type: string, response: Response): Promise<FastifyReply> {
  const said = (await response.json().catch(() => null)) as { errors?: { message?: string }[] } | null;
  const message = said?.errors?.[0]?.message ?? 'Send the operation as JSON, with the content type application/json.';
  const failure = new ServiceError('bad_request', message, { status: response.status });
  const outcome = await serve({
    ...callOf(http),
    document: () => {
      throw failure;
    },
    variables: () => ({}),
    budget: () => null,
    estimate: () => false,
  });
  outcomeHeaders(http.request, http.reply, outcome);
  const refusal = outcome.result.kind === 'refusal' ? outcome.result.failure : failure;
  return http.reply
    .code(refusal.status)
    .type(`${type}; charset=utf-8`)
    .send(JSON.stringify(refusalBody(refusal, outcome.requestId)));
}
