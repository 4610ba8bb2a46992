import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { Transform } from 'node:stream';

export interface Line {
  readonly port: number;
  /** Delays everything that passes from now on, in both directions. */
  slow(delayMs: number): void;
  /** Lets nothing pass until `resume`; connections stay open. */
  hang(): void;
  resume(): void;
  /** Cuts every connection. */
  cut(): void;
  /** Leads new connections to another server from now on. */
  lead(target: NetConnectOpts): void;
  close(): Promise<void>;
}

/** A local port that leads to a server, over a line that a test can make slow, hang or cut. */
export async function openLine(target: NetConnectOpts): Promise<Line> {
  const sockets = new Set<Socket>();
  const waiting = new Set<() => void>();
  let to = target;
  let delayMs = 0;
  let isHanging = false;

  const line = (): Transform =>
    new Transform({
      transform(chunk, _encoding, done) {
        const pass = (): void => done(null, chunk);
        const later = (): void => void (delayMs > 0 ? setTimeout(pass, delayMs) : pass());
        if (isHanging) waiting.add(later);
        else later();
      },
    });

  const server = createServer((client) => {
    const upstream = createConnection(to);
    client.pipe(line()).pipe(upstream);
    upstream.pipe(line()).pipe(client);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    slow(ms) {
      delayMs = ms;
    },
    hang() {
      isHanging = true;
    },
    resume() {
      isHanging = false;
      for (const go of waiting) go();
      waiting.clear();
    },
    cut,
    lead(next) {
      to = next;
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
