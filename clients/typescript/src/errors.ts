import type { components } from './rest.gen.js';

/** The server's codes (section 7 of its interface). A newer server may send others, so keep a default branch. */
export type ErrorCode = components['schemas']['ErrorBody']['code'];

/**
 * Failures without a whole answer from the server: `unreachable` (no connection, or it was lost), `timeout` (no answer
 * in time) and `unreadable` (something other than Perch answered). It is then unknown whether a read was charged: look
 * up the receipt by `requestId`, which is there if the head of the answer arrived, or else `GET /v1/usage`.
 */
export type TransportCode = 'unreachable' | 'timeout' | 'unreadable';

export interface ErrorDetail {
  /** HTTP status; 0 if there was no answer. */
  readonly status: number;
  /** Why, in one word: `private`, `suspended`, `max_credits`, `key_cap` … For `unreachable`, the runtime's own word. */
  readonly reason?: string | undefined;
  /** The parameter at fault. */
  readonly param?: string | undefined;
  /** Identifies the receipt of the call; quote it when you contact support. */
  readonly requestId?: string | undefined;
  /** Seconds until another attempt makes sense. Present only if nothing was charged. */
  readonly retryAfter?: number | undefined;
  /** The page that describes the code. */
  readonly docUrl?: string | undefined;
  /** The path in a GraphQL answer. */
  readonly path?: readonly (string | number)[] | undefined;
}

/**
 * Any failure of a call. A call whose failure the server reports was not charged, unless the `reason` is
 * `charge_unknown`: then look up the receipt by `requestId` before you repeat the call. No field contains the key.
 */
export class PerchError extends Error implements ErrorDetail {
  readonly code: ErrorCode | TransportCode;
  readonly status: number;
  readonly reason: string | undefined;
  readonly param: string | undefined;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly docUrl: string | undefined;
  readonly path: readonly (string | number)[] | undefined;

  constructor(code: ErrorCode | TransportCode, message: string, detail: ErrorDetail) {
    super(message);
    this.name = 'PerchError';
    this.code = code;
    this.status = detail.status;
    this.reason = detail.reason;
    this.param = detail.param;
    this.requestId = detail.requestId;
    this.retryAfter = detail.retryAfter;
    this.docUrl = detail.docUrl;
    this.path = detail.path;
  }
}

/** Has no `retryAfter`, whatever the answer says: a proxy that lost the service's answer does not know of a charge. */
export const unreadable = ({ status, requestId }: ErrorDetail): PerchError =>
  new PerchError('unreadable', `The response (HTTP ${status}) is not from Perch. Is the base URL correct?`, {
    status,
    requestId,
  });

interface Said {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly reason?: string;
  readonly param?: string;
  readonly retry_after?: number;
  readonly doc_url?: string;
}

/** An error as the server sends it, in REST's `error` or GraphQL's `extensions`. */
export function toError(said: Said | undefined, rest: ErrorDetail): PerchError {
  if (typeof said?.code !== 'string') return unreadable(rest);
  const { reason, param, retry_after: retryAfter = rest.retryAfter, doc_url: docUrl } = said;
  return new PerchError(said.code as ErrorCode, String(said.message ?? said.code), {
    reason,
    param,
    docUrl,
    ...rest,
    retryAfter,
  });
}

/** The JSON object that an answer is. Anything else is not from Perch. */
export function parsed(text: string, head: ErrorDetail): object {
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json;
  } catch {
    // Reported below.
  }
  throw unreadable(head);
}
