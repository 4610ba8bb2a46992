import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { BoundedMap } from '../../src/lib/bounded-map.js';
import { bytesOf } from '../../src/lib/bytes-of.js';
import type { Memories } from '../../src/lib/memories.js';
import type { Call, Outcome } from '../../src/serve/call.js';
import type { SharedBody } from './bodies/shared-body.js';
import { type CallerParts, hasQueryKey } from './request.js';

/** A call without its caller: one whose answer is rendered, and that the engine executes. */
export type AskedCall = Omit<Call, keyof CallerParts | 'render' | 'run' | 'isHandshake'> &
  Required<Pick<Call, 'render'>>;

/** What a request asks, for any caller, and the form of its answer: as its interface worked it out before. */
export interface Asked {
  readonly call: AskedCall;
  readonly serve: (call: Call) => Promise<Outcome>;
  /** Headers of every answer to it; those of its outcome are added. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body of an outcome; undefined for one that the interface sends in another way. */
  readonly bodyOf: (outcome: Outcome) => SharedBody | undefined;
}

export interface Remembered extends Asked {
  /** What is the same in the head of each answer: names and values in turn. */
  readonly head: readonly string[];
}

/** Characters of a request's head and body that decide its answer. Longer requests are read each time. */
const LONGEST = 4096;

/** Memory of the objects around a call. Measured, rounded up. */
const ASKED_BYTES = 1200;

/**
 * What requests asked that were answered from kept answers. The same request of another caller, or in another encoding,
 * asks the same: it need not be routed, read and checked again.
 */
export class RepeatedRequests {
  readonly #known: BoundedMap<Remembered>;

  constructor(memories: Memories) {
    this.#known = memories.map('repeated_requests', { weigh: ({ call }) => ASKED_BYTES + bytesOf(call.document) });
  }

  /** What the request asks, if it is known. */
  find(request: IncomingMessage, body: string): Remembered | undefined {
    return this.#known.get(requestKey(request, body));
  }

  /** An address with a key in it is not kept. */
  remember(request: IncomingMessage, body: string, asked: Remembered): void {
    if (hasQueryKey(request.url ?? '')) return;
    const key = requestKey(request, body);
    if (key.length <= LONGEST) this.#known.set(key, asked);
  }
}

/** Everything of a request that decides what it asks: not who asks, nor what only traces and encodings depend on. */
const requestKey = ({ method, url, headers }: IncomingMessage, body: string): string =>
  body === '' ? `${method} ${url}${headerKey(headers)}` : `${method} ${url}${headerKey(headers)}\n${body}`;

const headerKey = (headers: IncomingHttpHeaders): string => {
  const { accept = '', 'content-type': type = '', 'x-max-credits': budget = '' } = headers;
  return `\n${accept}\n${type}\n${budget}`;
};

/** Whether a request can have been remembered at all. */
export function mayBeRepeated({ method, headers }: IncomingMessage): boolean {
  if (headers['x-api-key'] === undefined && headers.authorization === undefined) return false;
  if (headers['transfer-encoding'] !== undefined) return false;
  const length = Number(headers['content-length'] ?? 0);
  return method === 'GET' ? length === 0 : method === 'POST' && length > 0 && length <= LONGEST;
}
