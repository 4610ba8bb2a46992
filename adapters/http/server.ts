import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import compress from '@fastify/compress';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { asServiceError, badRequest, ServiceError } from '../../src/domain/errors.js';
import type { Memories } from '../../src/lib/memories.js';
import { truncated } from '../../src/lib/text.js';
import type { Ids } from '../../src/ports/clock.js';
import { watchAnswers } from './answered.js';
import { LEAST_COMPRESSED } from './bodies/shared-body.js';
import { type FailureAddresses, type SocketFailures, socketFailures } from './client-error.js';
import { type FailurePage, sendFailure } from './failure.js';
import { createFront } from './front.js';
import { commonHeaders, isV1, limitHeaders, setHeaders, v1Headers } from './headers.js';
import { type ConnectionShare, defaultConnections, shareConnections } from './limits/connection-share.js';
import { boundConnections, PATIENCE, type Patience, type Pipelines, serverTimeouts } from './limits/connections.js';
import { type Capacity, type Shares, shedOverload, UNBOUNDED } from './limits/overload.js';
import { EventStreams } from './live/event-stream.js';
import { faultOfHead, HEAD_BOUNDS, usualTarget } from './request-head.js';
import { logRequests } from './request-log.js';

/** The methods that routes accept at a path; none where there is no such path. */
export type AllowedMethods = (path: string) => { readonly methods: string[]; readonly isPublic: boolean };

/** Watches the routes as they are added. Call it before adding any. */
function allowedMethods(app: FastifyInstance): AllowedMethods {
  const routes: { methods: readonly string[]; pattern: RegExp; isPublic: boolean }[] = [];
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.refusesMethods) return;
    const source = url
      .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll(/:\w+/g, '[^/]+')
      .replaceAll('*', '.*');
    const isPublic = config?.isPublic ?? false;
    routes.push({ methods: [method].flat(), pattern: new RegExp(`^${source}/?$`), isPublic });
  });
  return (path) => {
    const found = routes.filter(({ pattern }) => pattern.test(path));
    const methods = new Set(found.flatMap((route) => route.methods));
    // OPTIONS is answered everywhere, whether or not a route has its own handler for it.
    methods.delete('OPTIONS');
    return { methods: [...methods].sort(), isPublic: found.some((route) => route.isPublic) };
  };
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route only answers that its methods are not allowed. */
    refusesMethods?: boolean;
    /** Whether pages of all origins may read the route's answers. */
    isPublic?: boolean;
  }
  interface FastifyInstance {
    /** The public address (`{base_url}`), without a trailing slash. */
    baseUrl: string;
    /** The address of sign-in, dashboard and consent (`{auth_url}`), without a trailing slash; often the same. */
    authUrl: string;
    /** Set once the process was asked to stop: clients are told to reconnect elsewhere, and served until they do. */
    stopping: boolean;
  }
}

/** Bytes. */
const BODY_LIMIT = 64 * 1024;

export interface HttpOptions {
  /** Addresses and ranges whose X-Forwarded-For is trusted. */
  readonly trustedProxies?: readonly string[];
  /** Whether the service is a demo that only this machine can reach. */
  readonly isOwnMachine?: boolean;
  readonly ids: Ids;
  readonly log: FastifyBaseLogger;
  /** Section 9.3 headers for `/v1`; empty while the version is current. */
  readonly versionHeaders: Readonly<Record<string, string>>;
  /** Where the plans of earlier requests are remembered; undefined: none are. */
  readonly memories?: Memories | undefined;
  /** Undefined: unbounded. */
  readonly capacity?: Capacity;
  /** Undefined: nothing is shared by caller. */
  readonly shares?: Shares;
  /** Tests use shorter ones. */
  readonly patience?: Patience;
  /** Answers an unknown path with a page if the request comes from a browser; otherwise returns null. */
  readonly lostPage?: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | null;
  readonly failurePage?: FailurePage;
}

