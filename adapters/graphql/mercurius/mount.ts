import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import { asServiceError } from '../../../src/core/errors.js';
import type { Run } from '../../../src/serve/call.js';
import type { Serve } from '../../../src/serve/serve.js';
import { answerParams } from '../answer.js';
import type { Params } from '../params.js';
import { commonHeaders, type GraphqlOptions, type Page, refuse, wantsPage } from '../request.js';
import { paramsOf } from '../request-params.js';

export interface MercuriusOptions extends GraphqlOptions {
  /** Answers a browser that opens the address; without it, a browser is answered as any other client. */
  readonly page?: Page;
  /** `/graphql` unless told. */
  readonly path?: string;
  /** Names requests instead of the app: by UUIDs, which a ledger keeps. */
  readonly requestId?: () => string;
}

/** Bytes (P13). */
const BODY_BYTES = 64 * 1024;

/**
 * Documents that Mercurius keeps, beside the engine's own. Twice as many at most, each with 32 KiB of text twice, its nodes and a
 * function for 200 fields: 100 MiB if all are the largest there can be.
 */
const DOCUMENTS_KEPT = 40;

/** What of Mercurius is used here. */
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
 * Mounts GraphQL as a Fastify plugin run by Mercurius: the schema, loaders, meter and persisted operations of the other mount.
 * `app.graphql` is Mercurius's own afterwards, so its hooks (`preExecution`, `onResolution`, …) can be added; they see every
 * operation that is executed, once it was admitted and priced. Mercurius is no dependency: throws where it isn't installed, and
 * where `app` has one already (give a scope of its own then).
 */
export async function mountMercurius(app: FastifyInstance, options: MercuriusOptions): Promise<void> {
  const mercurius = await load();
  const settings = {
    schema: options.schema,
    // Of its own it has no meter, no key and no rate.
    routes: false,
    // Compiled when it is seen again, the way the other mount compiles.
    jit: 1,
    // By count, each of which the engine has bounded; up to twice as many are kept.
    cache: DOCUMENTS_KEPT,
    // Its types leave this out.
    compilerOptions: { useExperimentalPathBasedSkipInclude: true },
    // Its own makes texts of errors: what they came from decides their code here.
    errorFormatter: ({ data, errors }: ExecutionResult) => ({
      statusCode: 200,
      response: { data: data ?? null, ...(errors && { errors }) },
    }),
  };
  await app.register(mercurius, settings);
  const { graphql } = app as unknown as { graphql: Graphql };
  const large = new WeakSet<object>();
  // Mercurius compiles whatever it sees again, except what a hook has brought: so a large document is brought once more.
  graphql.addHook('preExecution', async (_schema, document, context) =>
    large.has(context) ? { document } : undefined,
  );
  const { path = '/graphql', requestId } = options;
  await app.register(async (scope) => {
    // Bodies are read here, whatever else the app takes them for.
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
      handler: (request, reply) => {
        if (options.page && wantsPage(request)) return options.page(request, reply);
        return answer(options.serve, runBy(graphql, large, reply), request, commonHeaders(reply));
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

async function answer(serve: Serve, run: Run, request: FastifyRequest, reply: FastifyReply) {
  let params: Params;
  try {
    params = paramsOf(request);
  } catch (error) {
    return refuse(serve, request, reply, asServiceError(error));
  }
  return answerParams(serve, params, request, reply, run);
}

/** Hooks get the reply, and through it the request, as with Mercurius's own routes. */
const runBy =
  (graphql: Graphql, large: WeakSet<object>, reply: FastifyReply): Run =>
  ({ id, text, operationName, mayCompile }, given, variables) => {
    const context = { ...given, reply };
    if (!mayCompile) large.add(context);
    if (operationName === null) return graphql(text, context, variables);
    // It keeps one compiled operation of a text, whichever was asked for: so the text is made another one for each.
    return graphql(`${text}\n#${id}`, context, variables, operationName);
  };
