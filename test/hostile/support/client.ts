import { Agent, request } from 'node:http';

/** What an attacker sends. */
export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: string | object;
  readonly key?: string;
  /** The address of the loopback it comes from. */
  readonly from?: string;
}

export interface Answer {
  /** 0 if the connection broke or there was no answer. */
  readonly status: number;
  readonly ms: number;
  readonly bytes: number;
  /** The code of the first failure in it, on any interface; null if there is none. */
  readonly code: string | null;
  readonly message: string | null;
  readonly retryAfter: number | null;
  readonly text: string;
}

export interface Client {
  send(sent: Sent): Promise<Answer>;
  close(): void;
}

const KEEP_TEXT = 256 * 1024;

/** Keeps connections open, one set for each address it sends from. */
export function createClient(url: () => string, signal: AbortSignal): Client {
  const agents = new Map<string, Agent>();
  const agentOf = (localAddress: string): Agent => {
    const agent = agents.get(localAddress) ?? new Agent({ keepAlive: true, maxSockets: 200, localAddress });
    agents.set(localAddress, agent);
    return agent;
  };
  return {
    send: (sent) => send(url(), sent, agentOf(sent.from ?? '127.0.0.1'), signal),
    close() {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

const NO_ANSWER = { status: 0, bytes: 0, code: null, message: null, retryAfter: null, text: '' };

function send(url: string, sent: Sent, agent: Agent, signal: AbortSignal): Promise<Answer> {
  const body = typeof sent.body === 'object' ? JSON.stringify(sent.body) : sent.body;
  const headers = {
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    }),
    ...(sent.key !== undefined && { 'x-api-key': sent.key }),
    ...sent.headers,
  };
  const method = sent.method ?? (body === undefined ? 'GET' : 'POST');
  const startMs = performance.now();
  return new Promise((resolve) => {
    const broken = (): void => resolve({ ...NO_ANSWER, ms: performance.now() - startMs });
    if (signal.aborted) return broken();
    const going = request(`${url}${sent.path}`, { agent, method, headers, signal }, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= KEEP_TEXT) chunks.push(chunk);
      });
      response.on('error', broken);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const wait = response.headers['retry-after'];
        const status = response.statusCode ?? 0;
        const retryAfter = wait === undefined ? null : Number(wait);
        resolve({ status, ms: performance.now() - startMs, bytes, retryAfter, text, ...failureIn(text) });
      });
    });
    going.on('error', broken);
    going.end(body);
  });
}

interface Failure {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly extensions?: { readonly code?: unknown };
}

/** Reads the form of REST and OAuth, of GraphQL, or of JSON-RPC. */
function failureIn(text: string): { code: string | null; message: string | null } {
  let body: { error?: Failure | string; error_description?: string; errors?: readonly Failure[] };
  try {
    body = JSON.parse(text.replace(/^event: .*\ndata: /, '')) ?? {};
  } catch {
    return { code: null, message: null };
  }
  if (typeof body.error === 'string') return { code: body.error, message: body.error_description ?? null };
  const failure = body.error ?? body.errors?.[0];
  if (failure === undefined || typeof failure !== 'object') return { code: null, message: null };
  const code = failure.extensions?.code ?? failure.code ?? null;
  return {
    code: code === null ? null : String(code),
    message: failure.message === undefined ? null : String(failure.message),
  };
}
