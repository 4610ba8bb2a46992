import { Agent, request } from 'node:http';

export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any interface
  readonly body: any;
  readonly text: string;
  /** From sending to the end of the answer. */
  readonly ms: number;
}

export interface Sender {
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Received>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Received>;
  close(): void;
}

/** Sends from an address of its own (any of 127.0.0.0/8), with or without a key. Rejects if the connection breaks. */
export function senderFrom(url: string, localAddress: string, key: string | null): Sender {
  const agent = new Agent({ keepAlive: true, localAddress });
  const send = (method: string, path: string, given: Readonly<Record<string, string>>, body?: string) =>
    new Promise<Received>((resolve, reject) => {
      const startedAt = performance.now();
      const headers = { ...(key !== null && { 'x-api-key': key }), ...given };
      const sent = request(url + path, { method, agent, localAddress, headers, timeout: 60_000 }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const ms = performance.now() - startedAt;
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: parsed(text), text, ms });
        });
      });
      sent.on('error', reject);
      sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
      sent.end(body);
    });
  return {
    get: (path, headers = {}) => send('GET', path, headers),
    post: (path, body, headers = {}) =>
      send('POST', path, { 'content-type': 'application/json', ...headers }, JSON.stringify(body)),
    close: () => agent.destroy(),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
