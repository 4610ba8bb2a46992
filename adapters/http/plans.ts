import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { BoundedMap } from '../../src/lib/bounded-map.js';
import { bytesOf } from '../../src/lib/bytes-of.js';
import type { Memories } from '../../src/lib/memories.js';
import type { Soon } from '../../src/lib/soon.js';
import type { Call, Outcome } from '../../src/serve/call.js';
import type { Body } from './bodies/shared-body.js';
import type { Headers } from './headers.js';
import { type CallerParts, hasQueryKey } from './request.js';

/** An outcome as one interface writes it; `headers` are those that only this interface sends. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** What the form of an answer may depend on. */
export interface AnswerContext {
  readonly accept: string | undefined;
  readonly baseUrl: string;
  /** The message's id as JSON, where the protocol numbers its messages and the plan was made for another message. */
  readonly messageId?: string | undefined;
}

/** How an interface writes outcomes. */
export interface Form {
  /** The headers of all its answers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Throws where an answer cannot be written; a refusal always can. */
  readonly write: (outcome: Outcome, context: AnswerContext) => HttpAnswer;
}

/** A call without its caller. */
export type PlannedCall = Omit<Call, keyof CallerParts | 'isHandshake'>;

/**
 * What a request asks, for any caller, and how it is answered. Its interface makes it from the request. If the request
 * is answered from a kept answer, the plan is remembered for the next request like it.
 */
export interface Plan {
  readonly call: PlannedCall;
  readonly serve: (call: Call) => Soon<Outcome>;
  readonly form: Form;
}

export interface RememberedPlan extends Plan {
  /** The headers that are the same for each answer: names and values in turn. */
  readonly head: readonly string[];
}

/** Characters of a request's head and body that decide its answer. Longer requests are read each time. */
const LONGEST = 4096;

/** Memory of the objects around a plan. Measured, rounded up. */
const PLAN_BYTES = 1200;

/**
 * Plans of requests that were answered from kept answers. The same request from another caller, or for another
 * encoding, need not be routed, read and checked again.
 */
export class Plans {
  readonly #known: BoundedMap<RememberedPlan>;

  constructor(memories: Memories) {
    this.#known = memories.map('repeated_requests', { weigh: ({ call }) => PLAN_BYTES + bytesOf(call.document) });
  }

  /** The plan of what is asked, if it is known. */
  find({ key }: PlanKey): RememberedPlan | undefined {
    return this.#known.get(key);
  }

  /** A URL with a key in it is not remembered. */
  remember({ key }: PlanKey, url: string, plan: RememberedPlan): void {
    if (key.length <= LONGEST && !hasQueryKey(url)) this.#known.set(key, plan);
  }
}

/** What a body asks, apart from the number of its message. */
export interface Message {
  readonly key: string;
  /** The message's id as JSON, which the answer repeats. */
  readonly id: string;
}

/**
 * Reads a body of a protocol that numbers its messages; `body` is its bytes as Latin-1. Undefined: no key can tell this
 * message from others.
 */
export type ReadMessage = (headers: IncomingHttpHeaders, body: string) => Message | undefined;

/** What a plan is found by: everything that decides what a request asks, but not who asks. */
export interface PlanKey {
  readonly key: string;
  readonly messageId: string | undefined;
}

/** What a request asks; undefined: its plan cannot be remembered. */
export function planKey(request: IncomingMessage, body: string, readers: MessageReaders): PlanKey | undefined {
  const { method, url = '', headers } = request;
  const head = `${method} ${url}${headerKey(headers)}`;
  if (body === '') return { key: head, messageId: undefined };
  const read = readers.get(pathOf(url));
  if (read === undefined) return { key: `${head}\n${body}`, messageId: undefined };
  const message = read(headers, body);
  return message && { key: `${head}\n${message.key}`, messageId: message.id };
}

/** As routes are found: without the query, and without a slash at the end. */
const pathOf = (url: string): string => url.replace(/\?.*$/s, '').replace(/(?<=.)\/$/, '');

/** By the path of their protocol. */
export type MessageReaders = ReadonlyMap<string, ReadMessage>;

const headerKey = (headers: IncomingHttpHeaders): string =>
  `\n${sent(headers.accept)}\n${sent(headers['content-type'])}\n${sent(headers['x-max-credits'])}`;

/** An empty header is not the same as none: an empty budget is refused. */
const sent = (value: string | string[] | undefined): string => (value === undefined ? '' : `=${value}`);

/** Whether a request can have been remembered at all. */
export function mayBePlanned({ method, headers }: IncomingMessage): boolean {
  if (headers['x-api-key'] === undefined && headers.authorization === undefined) return false;
  if (headers['transfer-encoding'] !== undefined) return false;
  const length = Number(headers['content-length'] ?? 0);
  return method === 'GET' ? length === 0 : method === 'POST' && length > 0 && length <= LONGEST;
}
