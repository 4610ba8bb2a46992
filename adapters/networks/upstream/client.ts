import { Agent, fetch, type Headers, type RequestInit, type Response } from 'undici';
import type { z } from 'zod';
import { ServiceError } from '../../../src/domain/errors.js';
import type { ReadContext } from '../../../src/ports/network.js';
import { defaultFailure, notJson, unreadable } from './failures.js';
import { parseNoting, problemIn } from './readable.js';
import type { Limit, UpstreamRefusal } from './refusal.js';

export interface UpstreamOptions {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** Names the software and a contact. */
  readonly userAgent: string;
  /** Reads the network's dialect of rate headers. */
  readonly limitOf: (headers: Headers) => Limit | undefined;
}

export interface UpstreamRequest<T> {
  /** Includes the query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** POST where there is a body. */
  readonly method?: 'GET' | 'POST';
  /** Sent as JSON. */
  readonly body?: unknown;
  /** The schema of the answer; members that it does not name are dropped. */
  readonly schema: z.ZodType<T>;
  readonly context: ReadContext;
  /** The error for a refusal with a meaning specific to this network; undefined for any other refusal. */
  readonly failureOf?: (refusal: UpstreamRefusal) => ServiceError | undefined;
}

/** Connections to one host. A read that waits for the pace does not occupy one. */
const CONNECTIONS = 32;
const CONNECT_MS = 10_000;
/** The longest silence before the head and within the body. The caller's signal usually fires sooner. */
const SILENCE_MS = 30_000;

/**
 * One upstream over HTTP: a pool of connections, answers validated on arrival, and failures with the interface's codes.
 */
export class Upstream {
  readonly #options: UpstreamOptions;
  readonly #agent = new Agent({
    connections: CONNECTIONS,
    headersTimeout: SILENCE_MS,
    bodyTimeout: SILENCE_MS,
    connect: { timeout: CONNECT_MS },
  });

  constructor(options: UpstreamOptions) {
    this.#options = options;
  }

  /** The validated answer. Throws a ServiceError with an upstream code; an aborted read throws the signal's reason. */
  async request<T>(request: UpstreamRequest<T>): Promise<T> {
    return (await this.requestWithHeaders(request)).body;
  }

  /** Like `request`, but with the headers, for networks that put a list's next position there. */
  async requestWithHeaders<T>(request: UpstreamRequest<T>): Promise<{ readonly body: T; readonly headers: Headers }> {
    const { path, schema, context, failureOf } = request;
    const { status, headers, text } = await this.#send(request);
    const limit = this.#options.limitOf(headers);
    if (limit) context.observe?.(limit);
    const json = parse(text);
    if (status < 200 || status > 299) {
      const refusal = { status, headers, json, text: text.slice(0, 500), limit };
      throw failureOf?.(refusal) ?? defaultFailure(refusal);
    }
    if (json === undefined) throw notJson(path, text);
    const { result, problems } = parseNoting(schema, json);
    const problem = problems[0] ?? (result.error && problemIn(result.error));
    if (problem !== undefined)
      context.onUnreadable?.(Math.max(1, problems.length), `${path.split('?')[0]}: ${problem}`);
    if (result.success) return { body: result.data, headers };
    throw unreadable(path, problemIn(result.error));
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async #send({ path, method, headers = {}, body, context: { signal } }: UpstreamRequest<unknown>): Promise<{
    status: number;
    headers: Headers;
    text: string;
  }> {
    const { baseUrl, userAgent } = this.#options;
    const init: RequestInit = {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: {
        accept: 'application/json',
        'user-agent': userAgent,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      // A redirect would take the credentials along.
      redirect: 'manual',
      signal,
      dispatcher: this.#agent,
    };
    try {
      const response = await fetch(baseUrl + path, init);
      return { status: response.status, headers: response.headers, text: await readBody(path, response) };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof ServiceError) throw error;
      throw new ServiceError('upstream_error', 'The network could not be reached.', { cause: error });
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Far more than any page; a larger body is not an answer to the request. */
const MOST_BYTES = 16 * 1024 * 1024;

/** The whole body as text; a refusal that is too long is cut off. Throws when the body ends early or is too long. */
async function readBody(path: string, response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BYTES) {
      // So much is content, such as a thread: the network works, and would send the same again.
      if (response.ok) throw unreadable(path, 'the answer is larger than 16 MiB');
      break;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
