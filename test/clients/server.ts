import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { freePort } from '../../adapters/cli/workers/free-port.js';

export interface Stub {
  readonly url: string;
  /** The requests, in order. */
  readonly requests: { path: string; key: string | undefined; idempotencyKey: string | undefined }[];
  close(): void;
}

export interface Given {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  /** No answer at all. */
  readonly silent?: boolean;
  /** The head arrives, and of the body at most the beginning: the connection breaks, or says nothing more. */
  readonly bodyLost?: 'cut' | 'held';
}

/** Starts a server that gives one answer per request, and repeats the last: for answers that a correct Perch never gives. */
export async function stub(...answers: readonly Given[]): Promise<Stub> {
  const requests: Stub['requests'] = [];
  const reply = (request: IncomingMessage, response: ServerResponse): void => {
    const { url: path = '', headers } = request;
    const header = (name: string): string | undefined => headers[name]?.toString();
    requests.push({ path, key: header('x-api-key'), idempotencyKey: header('idempotency-key') });
    const given = answers[Math.min(requests.length, answers.length) - 1] ?? {};
    if (given.silent) return;
    response.writeHead(given.status ?? 200, { 'content-type': 'application/json', ...given.headers });
    if (given.bodyLost !== undefined) response.write('{', () => given.bodyLost === 'cut' && response.destroy());
    else response.end(given.body ?? '{}');
  };
  const server = createServer(reply);
  // Not of the ports that the system gives out: after `close`, a caller expects that nobody listens there.
  const port = await freePort('127.0.0.1');
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The id of the request, as the stub's answers say it. */
export const REQUEST_ID = '019e1d2a-7c40-7b53-9f11-2d6a8e4c0b97';

export const failure = (status: number, code: string, retryAfter?: number): Given => ({
  status,
  ...(retryAfter !== undefined && { headers: { 'retry-after': String(retryAfter) } }),
  body: JSON.stringify({
    error: { code, message: 'It failed.', ...(retryAfter !== undefined && { retry_after: retryAfter }) },
    request_id: REQUEST_ID,
  }),
});

/** A page of ids, as Perch gives it. */
export const page = (over: object): Given => ({
  body: JSON.stringify({
    items: 1,
    credits_charged: 1,
    balance_remaining: 9,
    cache: 'miss',
    request_id: REQUEST_ID,
    data: ['1'],
    ...over,
  }),
});
