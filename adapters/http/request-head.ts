import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { badRequest, ServiceError } from '../../src/core/errors.js';
import type { SocketFailures } from './client-error.js';

/** Bytes (P13). Node's parser bounds only the two together. */
export const HEAD_BOUNDS = { url: 8 * 1024, headers: 16 * 1024 } as const;

/** RFC 3986: a name, an IPv4 address or an IPv6 one in brackets, and a port; empty where a target has no host. */
const HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9._~!$&'()*+,;=%-]*)(?::[0-9]*)?$/i;

/** Headers that Node makes one of: it keeps the first, or joins them, although the second may say something else. */
const SENT_ONCE: ReadonlySet<string> = new Set(['host', 'authorization', 'x-api-key']);

/** What is wrong with the head of a request that Node's parser let through. */
export function faultOfHead({ url = '', rawHeaders, httpVersion, headers }: IncomingMessage): ServiceError | undefined {
  if (url.length > HEAD_BOUNDS.url) {
    return new ServiceError('bad_request', `The URL is longer than ${HEAD_BOUNDS.url} bytes.`, { status: 414 });
  }
  let bytes = 0;
  for (const text of rawHeaders) bytes += text.length + 2;
  if (bytes > HEAD_BOUNDS.headers) {
    return new ServiceError('bad_request', `The headers are larger than ${HEAD_BOUNDS.headers} bytes.`, {
      status: 431,
    });
  }
  const repeated = repeatedOf(rawHeaders);
  if (repeated !== undefined) return badRequest(`The ${repeated} header is sent more than once: send it once.`);
  const { host, expect } = headers;
  if (expect !== undefined && !/^100-continue$/i.test(expect)) {
    return new ServiceError('bad_request', 'Expect may only be 100-continue.', { status: 417 });
  }
  // RFC 9112, 3.2.
  if (host === undefined && httpVersion === '1.1') return badRequest('The Host header is missing.');
  if (host !== undefined && !HOST.test(host)) return badRequest('The Host header is not a host with an optional port.');
  return undefined;
}

/** The name of a header that must be sent once, and is sent again. `rawHeaders` has names and values in turn. */
function repeatedOf(rawHeaders: readonly string[]): string | undefined {
  let seen = '';
  for (let nth = 0; nth < rawHeaders.length; nth += 2) {
    const name = (rawHeaders[nth] ?? '').toLowerCase();
    if (!SENT_ONCE.has(name)) continue;
    if (seen.includes(`${name}\n`)) return rawHeaders[nth];
    seen += `${name}\n`;
  }
  return undefined;
}

/** Node answers these itself, with nothing but a status, unless somebody listens. */
export function answerOddRequests(server: Server, failures: SocketFailures): void {
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
  server.on('connect', ({ headers }, socket: Socket) => {
    failures.send(socket, badRequest('CONNECT is not supported: this is not a proxy.'), headers.accept);
  });
}
