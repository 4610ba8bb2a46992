import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import type { FastifyInstance } from 'fastify';
import type { Memories } from '../../src/lib/memories.js';
import { andThen, concluded } from '../../src/lib/soon.js';
import type { Ids } from '../../src/ports/clock.js';
import type { Call, Outcome } from '../../src/serve/call.js';
import { encodeBody, type SentBody } from './bodies/shared-body.js';
import { addHeaders, commonHeaders, headWithout, isV1, serverTiming, v1Headers } from './headers.js';
import { boundReading, type Patience } from './limits/connections.js';
import { answerOf, type WholeAnswer } from './outcome.js';
import { mayBePlanned, type Plan, Plans, planKey, type ReadMessage, type RememberedPlan } from './plans.js';
import { Presence, presentedCredential } from './request.js';
import { faultOfHead } from './request-head.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Remembers the plan of a request, so that the next one like it is answered ahead of the framework. */
    rememberPlan(request: Pick<FastifyRequest, 'raw' | 'body'>, plan: Plan): void;
    /** Tells a path's messages apart by what they ask rather than by their bytes. */
    readMessages(path: string, read: ReadMessage): void;
  }
}

export interface FrontOptions {
  readonly memories: Memories;
  readonly ids: Ids;
  readonly versionHeaders: Readonly<Record<string, string>>;
  readonly trustedProxies: readonly string[];
  readonly patience: Patience;
  readonly isOwnMachine?: boolean;
}

/**
 * Answers requests whose plan is known, ahead of the framework. A request that would be refused before its call goes to
 * the framework, which refuses it.
 */
export function createFront(app: FastifyInstance, framework: RequestListener, options: FrontOptions): RequestListener {
  const plans = new Plans(options.memories);
  const ofV1 = v1Headers(options.versionHeaders);
  const readers = new Map<string, ReadMessage>();
  app.decorate('readMessages', (path, read) => void readers.set(path, read));
  app.decorate('rememberPlan', ({ raw, body }, plan) => {
    const found = planKey(raw, Buffer.isBuffer(body) ? body.toString('latin1') : '', readers);
    if (found === undefined) return;
    const headers = { ...commonHeaders('', app), ...(isV1(raw.url ?? '') && ofV1), ...plan.form.headers };
    plans.remember(found, raw.url ?? '', { ...plan, head: headWithout(OF_ONE_ANSWER, headers) });
  });
  const front = { app, options, addressOf: addressesBehind(options.trustedProxies) };
  const look = (request: IncomingMessage, response: ServerResponse, body: Buffer | null): void => {
    const found = planKey(request, body?.toString('latin1') ?? '', readers);
    const plan = found && plans.find(found);
    if (plan === undefined || faultOfHead(request, options) !== undefined || !app.pressure.enter(request)) {
      if (body !== null) request.unshift(body);
      framework(request, response);
    } else new Answering(front, plan, request, response, found?.messageId).run();
  };
  return (request, response) => {
    if (!mayBePlanned(request)) return framework(request, response);
    if (request.method === 'GET') return look(request, response, null);
    // A body that came with its head is complete once Node has parsed the whole chunk.
    setImmediate(() => {
      if (!request.socket.destroyed)
        look(request, response, request.complete ? (request.read() as Buffer | null) : null);
    });
  };
}

/** Names of the headers that are not the same for every answer. */
const OF_ONE_ANSWER: ReadonlySet<string> = new Set(['X-Request-Id', 'RateLimit-Policy']);

interface Front {
  readonly app: FastifyInstance;
  readonly options: FrontOptions;
  readonly addressOf: (request: IncomingMessage) => string;
}

/** One request whose plan is known, from its call to its answer. */
class Answering {
  readonly #front: Front;
  readonly #plan: RememberedPlan;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #id: string;
  readonly #messageId: string | undefined;
  readonly #startedAt = performance.now();
  readonly #presence = new Presence();
  #outcome: Outcome | null = null;

