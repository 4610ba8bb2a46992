import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import type { FastifyInstance } from 'fastify';
import type { Memories } from '../../src/lib/memories.js';
import type { Ids } from '../../src/ports/clock.js';
import type { Call, Outcome } from '../../src/serve/call.js';
import { encodeShared, type SharedBody } from './bodies/shared-body.js';
import { commonHeaders, isV1, v1Headers } from './common-headers.js';
import { addHeaders, creditHeaders, headWithout, limitHeaders, serverTiming } from './headers.js';
import { boundReading, type Patience } from './limits/connections.js';
import { type Asked, mayBeRepeated, type Remembered, RepeatedRequests } from './repeated-requests.js';
import { Presence, presentedCredential } from './request.js';
import { faultOfHead } from './request-head.js';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Remembers what a request asked, so that the next one like it is answered ahead of the framework. `body`: its bytes,
     * as Latin-1.
     */
    rememberRequest(request: IncomingMessage, body: string, asked: Asked): void;
  }
}

declare module 'node:http' {
  interface IncomingMessage {
    /** The call of this request was served ahead of the framework, whose interface has to send the outcome. */
    served?: { readonly outcome: Outcome; readonly startedAt: number };
  }
}

export interface AnswerRepeatedOptions {
  readonly memories: Memories;
  readonly ids: Ids;
  readonly versionHeaders: Readonly<Record<string, string>>;
  readonly trustedProxies: readonly string[];
  readonly patience: Patience;
}

/**
 * Answers requests that came before ahead of the framework: they take the same steps of the same call, and their routes,
 * parameters and documents need no second look. Whatever is unusual about a request goes to the framework before anything
 * has happened, and what is unusual about its outcome (a refusal, an answer that was not kept) afterwards.
 */
export function answerRepeated(app: FastifyInstance, options: AnswerRepeatedOptions): void {
  const known = new RepeatedRequests(options.memories);
  const ofV1 = v1Headers(options.versionHeaders);
  app.decorate('rememberRequest', (request, body, asked) => {
    const all = { ...commonHeaders('', app), ...(isV1(request.url ?? '') && ofV1), ...asked.headers };
    known.remember(request, body, { ...asked, head: headWithout(OF_ONE_ANSWER, all) });
  });
  const addressOf = addressesBehind(options.trustedProxies);
  const [framework] = app.server.listeners('request') as [RequestListener];
  const look = (request: IncomingMessage, response: ServerResponse, body: string): void => {
    const asked = known.find(request, body);
    const isUsual = asked !== undefined && !app.stopping && faultOfHead(request) === undefined;
    if (!isUsual || !app.pressure.enter(request)) return void framework.call(app.server, request, response);
    new Answering({ app, framework, options, addressOf, asked, request, response }).run().catch((err: unknown) => {
      app.log.error({ err }, 'A request that came before could not be answered.');
      response.destroy();
    });
  };
  app.server.removeAllListeners('request');
  app.server.on('request', (request, response) => {
    if (!mayBeRepeated(request)) return void framework.call(app.server, request, response);
    if (request.method === 'GET') return look(request, response, '');
    // A body that came with its head is parsed when the chunk is. It stays in the stream, for the framework.
    setImmediate(() => {
      if (request.socket.destroyed) return;
      const body = request.complete ? (request.read() as Buffer | null) : null;
      if (body !== null) request.unshift(body);
      look(request, response, body?.toString('latin1') ?? '');
    });
  });
}

/** Names of the headers that are not the same for every answer. */
const OF_ONE_ANSWER: ReadonlySet<string> = new Set(['X-Request-Id', 'RateLimit-Policy', 'Vary']);

