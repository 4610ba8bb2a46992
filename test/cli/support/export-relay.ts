import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What passes between an export and the service. */
export interface Passing {
  /** Answers of pages so far, this one not counted. */
  readonly pages: number;
  readonly query: URLSearchParams;
  /** Of the service itself. */
  readonly address: URL;
}

type Answer = { readonly status: number; readonly headers?: Record<string, string>; readonly body: string };

/** A stand between an export and a real service, where a test can act at a known moment. */
export interface Relay {
  readonly url: string;
  /** Calls of pages as they were sent, and what the service charged for each. */
  readonly calls: { readonly query: URLSearchParams; readonly charged: number; readonly ids: readonly string[] }[];
  /** Before a page is read; an answer given here goes back in its place. */
  before: (passing: Passing) => Promise<Answer | undefined> | Answer | undefined;
  /** When a page was read and charged, before its answer is passed on. */
  after: (passing: Passing) => Promise<void> | void;
  /** Takes no connection any more; what is being answered still is. */
  down(): Promise<void>;
  /** At the same address again. */
  up(): Promise<void>;
  close(): Promise<void>;
}

export async function openRelay(to: string): Promise<Relay> {
  const server = createServer(async (request, response) => {
    const address = new URL(request.url ?? '/', to);
    const query = address.searchParams;
    const isPage = query.get('estimate') === null && !address.pathname.startsWith('/v1/usage/');
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
  const listen = (at: number) => new Promise<void>((done) => server.listen(at, '127.0.0.1', done));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const relay: Relay = {
    url: `http://127.0.0.1:${port}`,
    calls: [],
    before: () => undefined,
    after: () => {},
    async down() {
      server.close();
      server.closeIdleConnections();
    },
    up: () => listen(port),
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return relay;
}
