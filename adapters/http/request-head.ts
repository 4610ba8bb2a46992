import type { IncomingMessage } from 'node:http';
import { badRequest, ServiceError } from '../../src/domain/errors.js';

/** Bytes. Node's parser bounds only the two together. */
export const HEAD_BOUNDS = { url: 8 * 1024, headers: 16 * 1024 } as const;

/** RFC 3986: a name, an IPv4 address or an IPv6 one in brackets, and a port; empty where a target has no host. */
const HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9._~!$&'()*+,;=%-]*)(?::[0-9]*)?$/i;

/** Names and addresses that no other site can have: a page of another site is requested by its own name. */
const OWN_MACHINE = /^(?:\[[0-9a-f:.]+\]|\d+\.\d+\.\d+\.\d+|(?:[a-z0-9_-]+\.)*localhost)(?::[0-9]*)?$/i;

/** Repeated headers that Node merges: it keeps the first or joins them, although the second may say something else. */
const SENT_ONCE: ReadonlySet<string> = new Set(['host', 'authorization', 'x-api-key']);

/**
 * What is wrong with the head of a request that Node's parser accepted. Every refusal that depends on headers belongs
 * here: a request whose plan is known is charged once this finds no fault. `isOwnMachine`: whether the service is
 * for this machine alone, so that a browser may not reach it through a name of another site (H20).
 */
export function faultOfHead(
  request: IncomingMessage,
  { isOwnMachine = false }: { readonly isOwnMachine?: boolean },
): ServiceError | undefined {
  const { url = '', rawHeaders, httpVersion, headers } = request;
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
  if (!isUtf8Encoded(url)) return badRequest('The URL is not percent-encoded UTF-8.');
  const repeated = findRepeatedHeader(rawHeaders);
  if (repeated !== undefined) return badRequest(`The ${repeated} header is sent more than once: send it once.`);
  const { host, expect } = headers;
  if (expect !== undefined && !/^100-continue$/i.test(expect)) {
    return new ServiceError('bad_request', 'Expect may only be 100-continue.', { status: 417 });
  }
  const encoded = encodedBody(request);
  if (encoded) return encoded;
  // RFC 9112, 3.2.
  if (host === undefined && httpVersion === '1.1') return badRequest('The Host header is missing.');
  if (host !== undefined && !HOST.test(host)) return badRequest('The Host header is not a host with an optional port.');
  if (isOwnMachine && host !== undefined && !OWN_MACHINE.test(host)) {
    return badRequest(
      'This demo is for its own machine: open it at localhost or an IP address. To give it a name, set PERCH_BASE_URL to the address with that name.',
    );
  }
  return undefined;
}

/** Bodies are never unpacked: a few bytes may become any number (H14). Without a body the header means nothing. */
export function encodedBody(request: IncomingMessage): ServiceError | undefined {
  const { 'content-encoding': coding = '' } = request.headers;
  if (!hasBody(request) || /^(?:identity)?$/i.test(coding)) return undefined;
  const message = 'Content-Encoding is not accepted: send the body as it is, uncompressed.';
  return new ServiceError('bad_request', message, { status: 415 });
}

export const hasBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Whether the percent-encoded bytes of a text are UTF-8. Most decoders would silently replace invalid ones (H16). */
export function isUtf8Encoded(text: string): boolean {
  try {
    for (const [bytes] of text.matchAll(/(?:%[0-9a-f]{2})+/gi)) decodeURIComponent(bytes);
    return true;
  } catch {
    return false;
  }
}

/** The name of a header that is repeated although it must be sent once. `rawHeaders` has names and values in turn. */
function findRepeatedHeader(rawHeaders: readonly string[]): string | undefined {
  let seen = '';
  for (let nth = 0; nth < rawHeaders.length; nth += 2) {
    const name = (rawHeaders[nth] ?? '').toLowerCase();
    if (!SENT_ONCE.has(name)) continue;
    if (seen.includes(`${name}\n`)) return rawHeaders[nth];
    seen += `${name}\n`;
  }
  return undefined;
}

const SCHEME_AND_HOST = /^https?:\/\/[^/?#]*/i;

/** Escapes, but not those behind the pieces of another one: decoded, they would complete it. */
const ESCAPE = /(?<!%[0-9a-f]?)%([0-9a-f]{2})/gi;

/**
 * The target of a request as it is usually written, so that a path is recognised however it was sent: without scheme and
 * host (RFC 9112, 3.2.2), and with the characters that need no escape decoded (RFC 3986, 6.2.2.2).
 */
export function usualTarget(target: string): string {
  if (target.startsWith('/') && !target.includes('%')) return target;
  const local = target.replace(SCHEME_AND_HOST, '');
  const path = local === target || local.startsWith('/') ? local : `/${local}`;
  return path.replaceAll(ESCAPE, (written, octet: string) => {
    const character = String.fromCharCode(Number.parseInt(octet, 16));
    return /[\w.~-]/.test(character) ? character : written;
  });
}