interface Parts {
  readonly app: FastifyInstance;
  readonly framework: RequestListener;
  readonly options: AnswerRepeatedOptions;
  readonly addressOf: (request: IncomingMessage) => string;
  readonly asked: Remembered;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** One request that came before, from its call to its answer. */
class Answering {
  readonly #parts: Parts;
  readonly #id: string;
  readonly #startedAt = performance.now();
  readonly #presence = new Presence();
  #outcome: Outcome | null = null;
  /** The framework answers, and tells those who wait for the end. */
  #isHandedOver = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#id = parts.options.ids.requestId();
    parts.response.once('close', () => this.#end());
  }

  async run(): Promise<void> {
    const { app, framework, asked, request, response } = this.#parts;
    const outcome = await asked.serve(new RepeatedCall(this.#parts, this.#id, this.#presence));
    this.#outcome = outcome;
    app.pressure.leave(request);
    const body = outcome.result.kind === 'answer' ? asked.bodyOf(outcome) : undefined;
    if (body !== undefined) return this.#send(outcome, body);
    this.#isHandedOver = true;
    request.served = { outcome, startedAt: this.#startedAt };
    framework.call(app.server, request, response);
  }

  #send(outcome: Outcome, shared: SharedBody): void {
    const { app, options, asked, request, response } = this.#parts;
    const { begin, end, encoding, varies, made } = encodeShared(request.headers, shared);
    if (outcome.accountId !== null) app.pressure.chargeBytes(outcome.accountId, made);
    const head = asked.head.slice();
    addHeaders(head, limitHeaders(outcome));
    if (outcome.result.kind === 'answer') addHeaders(head, creditHeaders(outcome.result, outcome));
    addHeaders(head, {
      'X-Request-Id': this.#id,
      'Server-Timing': serverTiming(outcome, performance.now() - this.#startedAt),
      Vary: varies ? joinVary(asked.headers.Vary, 'accept-encoding') : asked.headers.Vary,
      'Content-Encoding': encoding,
      'Content-Length': String(begin.length + end.length),
    });
    response.writeHead(200, head);
    response.write(begin);
    response.end(end);
    request.resume();
    boundReading(response, options.patience);
  }

  #end(): void {
    const { app, request, response } = this.#parts;
    const { method = '', url = '' } = request;
    if (!response.writableFinished) this.#presence.end();
    app.pressure.leave(request);
    if (this.#isHandedOver) return;
    const status = response.writableFinished ? response.statusCode : null;
    const ms = performance.now() - this.#startedAt;
    app.noteAnswered({ request: { id: this.#id, method, url }, status, outcome: this.#outcome, ms });
  }
}

/** The client's address, as the framework finds it. */
function addressesBehind(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  if (trustedProxies.length === 0) return ({ socket }) => socket.remoteAddress ?? '';
  const isTrusted = proxyAddr.compile([...trustedProxies]);
  return (request) => proxyAddr(request, isTrusted);
}

/** What the request asked before, of this caller. */
class RepeatedCall implements Call {
  readonly requestId: string;
  readonly address: string;
  readonly credential: Call['credential'];
  readonly signal: Call['signal'];
  readonly document: Call['document'];
  readonly parse: Call['parse'];
  readonly interface: Call['interface'];
  readonly render: NonNullable<Call['render']>;
  readonly mayBeKeyless: boolean;
  readonly queriesOnly: boolean;
  readonly allOrNothing: boolean;

  constructor(parts: Parts, requestId: string, signal: Call['signal']) {
    const { call } = parts.asked;
    this.requestId = requestId;
    this.address = parts.addressOf(parts.request);
    // An address with a key in it is never known.
    this.credential = presentedCredential(parts.request.headers, false);
    this.signal = signal;
    this.document = call.document;
    this.parse = call.parse;
    this.interface = call.interface;
    this.render = call.render;
    this.mayBeKeyless = call.mayBeKeyless ?? false;
    this.queriesOnly = call.queriesOnly ?? false;
    this.allOrNothing = call.allOrNothing ?? false;
  }
}

const joinVary = (...names: readonly (string | undefined)[]): string =>
  names.filter((name) => name !== undefined).join(', ');
