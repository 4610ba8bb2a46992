import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerEnds } from './connection.js';

/** Kept-alive connections, each with one request at a time. */
export interface Lines {
  readonly count: number;
  /** Sends the request on the nth connection. Resolves once all of the answer was read; rejects on any but 200. */
  readonly send: (nth: number, request: string) => Promise<void>;
  readonly close: () => void;
}

export async function openLines(url: string, count: number): Promise<Lines> {
  const { hostname, port } = new URL(url);
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      await once(socket, 'connect');
      return socket;
    }),
  );
  const waiting = new Map<Socket, { readonly resolve: () => void; readonly reject: (error: unknown) => void }>();
  for (const socket of sockets) {
    const ends = answerEnds();
    const end = (error?: unknown): void => {
      const pending = waiting.get(socket);
      waiting.delete(socket);
      if (error === undefined) pending?.resolve();
      else pending?.reject(error);
    };
    socket.on('data', (chunk) => {
      try {
        if (ends(chunk)) end();
      } catch (error) {
        end(error);
      }
    });
    socket.on('error', end);
    socket.on('close', () => end(new Error(`${url} hung up`)));
  }
  return {
    count,
    send: (nth, request) =>
      new Promise((resolve, reject) => {
        const socket = sockets[nth];
        if (socket === undefined || socket.destroyed) return reject(new Error(`connection ${nth} to ${url} is closed`));
        waiting.set(socket, { resolve, reject });
        socket.write(request);
      }),
    close: () => sockets.forEach((socket) => void socket.destroy()),
  };
}

/** Sends one request on every connection at once. Returns how long each took, in milliseconds. */
export async function sendAllAtOnce(lines: Lines, requestOf: (nth: number) => string): Promise<number[]> {
  const begin = performance.now();
  return Promise.all(
    Array.from({ length: lines.count }, async (_, nth) => {
      await lines.send(nth, requestOf(nth));
      return performance.now() - begin;
    }),
  );
}

/** Sends the next request on each connection as soon as it was answered. */
export async function sendSteadily(
  lines: Lines,
  seconds: number,
  nextRequest: () => string,
): Promise<{ readonly perSecond: number }> {
  const begin = performance.now();
  const until = begin + seconds * 1000;
  let answers = 0;
  await Promise.all(
    Array.from({ length: lines.count }, async (_, nth) => {
      for (; performance.now() < until; answers += 1) await lines.send(nth, nextRequest());
    }),
  );
  return { perSecond: (answers / (performance.now() - begin)) * 1000 };
}

/**
 * Sends requests at random moments at a given rate, whether or not earlier ones were answered. Returns how long each
 * took, in milliseconds. If all connections are in use, a request waits for a free one, and the wait counts.
 */
export async function sendAtRate(
  lines: Lines,
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
  nextRequest: () => string,
): Promise<number[]> {
  const tookMs: number[] = [];
  const free = Array.from({ length: lines.count }, (_, nth) => nth);
  const arrived: number[] = [];
  const pending = new Set<Promise<void>>();
  let failure: unknown;
  const sendOne = async (nth: number, atMs: number): Promise<void> => {
    await lines.send(nth, nextRequest());
    tookMs.push(performance.now() - atMs);
    free.push(nth);
    pump();
  };
  const pump = (): void => {
    while (free.length > 0 && arrived.length > 0) {
      const sending: Promise<void> = sendOne(free.shift() ?? 0, arrived.shift() ?? 0)
        .catch((error) => (failure = error))
        .finally(() => pending.delete(sending));
      pending.add(sending);
    }
  };
  const until = performance.now() + seconds * 1000;
  for (let nextMs = performance.now(); nextMs < until && failure === undefined; await sleep(1)) {
    const now = performance.now();
    // A delay of this process must not count as one of the service, so late requests arrive now.
    for (; nextMs <= now; nextMs += (-Math.log(1 - Math.random()) / perSecond) * 1000) arrived.push(now);
    pump();
  }
  while (pending.size > 0) await Promise.all(pending);
  if (failure !== undefined) throw failure;
  return tookMs;
}
