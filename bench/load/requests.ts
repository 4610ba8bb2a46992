import { randomBytes } from 'node:crypto';
import type { Load, Target } from './load.js';

/** A request as text in two parts: before and after the headers that change with each request. */
interface Parts {
  readonly head: string;
  readonly tail: string;
}

/** A load without its duration and number of requests. */
type LoadRequest = Omit<Load, 'connections' | 'seconds' | 'answers'>;

function partsOf({ url, headers = {} }: LoadRequest, { path, body, headers: own }: Target): Parts {
  const all = {
    host: new URL(url).host,
    accept: 'application/json',
    ...headers,
    ...own,
    ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  };
  const method = body === undefined ? 'GET' : 'POST';
  const lines = [`${method} ${path} HTTP/1.1`, ...Object.entries(all).map(([name, value]) => `${name}: ${value}`)];
  return { head: `${lines.join('\r\n')}\r\n`, tail: `\r\n${body ?? ''}` };
}

const ownTarget = ({ url, body }: LoadRequest): Target => {
  const { pathname, search } = new URL(url);
  return { path: pathname + search, ...(body !== undefined && { body }) };
};

/** Returns the bytes of each request in turn. Constant parts are built once, so that this costs almost nothing. */
export function requestsOf(request: LoadRequest): () => string {
  const { keys = [], targets = [ownTarget(request)], traced = false } = request;
  const parts = targets.map((target) => partsOf(request, target));
  const traceId = randomBytes(8).toString('hex');
  let turn = 0;
  return () => {
    const { head, tail } = parts[turn % parts.length] as Parts;
    const key = keys.length === 0 ? '' : `x-api-key: ${keys[turn % keys.length]}\r\n`;
    turn += 1;
    const span = turn.toString(16).padStart(16, '0');
    return traced ? `${head}${key}traceparent: 00-${traceId}${span}-${span}-01\r\n${tail}` : head + key + tail;
  };
}
