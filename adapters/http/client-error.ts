import type { Socket } from 'node:net';
import { ServiceError } from '../../src/core/errors.js';
import type { Ids } from '../../src/ports/clock.js';
import { errorBody } from './failure.js';

interface ParserError extends Error {
  readonly code?: string;
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

/** What Node's parser refuses never reaches a route, so the error body is written straight to the socket (P13). */
export function clientError(ids: Ids): (error: ParserError, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
    const message = MESSAGES[status] ?? 'Malformed HTTP request.';
    sendOnSocket(socket, new ServiceError('bad_request', message, { status }), ids.requestId());
  };
}

/** Sends a failure in the standard error shape where there is no route and no reply, then closes the connection. */
export function sendOnSocket(socket: Socket, failure: ServiceError, requestId: string): void {
  const body = JSON.stringify(errorBody(failure, requestId));
  const { status, retryAfter } = failure;
  const head = [
    `HTTP/1.1 ${status} ${REASONS[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    "Content-Security-Policy: default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    'Referrer-Policy: no-referrer',
    'RateLimit-Policy: account; q=1; w=1',
    ...(retryAfter === undefined ? [] : [`Retry-After: ${retryAfter}`]),
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
