import { randomBytes } from 'node:crypto';
import type { Asked, Load } from './load.js';

/** A request as text, in two parts: before the headers that change with each request, and after them. */
interface Parts {
  readonly head: string;
  readonly tail: string;
}

/** What is asked, without how long and how often. */
type Question = Omit<Load, 'connections' | 'seconds' | 'answers'>;

function partsOf({ url, headers = {} }: Question, { path, body, headers: own }: Asked): Parts {
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

const ownAsk = ({ url, body }: Question): Asked => {
  const { pathname, search } = new URL(url);
  return { path: pathname + search, ...(body !== undefined && { body }) };
};

/** Gives the bytes of each request in turn. Everything that does not change is written once: it must cost next to nothing. */
export function requestsOf(question: Question): () => string {
  const { keys = [], asks = [ownAsk(question)], traced = false } = question;
  const parts = asks.map((asked) => partsOf(question, asked));
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
