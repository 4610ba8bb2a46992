import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { createYoga, type GraphQLParams, type Plugin } from 'graphql-yoga';
import type { Serve } from '../../src/serve/serve.js';
import { creditHeaders, limitHeaders, setHeaders } from '../http/headers.js';
import { callerOf } from '../http/request.js';
import { budgetOfParams, documentOf, dryRunOf } from './params.js';
import { resultOf } from './result.js';

interface Http {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export interface GraphqlOptions {
  readonly serve: Serve;
  readonly schema: GraphQLSchema;
}

/** Placed for what a persisted operation's request leaves out: Yoga asks for a text, and never gets to run it. */
const NO_TEXT = '{ __typename }';

/** Yoga speaks GraphQL over HTTP; every operation runs the one way, through `serve`. */
function oneWay(serve: Serve): Plugin<Http> {
  return {
    onParams({ params, context, setParams, setParamsHandler }) {
      const asked: GraphQLParams = params;
      if (typeof params.query !== 'string') setParams({ ...params, query: NO_TEXT });
      setParamsHandler(async () => {
        const { request, reply } = context as unknown as Http;
        const outcome = await serve({
          ...callerOf(request, reply),
          document: () => documentOf(asked),
          variables: () => asked.variables ?? {},
          budget: () => budgetOfParams(asked, request.headers['x-max-credits']),
          estimate: () => dryRunOf(asked),
          interface: 'graphql',
          mayBeKeyless: true,
          queriesOnly: request.method === 'GET',
        });
        setHeaders(reply, limitHeaders(outcome));
        if (outcome.result.kind === 'answer') setHeaders(reply, creditHeaders(outcome.result, outcome));
        return resultOf(outcome);
      });
    },
  };
}

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
      reply.header('Cache-Control', 'private, no-store');
      const response = await yoga.fetch(asFetchRequest(app, request), { request, reply });
      setHeaders(reply, Object.fromEntries(response.headers));
      return reply.code(response.status).send(Buffer.from(await response.arrayBuffer()));
    },
  });
}

const wantsPage = (request: FastifyRequest): boolean =>
  (request.headers.accept ?? '').includes('text/html') && !/[?&]query=/.test(request.url);

/** The body is read and bounded already: Yoga gets it as bytes. */
function asFetchRequest(app: FastifyInstance, request: FastifyRequest): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  const body = Buffer.isBuffer(request.body) && request.body.length > 0 ? { body: new Uint8Array(request.body) } : {};
  return new Request(new URL(request.url, app.baseUrl), { method: request.method, headers, ...body });
}
