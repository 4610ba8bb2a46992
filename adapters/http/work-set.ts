import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** The requests being worked on: what counts as in flight. */
export interface WorkSet {
  readonly size: number;
  add(request: FastifyRequest): void;
  delete(request: FastifyRequest): void;
}

/** Those of a closed connection are forgotten, also where their answer's turn never came: of these Node says nothing. */
export function createWorkSet(): WorkSet {
  const working = new Set<FastifyRequest>();
  const watched = new WeakSet<Socket>();
  const forget = (socket: Socket): void => {
    for (const request of working) if (request.raw.socket === socket) working.delete(request);
  };
  return {
    get size() {
      return working.size;
    },
    add(request) {
      const { socket } = request.raw;
      // Its end was told already.
      if (socket.destroyed) return;
      working.add(request);
      if (watched.has(socket)) return;
      watched.add(socket);
      socket.once('close', () => forget(socket));
    },
    delete(request) {
      working.delete(request);
    },
  };
}
