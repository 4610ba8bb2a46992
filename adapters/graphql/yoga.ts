import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createYoga, type Plugin } from 'graphql-yoga';
import { asServiceError, ServiceError } from '../../src/domain/errors.js';
import { sentence } from '../../src/lib/text.js';
import type { Outcome } from '../../src/serve/call.js';
import type { Serve } from '../../src/serve/serve.js';
import { sendOutcome } from '../http/outcome.js';
import { callerParts } from '../http/request.js';
import { answerParams, FORM, refuse, refuseEarly } from './answer.js';
import { answerEvents } from './live.js';
import type { GraphqlParams } from './params.js';
import {
  type GraphqlOptions,
  graphqlCall,
  mayBeSubscription,
  NO_JSON_IN_QUERY,
  NOT_JSON,
  negotiateMediaType,
  type PageHandler,
  toOperation,
  wantsPage,
  wantsStream,
  withDocumentId,
} from './request.js';
import { readBodyText, readParams, requestMediaType } from './request-params.js';

interface Http {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /**
   * The operation's outcome; none if Yoga itself refused the request. In an object, because Yoga copies its arguments.
   */
  readonly served: { outcome?: Outcome };
}

/** A placeholder for the text that a persisted operation's request leaves out: Yoga requires one, and never runs it. */
const NO_TEXT = '{ __typename }';

/** Yoga only parses unusual requests of GraphQL over HTTP. Every operation is run and answered in the same way. */
function oneWay(serve: Serve): Plugin<Http> {
  return {
    onParams({ params, context, setParams, setParamsHandler }) {
      const http = context as unknown as Http;
      const allParams = withDocumentId(params, http.request);
      if (typeof params.query !== 'string') setParams({ ...params, query: NO_TEXT });
      setParamsHandler(async () => {
        http.served.outcome = await serve({
          ...callerParts(http.request, http.reply),
          ...graphqlCall(http.request),
          ...toOperation(allParams, http.request),
        });
        return {};
      });
    },
  };
}

/** Mounts `/graphql`. `page` answers a browser's GET for a page with GraphiQL. */
export function mountGraphql(app: FastifyInstance, options: GraphqlOptions, page: PageHandler): void {
  const { serve, live } = options;
  const yoga = createYoga<Http>({
    schema: options.schema,
    graphqlEndpoint: '/graphql',
    landingPage: false,
    graphiql: false,
    batching: false,
    // No operation takes uploads.
    multipart: false,
    // A persisted operation's name; Yoga refuses body members that it does not know.
    extraParamNames: ['documentId'],
    maskedErrors: false,
    cors: false,
    logging: false,
    plugins: [oneWay(serve)],
  });
  app.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    config: { sharedBy: 'caller' },
    handler: async (request, reply) => {
      if (wantsPage(request)) return page(request, reply);
      if (await refuseEarly(serve, request, reply)) return reply;
      const params = plainParams(request);
      if (params && live && wantsStream(request) && mayBeSubscription(params))
        return answerEvents({ serve, live }, params, request, reply);
      if (params) return answerParams(serve, params, request, reply);
      const text = readable(request);
      if (text instanceof ServiceError) return refuse(serve, request, reply, text);
      const http: Http = { request, reply, served: {} };
      const response = await yoga.fetch(asFetchRequest(app, request, text), http);
      const { outcome } = http.served;
      if (outcome) return sendOutcome(FORM, outcome, request, reply);
      return refuse(serve, request, reply, await failureOfYoga(response));
    },
  });
}

/**
 * Reads the usual request, JSON in and JSON out, at a third of the cost of fetch API objects. Undefined for unusual or
 * invalid requests, which Yoga handles.
 */
function plainParams(request: FastifyRequest): GraphqlParams | undefined {
  const { method, headers } = request;
  // Yoga runs no subscriptions, so those are read here in all forms.
  const isPlain = PLAIN_JSON.test(headers['content-type'] ?? '') || wantsStream(request);
  if (method === 'POST' && !isPlain) return undefined;
  try {
    return readParams(request);
  } catch {
    return undefined;
  }
}

const PLAIN_JSON = /^application\/json(?:; ?charset=utf-8)?$/i;

/**
 * The text of the body, or why the request cannot be read. Checked here, because Yoga would replace bytes that are not
 * UTF-8, and take the first of several values.
 */
function readable(request: FastifyRequest): string | ServiceError {
  try {
    return readBodyText(request);
  } catch (error) {
    return asServiceError(error);
  }
}

/** The body is already read and bounded. */
function asFetchRequest(app: FastifyInstance, request: FastifyRequest, text: string): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  headers.set('accept', negotiateMediaType(request.headers.accept));
  // Yoga compares the header with the lower-case type, or with that and a semicolon.
  if (headers.has('content-type')) headers.set('content-type', requestMediaType(request));
  const body = text === '' ? {} : { body: text };
  return new Request(new URL(request.url, app.baseUrl), { method: request.method, headers, ...body });
}

/** Yoga's own refusal of a request, as Perch's. For invalid JSON in an address Yoga has no specific status. */
async function failureOfYoga(response: Response): Promise<ServiceError> {
  const said = (await response.json().catch(() => null)) as { errors?: { message?: string }[] } | null;
  if (response.status >= 500) return new ServiceError('bad_request', NO_JSON_IN_QUERY);
  const message = said?.errors?.[0]?.message;
  return new ServiceError('bad_request', message ? sentence(message) : NOT_JSON, { status: response.status });
}