  constructor(
    front: Front,
    plan: RememberedPlan,
    request: IncomingMessage,
    response: ServerResponse,
    messageId: string | undefined,
  ) {
    this.#front = front;
    this.#plan = plan;
    this.#request = request;
    this.#response = response;
    this.#messageId = messageId;
    this.#id = front.options.ids.requestId();
    response.answering = this;
  }

  run(): void {
    const call = new PlannedCall(
      this.#plan,
      this.#id,
      this.#presence,
      this.#front.addressOf(this.#request),
      this.#request,
    );
    void concluded(
      () => andThen(this.#plan.serve(call), (outcome) => this.#answer(outcome)),
      () => {},
      (err) => {
        this.#front.app.log.error({ err }, 'A request whose plan is known could not be answered.');
        this.#response.destroy();
      },
    );
  }

  #answer(outcome: Outcome): void | Promise<void> {
    const { app } = this.#front;
    const { headers } = this.#request;
    this.#outcome = outcome;
    app.pressure.leave(this.#request);
    const context = { accept: headers.accept, baseUrl: app.baseUrl, messageId: this.#messageId };
    const answer = answerOf(this.#plan.form, outcome, context, app.log);
    const send = (body: SentBody): void => this.#send(outcome, answer, body);
    return andThen(encodeBody(headers, answer.body), send);
  }

  #send(outcome: Outcome, { status, headers }: WholeAnswer, { begin, end, encoding, varies, made }: SentBody): void {
    const { app, options } = this.#front;
    const response = this.#response;
    if (outcome.accountId !== null) app.pressure.chargeBytes(outcome.accountId, made);
    const head = this.#plan.head.slice();
    let vary = this.#plan.form.headers.Vary;
    for (const some of headers) {
      addHeaders(head, some);
      vary = some.Vary ?? vary;
    }
    const timing = serverTiming(outcome, performance.now() - this.#startedAt);
    head.push('x-request-id', this.#id, 'content-length', String(begin.length + end.length));
    if (timing !== undefined) head.push('server-timing', timing);
    if (encoding !== undefined) head.push('content-encoding', encoding);
    if (varies) head.push('vary', vary === undefined ? 'accept-encoding' : `${vary}, accept-encoding`);
    else if (vary !== undefined) head.push('vary', vary);
    if (app.stopping) head.push('connection', 'close');
    response.writeHead(status, head);
    if (end.length > 0) response.write(begin);
    response.end(end.length > 0 ? end : begin);
    this.#request.resume();
    boundReading(response, options.patience);
  }

  end(): void {
    const { app } = this.#front;
    const response = this.#response;
    const { method = '', url = '' } = this.#request;
    if (!response.writableFinished) this.#presence.end();
    app.pressure.leave(this.#request);
    const status = response.writableFinished ? response.statusCode : null;
    const ms = performance.now() - this.#startedAt;
    app.noteAnswered({ request: { id: this.#id, method, url }, status, outcome: this.#outcome, ms });
  }
}

/** Finds the client's address in the same way as the framework. */
function addressesBehind(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  if (trustedProxies.length === 0) return ({ socket }) => socket.remoteAddress ?? '';
  const isTrusted = proxyAddr.compile([...trustedProxies]);
  return (request) => proxyAddr(request, isTrusted);
}

/** The call of a plan for one caller. */
class PlannedCall implements Call {
  readonly requestId: string;
  readonly address: string;
  readonly credential: Call['credential'];
  readonly signal: Call['signal'];
  readonly document: Call['document'];
  readonly parse: Call['parse'];
  readonly interface: Call['interface'];
  readonly render: Call['render'];
  readonly mayBeKeyless: boolean;
  readonly queriesOnly: boolean;
  readonly allOrNothing: boolean;

  constructor({ call }: Plan, id: string, signal: Call['signal'], address: string, { headers }: IncomingMessage) {
    this.requestId = id;
    this.address = address;
    // The plan of a URL with a key in it is never remembered.
    this.credential = presentedCredential(headers, false);
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
