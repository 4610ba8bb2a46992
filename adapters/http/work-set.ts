import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** The requests in progress, which count as in flight. */
export interface WorkSet {
  readonly size: number;
  /** `onEnd` is called once, when the request is over, or at once if it already is. */
  add(request: IncomingMessage, onEnd: () => void): void;
  delete(request: IncomingMessage): void;
}

/**
 * Requests on a closed connection are forgotten, even if their answer's turn never came: Node reports no end for these.
 */
export function createWorkSet(): WorkSet {
  const working = new Map<IncomingMessage, () => void>();
  const watched = new WeakSet<Socket>();
  const end = (request: IncomingMessage): void => {
    const onEnd = working.get(request);
    working.delete(request);
    onEnd?.();
  };
  const forget = (socket: Socket): void => {
    for (const request of working.keys()) if (request.socket === socket) end(request);
  };
  return {
    get size() {
      return working.size;
    },
    add(request, onEnd) {
      const { socket } = request;
      // Its end has already been reported.
      if (socket.destroyed) return onEnd();
      working.set(request, onEnd);
      if (watched.has(socket)) return;
      watched.add(socket);
      socket.once('close', () => forget(socket));
    },
    delete: end,
  };
}
