import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Outcome } from '../../src/serve/call.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The outcome of the call that the request made; null until it is known, and if no call was made. */
    outcome: Outcome | null;
  }
  interface FastifyInstance {
    /** Called once for every request, when it is over. */
    onAnswered(listener: (answered: Answered) => void): void;
    /** Watches the end of a request that never reaches the hooks. */
    watchAnswer(request: FastifyRequest, reply: FastifyReply): void;
    /** Tells the listeners of a request that never reached the framework, once it is over. */
    noteAnswered(answered: Answered): void;
  }
}

/** A request that is over, for the log, the metrics and the traces. */
export interface Answered {
  readonly request: Pick<FastifyRequest, 'id' | 'method' | 'url'>;
  /** Null: the caller left before the answer was sent. */
  readonly status: number | null;
  readonly outcome: Outcome | null;
  readonly ms: number;
}

/** Watches for the end of each request, however it ends. */
export function watchAnswers(app: FastifyInstance): void {
  const listeners: ((answered: Answered) => void)[] = [];
  app.decorateRequest('outcome', null);
  app.decorate('onAnswered', (listener) => void listeners.push(listener));
  const note = (answered: Answered): void => {
    for (const listener of listeners) listener(answered);
  };
  const watch = (request: FastifyRequest, reply: FastifyReply): void => {
    const startedAt = performance.now();
    reply.raw.once('close', () => {
      const status = reply.raw.writableFinished ? reply.raw.statusCode : null;
      note({ request, status, outcome: request.outcome ?? null, ms: performance.now() - startedAt });
    });
  };
  app.decorate('noteAnswered', note);
  app.decorate('watchAnswer', watch);
  app.addHook('onRequest', (request, reply, done) => {
    watch(request, reply);
    done();
  });
}

/** The interface that a path belongs to, from its first segment. GraphiQL, its files and its lists are pages. */
export function interfaceFromUrl({ method, url }: Answered['request']): 'rest' | 'graphql' | 'mcp' | 'site' {
  const [, first = '', rest = ''] = /^\/([^/?#]*)([/?]?)/.exec(url) ?? [];
  if (first === 'v1') return 'rest';
  if (first === 'graphql') return rest === '/' || (rest === '' && method === 'GET') ? 'site' : 'graphql';
  return first === 'mcp' ? 'mcp' : 'site';
}