/**
 * The bare server: ids, bounds, compression, and the standard error shape for every failure. Mounts are added to it.
 */
export async function createServer(options: HttpOptions): Promise<FastifyInstance> {
  const { capacity = UNBOUNDED, shares = null, patience = PATIENCE, trustedProxies = [] } = options;
  const timeouts = serverTimeouts(patience);
  const failures = socketFailures({ ...options, addresses: (): FailureAddresses => app });
  const app = fastify({
    ...timeouts,
    // Otherwise everyone behind a load balancer would be one client to the public policy (8.1.6).
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    // A child logger for each request costs more than its line.
    childLoggerFactory: (logger) => logger,
    genReqId: () => options.ids.requestId(),
    bodyLimit: BODY_LIMIT,
    exposeHeadRoutes: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: HEAD_BOUNDS.url },
    // Perch refuses a missing Host in the shape of every failure; Node would use its own.
    http: { ...timeouts.http, maxHeaderSize: HEAD_BOUNDS.headers + HEAD_BOUNDS.url, requireHostHeader: false },
    clientErrorHandler: failures.clientError,
    forceCloseConnections: 'idle',
    // Requests that still arrive on an open connection are served.
    return503OnClosing: false,
    // Runs before any hook, so what the hooks would have set is set here.
    frameworkErrors(error, request, reply) {
      request.server.watchAnswer(request, reply);
      setCommon(options, request, reply);
      if (!isV1(request.url)) setHeaders(reply, limitHeaders({ rate: null, policy: 'public' }));
      sendFailure(request, reply, faultOfHead(request.raw, options) ?? fromFastify(error, request));
    },
  });
  const pipelines = boundConnections(app, patience);
  watchAnswers(app);
  logRequests(app, options.log);
  app.decorate('baseUrl', '');
  app.decorate('authUrl', '');
  app.decorate('stopping', false);
  app.decorate('failurePage', options.failurePage ?? (() => null));
  app.addHook('onSend', async (_request, reply) => {
    if (app.stopping) reply.header('Connection', 'close');
  });
  // Decompression is off: it would unpack bodies before any limit applies.
  const answersOnly = { globalCompression: true, globalDecompression: false };
  await app.register(compress, { ...answersOnly, threshold: LEAST_COMPRESSED, encodings: ['br', 'gzip'] });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', async (request, reply) => guard(options, request, reply));
  const connections = limitConnections(options, failures);
  await shedOverload(app, { capacity, shares, connections, patience });
  attach(app, { options, failures, pipelines, connections });
  app.decorate('eventStreams', new EventStreams(app, patience));
  app.setErrorHandler((error, request, reply) => sendFailure(request, reply, fromFastify(error, request)));
  const allowed = allowedMethods(app);
  app.setNotFoundHandler((request, reply) => unknownPath(options, allowed, request, reply));
  return app;
}

interface Attached {
  readonly options: HttpOptions;
  readonly failures: SocketFailures;
  readonly pipelines: Pipelines;
  readonly connections: ConnectionShare | null;
}

/**
 * The only place that attaches to Node's server. A connection is counted, or refused, before anything that it sends is
 * parsed. The target of a request is written in the usual form. A request waits for those before it on its connection; then, if its plan is known, it is answered ahead of
 * the framework, and otherwise by the framework.
 */
function attach(app: FastifyInstance, { options, failures, pipelines, connections }: Attached): void {
  const { server } = app;
  const { memories, patience = PATIENCE, trustedProxies = [] } = options;
  const framework = takeOver(server, 'request') as RequestListener;
  const front = memories && createFront(app, framework, { ...options, memories, patience, trustedProxies });
  if (front === undefined) {
    app.decorate('rememberPlan', () => {});
    app.decorate('readMessages', () => {});
  }
  server.on('request', (request, response) => {
    request.url = usualTarget(request.url ?? '/');
    pipelines.begin(request, response, front ?? framework);
  });
  // Without listeners, Node answers these itself, with nothing but a status.
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
  server.on('connect', ({ headers }, socket: Socket) => {
    failures.send(socket, badRequest('CONNECT is not supported: this is not a proxy.'), headers.accept);
  });
  if (connections === null) return;
  // Node's own listener starts to parse, so it must not see a refused connection.
  const accept = takeOver(server, 'connection') as (socket: Socket) => void;
  server.on('connection', (socket: Socket) => {
    if (connections.admits(socket)) accept(socket);
  });
}

