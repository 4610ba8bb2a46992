/** The host that receives webhooks. */
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type Signal, signal } from '../signal.js';

export interface Received {
  /** `webhook-id`. */
  readonly id: string;
  readonly event: unknown;
}

export class Receiver {
  readonly #server: Server;
  readonly #received = new Map<string, Received[]>();
  #holding: Signal | null = null;

  static async open(): Promise<Receiver> {
    const server = createServer();
    const receiver = new Receiver(server);
    server.on('request', (request, response: ServerResponse) => {
      void json(request).then((event) => {
        receiver.at(request.url ?? '').push({ id: String(request.headers['webhook-id']), event });
        // A webhook that is held is never answered. Connections are closed because one that ended just as the next
        // webhook is sent would fail that, and the clock of its next try stands still.
        if (receiver.#holding === null) response.writeHead(204, { connection: 'close' }).end();
        else receiver.#holding.fire();
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return receiver;
  }

  private constructor(server: Server) {
    this.#server = server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What a path received, in order. */
  at(path: string): Received[] {
    const received = this.#received.get(path) ?? [];
    this.#received.set(path, received);
    return received;
  }

  /** Stops answering until released; `called` resolves with the first webhook that arrives. */
  hold(): { readonly called: Promise<void>; release(): void } {
    const holding = signal();
    this.#holding = holding;
    return {
      called: holding.fired,
      release: () => {
        this.#holding = null;
      },
    };
  }

  /** Prepares it for the next run. */
  reset(): void {
    this.#received.clear();
    this.#holding = null;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
