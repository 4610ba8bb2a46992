import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type Link, LinkedSet } from '../../../src/lib/brief-collections.js';

/** The requests in progress, which count as in flight. */
export interface WorkSet {
  readonly size: number;
  /** `onEnd` is called once, when the request is over, or at once if it already is. */
  add(request: IncomingMessage, onEnd: () => void): void;
  delete(request: IncomingMessage): void;
}

interface Work {
  readonly request: IncomingMessage;
  readonly onEnd: () => void;
}

const WORK = Symbol('work');

declare module 'node:http' {
  interface IncomingMessage {
    /** The request's place among those in progress; null once it is over. */
    [WORK]?: Link<Work> | null;
  }
}

/**
 * Forgets the requests of a closed connection, including those whose answer's turn never came: Node reports no end for
 * them.
 */
export function createWorkSet(): WorkSet {
  const working = new LinkedSet<Work>();
  const watched = new WeakSet<Socket>();
  const end = (request: IncomingMessage): void => {
    const link = request[WORK];
    if (!link) return;
    request[WORK] = null;
    working.remove(link);
    link.value.onEnd();
  };
  const forget = (socket: Socket): void => {
    for (const { request } of working) if (request.socket === socket) end(request);
  };
  return {
    get size() {
      return working.size;
    },
    add(request, onEnd) {
      const { socket } = request;
      // Its end has already been reported.
      if (socket.destroyed) return onEnd();
      request[WORK] = working.add({ request, onEnd });
      if (watched.has(socket)) return;
      watched.add(socket);
      socket.once('close', () => forget(socket));
    },
    delete: end,
  };
}