/** Removes the listeners of an event, and returns a function that calls them in their order. */
function takeOver(server: Server, event: 'request' | 'connection'): (...args: unknown[]) => void {
  const listeners = server.listeners(event);
  server.removeAllListeners(event);
  return (...args) => {
    for (const listener of listeners) listener.apply(server, args);
  };
}

/** Bounds the open connections; null where the options set no bound. */
function limitConnections(options: HttpOptions, failures: SocketFailures): ConnectionShare | null {
  const { capacity, patience = PATIENCE, trustedProxies = [] } = options;
  if (capacity?.maxConnections === undefined) return null;
  const total = capacity.maxConnections ?? defaultConnections();
  const longestMs = patience.requestMs + patience.lookMs;
  return shareConnections({ total, trustedProxies, longestMs, failures });
}

function setCommon(options: HttpOptions, request: FastifyRequest, reply: FastifyReply): void {
  setHeaders(reply, commonHeaders(request.id, request.server));
  if (isV1(request.url)) setHeaders(reply, v1Headers(options.versionHeaders));
}

async function guard(options: HttpOptions, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  setCommon(options, request, reply);
  const failure = faultOfHead(request.raw, options);
  if (failure === undefined) return;
  if (!isV1(request.url)) setHeaders(reply, limitHeaders({ rate: null, policy: 'public' }));
  throw failure;
}

/** An error of the framework, in Perch's own messages and codes. */
function fromFastify(error: unknown, request: FastifyRequest): ServiceError {
  const { statusCode, code } = error as { statusCode?: number; code?: string };
  if (error instanceof ServiceError) return error;
  if (code === 'FST_ERR_BAD_URL') return new ServiceError('not_found', 'The path is not percent-encoded correctly.');
  if (statusCode === 413) {
    return new ServiceError(
      'bad_request',
      `The body is larger than ${request.routeOptions.bodyLimit ?? BODY_LIMIT} bytes.`,
      {
        status: 413,
        cause: error,
      },
    );
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return badRequest('The request cannot be read.');
  return asServiceError(error);
}

/** The most characters of a path in a message. */
const MOST_SHOWN_PATH = 200;

/** Lets a page of another origin send the one header, besides those of every request, that public answers depend on. */
const PREFLIGHT = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': 'If-None-Match',
  'Access-Control-Max-Age': '86400',
};

/** Answers 405 with `Allow` if the path accepts other methods, otherwise 404 (S8). OPTIONS is free and needs no key. */
function unknownPath(
  { lostPage }: HttpOptions,
  allowed: AllowedMethods,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const [path = '/'] = request.url.split('?');
  const { methods, isPublic } = allowed(path);
  if (methods.length === 0) {
    // Under /v1 every failure has the same shape, for browsers as well.
    const page = isV1(path) ? null : lostPage?.(request, reply);
    const message = `There is nothing at ${truncated(path, MOST_SHOWN_PATH)}.`;
    return page ?? sendFailure(request, reply, new ServiceError('not_found', message));
  }
  reply.header('Allow', [...methods, 'OPTIONS'].join(', '));
  if (request.method === 'OPTIONS') {
    if (isPublic) setHeaders(reply, PREFLIGHT);
    return reply.code(204).send();
  }
  const message = `${request.method} is not allowed for ${truncated(path, MOST_SHOWN_PATH)}: use ${methods.join(' or ')}.`;
  return sendFailure(request, reply, new ServiceError('bad_request', message, { status: 405 }));
}
