import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
}

export interface FakeAnswer {
  readonly status: number;
  readonly json?: unknown;
  readonly html?: string;
  readonly location?: string;
}

/** An error in Stripe's form. */
export const refusal = (
  status: number,
  message: string,
  type = 'invalid_request_error',
  code?: string,
): FakeAnswer => ({
  status,
  json: { error: { type, message, ...(code !== undefined && { code }) } },
});

/** A host on a free local port. */
export async function listenLocally(
  answer: (request: FakeRequest) => Promise<FakeAnswer>,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    void readRequest(request)
      .then(answer)
      .catch((error: unknown) => refusal(500, String(error), 'api_error'))
      .then((given) => send(response, given));
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => closeServer(server) };
}

async function readRequest(request: IncomingMessage): Promise<FakeRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const url = new URL(request.url ?? '/', 'http://stripe.test');
  return {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    form: new URLSearchParams(Buffer.concat(chunks).toString('utf8')),
    headers: request.headers,
  };
}

function send(response: ServerResponse, { status, json, html, location }: FakeAnswer): void {
  if (location !== undefined) response.setHeader('Location', location);
  response.setHeader('Content-Type', html === undefined ? 'application/json' : 'text/html; charset=utf-8');
  response.writeHead(status).end(html ?? JSON.stringify(json ?? {}));
}

const closeServer = (server: Server): Promise<void> =>
  new Promise((done) => {
    server.close(() => done());
    server.closeAllConnections();
  });
