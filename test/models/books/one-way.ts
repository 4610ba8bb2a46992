/** A way to the service that loses answers. */
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { signal } from './signal.js';

export interface OneWay {
  readonly url: string;
  /** Resolves with the first byte of an answer. No byte is passed on. */
  readonly answered: Promise<void>;
  close(): void;
}

export async function openOneWay(url: string): Promise<OneWay> {
  const { hostname, port } = new URL(url);
  const answered = signal();
  const sockets: Socket[] = [];
  const server = createServer((client) => {
    const service = createConnection({ host: hostname, port: Number(port) });
    client.pipe(service);
    service.on('data', answered.fire);
    for (const socket of [client, service]) {
      sockets.push(socket);
      socket.on('error', () => {});
    }
    service.on('close', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answered: answered.fired,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
