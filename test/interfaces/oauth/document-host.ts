import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { GuardedDocuments } from '../../../adapters/client-documents/client-documents.js';
import { createMemoryCache } from '../../../adapters/memory/cache.js';
import { type ManualClock, manualClock } from '../../kit/time/manual-clock.js';
import { selfSigned } from './certificate.js';

/** A host of clients' documents at `https://client.test:…`, which only a guard that knows it can reach. */
export interface DocumentHost {
  readonly origin: string;
  readonly port: number;
  /** The requested paths, in order. */
  readonly requested: string[];
  readonly clock: ManualClock;
  /** Reads from this host as from the public internet. */
  readonly documents: GuardedDocuments;
  /** Sets the answer for a path. */
  answer(path: string, listener: RequestListener): void;
  /** Adds a valid document; returns its address. */
  client(path: string, metadata?: Record<string, unknown>): string;
  close(): Promise<void>;
}

const json = (body: unknown): RequestListener => {
  return (_request, response) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
};

export async function startDocumentHost(): Promise<DocumentHost> {
  const { key, cert } = selfSigned(['client.test']);
  const answers = new Map<string, RequestListener>();
  const requested: string[] = [];
  const server: Server = createServer({ key, cert }, (request, response) => {
    requested.push(request.url ?? '');
    const listener = answers.get(request.url ?? '');
    if (listener) listener(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const clock = manualClock();
  const documents = new GuardedDocuments({
    cache: createMemoryCache({ clock }),
    clock,
    userAgent: 'Perch-Test/1',
    allow: {
      isPublic: (address) => address === '127.0.0.1',
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
      anyPort: true,
      ca: cert,
    },
  });
  const origin = `https://client.test:${port}`;
  return {
    origin,
    port,
    requested,
    clock,
    documents,
    answer: (path, listener) => void answers.set(path, listener),
    client(path, metadata = {}) {
      const client_id = origin + path;
      const redirect_uris = ['http://127.0.0.1/callback'];
      answers.set(path, json({ client_id, client_name: 'Document client', redirect_uris, ...metadata }));
      return client_id;
    },
    async close() {
      await documents.close();
      await new Promise<void>((resolve) => server.close(() => resolve()).closeAllConnections());
    },
  };
}
