import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../src/domain/errors.js';
import { counted } from '../../src/domain/figures.js';
import type { Soon } from '../../src/lib/soon.js';
import type { RateDecision } from '../../src/ports/rate-limiter.js';
import { limitHeaders, setHeaders } from './headers.js';

/** Admits one keyless request from an address (`public` policy). */
export type AdmitPublic = (address: string) => Soon<RateDecision>;

export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> | FastifyReply;

/** For a handler whose answer depends on whether a browser or a program asks. */
export const negotiated =
  (handler: Handler): Handler =>
  (request, reply) =>
    handler(request, reply.header('Vary', 'Accept'));

type Method = 'GET' | 'HEAD' | 'POST';

/** The methods of a page: the server does not add HEAD to a GET route by itself. */
export const PAGE: readonly Method[] = ['GET', 'HEAD'];

/** Adds a route that needs no key. */
export type Keyless = (methods: readonly Method[], url: string, handler: Handler) => void;

/** Routes under the `public` policy, with its headers on every answer (8.1.6). */
export const createKeyless =
  (app: FastifyInstance, admitPublic: AdmitPublic): Keyless =>
  (methods, url, handler) =>
    addRoute(app, methods, url, admitted(admitPublic, handler));

const admitted =
  (admitPublic: AdmitPublic, handler: Handler): Handler =>
  async (request, reply) => {
    const rate = await admitPublic(request.ip);
    setHeaders(reply, limitHeaders({ rate, policy: 'public' }));
    if (!rate.allowed) throw tooFast(rate);
    return handler(request, reply);
  };

/** Content that everyone may read, also from pages of other origins: GET and HEAD under the `public` policy. */
export const createPublic = (
  app: FastifyInstance,
  admitPublic: AdmitPublic,
): ((url: string, handler: Handler) => void) => {
  return (url, handler) => addPublic(app, url, admitted(admitPublic, handler));
};

/**
 * Routes that are answered even when their address is over its limit, because an answer costs no more than a refusal
 * would: a balancer's check (L12), and content that is made once and sent from memory (L10). Under the same policy, but
 * each with its own bucket.
 */
export const createUnrefused =
  (app: FastifyInstance, admit: AdmitPublic): ((url: string, handler: Handler) => void) =>
  (url, handler) =>
    addPublic(app, url, async (request, reply) => {
      setHeaders(reply, limitHeaders({ rate: await admit(request.ip), policy: 'public' }));
      return handler(request, reply);
    });

/** Pages. Each causes several requests, so they have their own limit, which protects the database. */
export const createKeylessPages =
  (app: FastifyInstance, admit: AdmitPublic): Keyless =>
  (methods, url, handler) =>
    addRoute(app, methods, url, async (request, reply) => {
      const rate = await admit(request.ip);
      if (!rate.allowed) throw tooFast(rate);
      return handler(request, reply);
    });

const addRoute = (app: FastifyInstance, methods: readonly Method[], url: string, handler: Handler): void => {
  app.route({ method: [...methods], url, handler });
};

/** Pages of all origins may read the answers, refusals among them. */
const addPublic = (app: FastifyInstance, url: string, handler: Handler): void => {
  app.route({
    method: [...PAGE],
    url,
    config: { isPublic: true },
    handler: (request, reply) => handler(request, reply.header('Access-Control-Allow-Origin', '*')),
  });
};

const tooFast = ({ limit, retryAfterSeconds }: RateDecision): ServiceError =>
  new ServiceError(
    'rate_limited',
    `More than ${counted(limit, 'request')} per second from this IP address. Try again in ${retryAfterSeconds} s.`,
    { retryAfter: retryAfterSeconds },
  );
