import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import { asServiceError } from '../../../src/domain/errors.js';
import type { Run } from '../../../src/serve/call.js';
import { answerParams, refuse, refuseEarly } from '../answer.js';
import { answerEvents } from '../live.js';
import type { GraphqlParams } from '../params.js';
import { type GraphqlOptions, mayBeSubscription, type PageHandler, wantsPage, wantsStream } from '../request.js';
import { readParams } from '../request-params.js';

export interface MercuriusOptions extends GraphqlOptions {
  /** Answers a browser that opens the address. Without it, a browser gets the same answer as any other client. */
  readonly page?: PageHandler;
  /** `/graphql` by default. */
  readonly path?: string;
  /** Creates request ids instead of the app: UUIDs, which the ledger requires. */
  readonly requestId?: () => string;
}

/** Longest body, bytes. */
const BODY_BYTES = 64 * 1024;

/**
 * Documents that Mercurius keeps, besides the engine's own. It keeps at most twice this number, each with its text
 * twice, its nodes and its compiled function: 100 MiB if all are as large as allowed (32 KiB of text, 200 fields).
 */
const DOCUMENTS_KEPT = 40;

/** The part of Mercurius that is used here. */
interface Graphql {
  (
    source: string,
    context: object,
    variables: Record<string, unknown>,
    operationName?: string,
  ): Promise<ExecutionResult>;
  addHook(
    name: 'preExecution',
    hook: (schema: GraphQLSchema, document: DocumentNode, context: object) => Promise<object | undefined>,
  ): void;
}

/**
 * Mounts GraphQL as a Fastify plugin run by Mercurius, with the same schema, loaders, meter and persisted operations as
 * the other mount. Afterwards `app.graphql` is Mercurius's own, so its hooks (`preExecution`, `onResolution`, …) can be
 * added; they see every operation that is executed, once it is admitted and priced. Mercurius is not a dependency:
 * throws if it is not installed, or if `app` already has one (mount Perch in its own scope then).
 */
export async function mountMercurius(app: FastifyInstance, options: MercuriusOptions): Promise<void> {
  const mercurius = await load();
  const settings = {
    schema: options.schema,
    // Not Mercurius's own routes, which have no meter, no keys and no rate limit.
    routes: false,
    // Compiles a document when it is seen a second time, as in the other mount.
    jit: 1,
    // The number of documents; the engine bounds their sizes.
    cache: DOCUMENTS_KEPT,
    // Keeps the errors, because their causes determine the codes; its own formatter turns them into text.
    errorFormatter: ({ data, errors }: ExecutionResult) => ({
      statusCode: 200,
      response: { data: data ?? null, ...(errors && { errors }) },
    }),
  };
  await app.register(mercurius, settings);
  const { graphql } = app as unknown as { graphql: Graphql };
  const interpreted = new WeakSet<object>();
  // Mercurius compiles every document that it sees twice, unless a hook supplies the document. So the hook supplies
  // those that must not be compiled.
  graphql.addHook('preExecution', async (_schema, document, context) =>
    interpreted.has(context) ? { document } : undefined,
  );
  const { path = '/graphql', requestId } = options;
  await app.register(async (scope) => {
    // Bodies are parsed here, so the app's parsers are removed in this scope.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    if (requestId) {
      scope.addHook('onRequest', async (request, reply) => {
        request.id = requestId();
        reply.header('X-Request-Id', request.id);
      });
    }
    scope.route({
      method: ['GET', 'POST'],
      url: path,
      config: { sharedBy: 'caller' },
      bodyLimit: BODY_BYTES,
      // Turns off decompression by @fastify/compress, if the app has it.
      decompress: false,
      handler: async (request, reply) => {
        if (options.page && wantsPage(request)) return options.page(request, reply);
        if (await refuseEarly(options.serve, request, reply)) return reply;
        return answer(options, runBy(graphql, interpreted, reply), request, reply);
      },
    });
  });
}

async function load() {
  try {
    return (await import('mercurius')).default;
  } catch (cause) {
    throw new Error('perchMercurius requires the package mercurius: npm i mercurius', { cause });
  }
}

async function answer({ serve, live }: MercuriusOptions, run: Run, request: FastifyRequest, reply: FastifyReply) {
  let params: GraphqlParams;
  try {
    params = readParams(request);
  } catch (error) {
    return refuse(serve, request, reply, asServiceError(error));
  }
  if (live && wantsStream(request) && mayBeSubscription(params))
    return answerEvents({ serve, live }, params, request, reply);
  return answerParams(serve, params, request, reply, { run, hasStreams: live !== undefined });
}

/** Hooks get the reply, and through it the request, as with Mercurius's own routes. */
const runBy =
  (graphql: Graphql, interpreted: WeakSet<object>, reply: FastifyReply): Run =>
  ({ id, text, operationName, mayCompile }, given, variables) => {
    const context = { ...given, reply };
    if (!mayCompile) interpreted.add(context);
    if (operationName === null) return graphql(text, context, variables);
    // Mercurius keeps one compiled operation per text, whichever operation was named, so each gets a different text.
    return graphql(`${text}\n#${id}`, context, variables, operationName);
  };
