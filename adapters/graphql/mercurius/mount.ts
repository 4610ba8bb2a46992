import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import { asServiceError } from '../../../src/domain/errors.js';
import type { Run } from '../../../src/serve/call.js';
import { answerParams, refuse, refuseEarly } from '../answer.js';
import { answerEvents } from '../live.js';
import type { GraphqlParams } from '../params.js';
import { type GraphqlOptions, type PageHandler, wantsPage, wantsStream } from '../request.js';
import { readParams } from '../request-params.js';

export interface MercuriusOptions extends GraphqlOptions {
  /** Answers a browser that opens the address; without it, a browser gets the same answer as any other client. */
  readonly page?: PageHandler;
  /** `/graphql` by default. */
  readonly path?: string;
  /** Makes the ids of requests instead of the app: UUIDs, as the ledger requires. */
  readonly requestId?: () => string;
}

/** Bytes. */
const BODY_BYTES = 64 * 1024;

/**
 * Documents that Mercurius keeps, besides the engine's own. It keeps at most twice as many, each with 32 KiB of text
 * twice, its nodes and a function for 200 fields: 100 MiB if all are as large as possible.
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
 * throws where it isn't installed, and where `app` already has one (mount it in a scope of its own then).
 */
export async function mountMercurius(app: FastifyInstance, options: MercuriusOptions): Promise<void> {
  const mercurius = await load();
  const settings = {
    schema: options.schema,
    // Mercurius's own routes have no meter, no key and no rate limit.
    routes: false,
    // Compiled when it is seen a second time, as in the other mount.
    jit: 1,
    // A number of documents, whose sizes the engine has bounded; up to twice as many are kept.
    cache: DOCUMENTS_KEPT,
    // Missing from its types.
    compilerOptions: { useExperimentalPathBasedSkipInclude: true },
    // Its own formatter turns errors into text: here their causes decide the codes.
    errorFormatter: ({ data, errors }: ExecutionResult) => ({
      statusCode: 200,
      response: { data: data ?? null, ...(errors && { errors }) },
    }),
  };
  await app.register(mercurius, settings);
  const { graphql } = app as unknown as { graphql: Graphql };
  const large = new WeakSet<object>();
  // Mercurius compiles any document that it sees twice, unless a hook supplied it: so large documents are supplied once
  // more.
  graphql.addHook('preExecution', async (_schema, document, context) =>
    large.has(context) ? { document } : undefined,
  );
  const { path = '/graphql', requestId } = options;
  await app.register(async (scope) => {
    // Bodies are parsed here, whatever parsers the app has.
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
      // By @fastify/compress, where the app has it.
      decompress: false,
      handler: async (request, reply) => {
        if (options.page && wantsPage(request)) return options.page(request, reply);
        if (await refuseEarly(options.serve, request, reply)) return reply;
        return answer(options, runBy(graphql, large, reply), request, reply);
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
  if (live && wantsStream(request)) return answerEvents({ serve, live }, params, request, reply);
  return answerParams(serve, params, request, reply, run);
}

/** Hooks get the reply, and through it the request, as with Mercurius's own routes. */
const runBy =
  (graphql: Graphql, large: WeakSet<object>, reply: FastifyReply): Run =>
  ({ id, text, operationName, mayCompile }, given, variables) => {
    const context = { ...given, reply };
    if (!mayCompile) large.add(context);
    if (operationName === null) return graphql(text, context, variables);
    // It keeps one compiled operation per text, whichever operation was named: so each gets a different text.
    return graphql(`${text}\n#${id}`, context, variables, operationName);
  };
