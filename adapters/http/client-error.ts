import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ServiceError } from '../../src/domain/errors.js';
import type { Ids } from '../../src/ports/clock.js';
import { prefers } from './accept.js';
import { errorBody, problemBody } from './failure.js';
import { commonHeaders, v1Headers } from './headers.js';

interface ParserError extends Error {
  readonly code?: string;
  /** The chunk that could not be parsed, a Buffer. */
  readonly rawPacket?: unknown;
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
  503: 'Service Unavailable',
};

const MESSAGES: Readonly<Record<number, string>> = {
  408: 'The request took too long to arrive.',
  431: 'The headers are larger than 16 KiB.',
};

/** How long a client may take to read such an answer and to close its side, in milliseconds. */
const LONGEST_FAREWELL_MS = 1000;

export interface SocketFailuresOptions {
  readonly ids: Ids;
  /** Section 9.3 headers: sent with each of these answers, since the path is often unknown. */
  readonly versionHeaders: Readonly<Record<string, string>>;
  /** The public addresses, known once the server listens. */
  readonly addresses: () => FailureAddresses;
}

export interface FailureAddresses {
  readonly baseUrl: string;
  readonly authUrl: string;
}

/** Answers on the bare socket, where there is no route and no reply. */
export interface SocketFailures {
  /**
   * Sends a failure in the standard error shape, or as problem details where the `Accept` header is known and asks for
   * them. The connection is destroyed within a second, even if the client never closes its side.
   */
  send(socket: Socket, failure: ServiceError, accept?: string): void;
  /** Answers a request that Node's parser refuses, which therefore never reaches a route. */
  readonly clientError: (error: ParserError, socket: Socket) => void;
}

export function socketFailures(options: SocketFailuresOptions): SocketFailures {
  const leaving = new WeakSet<Socket>();
  const send: SocketFailures['send'] = (socket, failure, accept) => {
    leaving.add(socket);
    socket.on('error', () => socket.destroy());
    const late = setTimeout(() => socket.destroy(), LONGEST_FAREWELL_MS).unref();
    socket.once('close', () => clearTimeout(late));
    socket.end(formatRawResponse(options, failure, accept));
    // Discards what the client has sent: closing with unread data would cut the answer off.
    socket.resume();
  };
  const clientError: SocketFailures['clientError'] = (error, socket) => {
    // More data of a request that was already refused; the refusal may still be on its way.
    if (leaving.has(socket)) return;
    const { _httpMessage: answer } = socket as AnsweringSocket;
    const isTimeout = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
    // The client would take the failure for the answer that is due, or for a part of it.
    const isOutOfTurn = answer != null && (answer.headersSent || (!isTimeout && answer.req.complete));
    if (error.code === 'ECONNRESET' || !socket.writable || isOutOfTurn) return void socket.destroy();
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : isTimeout ? 408 : 400;
    const message = MESSAGES[status] ?? 'Malformed HTTP request.';
    send(socket, new ServiceError('bad_request', message, { status }), answer?.req.headers.accept ?? acceptIn(error));
  };
  return { send, clientError };
}

/**
 * Undocumented: the answer that is due on a connection, to the request that is being answered or whose head came last.
 */
interface AnsweringSocket extends Socket {
  readonly _httpMessage?: ServerResponse<IncomingMessage> | null;
}

const acceptIn = ({ rawPacket }: ParserError): string | undefined =>
  Buffer.isBuffer(rawPacket) ? /^accept:([^\r\n]*)/im.exec(rawPacket.toString('latin1'))?.[1] : undefined;

function formatRawResponse(
  { ids, versionHeaders, addresses }: SocketFailuresOptions,
  failure: ServiceError,
  accept?: string,
) {
  const id = ids.requestId();
  const { baseUrl, authUrl } = addresses();
  const isProblem = prefers(accept, 'application/problem+json');
  const body = JSON.stringify(isProblem ? problemBody(failure, id, baseUrl) : errorBody(failure, id, baseUrl));
  const { status, retryAfter } = failure;
  const headers = {
    ...commonHeaders(id, { baseUrl, authUrl }),
    ...v1Headers(versionHeaders),
    'Content-Type': `application/${isProblem ? 'problem+json' : 'json'}; charset=utf-8`,
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Credits-Charged': '0',
    Vary: 'Accept',
    ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${REASONS[status]}\r\n${lines.join('')}\r\n${body}`;
}
