import { createServer } from 'node:http';
import { freePort } from '../../../adapters/cli/workers/free-port.js';

/** A call that passes between an export and the service. */
export interface Passing {
  /** Page answers before this one. */
  readonly pages: number;
  readonly query: URLSearchParams;
  /** The address of the service itself. */
  readonly address: URL;
}

type Answer = { readonly status: number; readonly headers?: Record<string, string>; readonly body: string };

/** A proxy between an export and a real service, at which a test can act at a known moment. */
export interface Relay {
  readonly url: string;
  /** The page calls as sent, with what the service charged for each. */
  readonly calls: { readonly query: URLSearchParams; readonly charged: number; readonly ids: readonly string[] }[];
  /** Called before a page is read. An answer returned here is sent instead. */
  before: (passing: Passing) => Promise<Answer | undefined> | Answer | undefined;
  /** Called when a page was read and charged, before its answer is passed on. */
  after: (passing: Passing) => Promise<void> | void;
  /** Refuses new connections. Calls in progress are still answered. */
  down(): Promise<void>;
  /** Listens at the same address again. */
  up(): Promise<void>;
  close(): Promise<void>;
}

export async function openRelay(to: string): Promise<Relay> {
  const server = createServer(async (request, response) => {
    const address = new URL(request.url ?? '/', to);
    const query = address.searchParams;
    const isPage = query.get('estimate') === null && !address.pathname.startsWith('/v1/usage');
    const instead = isPage ? await relay.before({ pages: relay.calls.length, query, address }) : undefined;
    if (instead !== undefined) {
      response.writeHead(instead.status, instead.headers).end(instead.body);
      return;
    }
    const got = await fetch(address, { headers: { 'x-api-key': String(request.headers['x-api-key']) } });
    const body = await got.text();
    if (isPage && got.ok) {
      const { credits_charged: charged, data } = JSON.parse(body);
      const ids = data.map((item: string | { id: string }) => (typeof item === 'string' ? item : item.id));
      relay.calls.push({ query, charged, ids });
      await relay.after({ pages: relay.calls.length - 1, query, address });
    }
    const connection = server.listening ? 'keep-alive' : 'close';
    response.writeHead(got.status, { 'content-type': 'application/json', connection }).end(body);
  });
  // Not one that the system gives out: while the relay is down, nobody else may listen there.
  const port = await freePort('127.0.0.1');
  const listen = () => new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  await listen();
  const relay: Relay = {
    url: `http://127.0.0.1:${port}`,
    calls: [],
    before: () => undefined,
    after: () => {},
    async down() {
      server.close();
      server.closeIdleConnections();
    },
    up: listen,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return relay;
}
