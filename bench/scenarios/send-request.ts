import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

/** An answer as received. */
interface Sent {
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** One whole answer. */
export interface Answer {
  readonly sent: Sent;
  readonly text: string;
  /** Credits left in the wallet after it; NaN if the answer does not say, as with contestants. */
  readonly remaining: number;
  readonly charged: number;
  readonly cache: string | undefined;
  readonly data: unknown;
}

interface Body {
  readonly data?: unknown;
  readonly cache?: string;
  readonly credits_charged?: number;
  readonly balance_remaining?: number;
  readonly next_cursor?: string;
  readonly extensions?: {
    readonly credits?: { readonly charged: number; readonly remaining: number; readonly cache: string };
  };
}

export interface RequestOptions {
  readonly key?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends one request on its own connection, with only the given headers. Throws on any answer but 200. */
export async function sendRequest(
  url: string,
  { key, body, headers = {} }: RequestOptions = {},
): Promise<Answer & { body: Body }> {
  const outgoing = request(url, {
    agent: false,
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...headers,
      ...(key !== undefined && { 'x-api-key': key }),
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    },
  });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const sent = { headers: response.headers, bytes: await buffer(response) };
  const text = decoded(sent);
  if (response.statusCode !== 200)
    throw new Error(`${url} was answered with ${response.statusCode}: ${text.slice(0, 500)}`);
  const answer = envelopeIn(JSON.parse(text));
  const credits = answer.extensions?.credits;
  return {
    sent,
    text,
    remaining: credits?.remaining ?? answer.balance_remaining ?? Number.NaN,
    charged: credits?.charged ?? answer.credits_charged ?? Number.NaN,
    cache: credits?.cache ?? answer.cache,
    data: answer.data,
    body: answer,
  };
}

/** The part of a tool's result that REST answers. */
const envelopeIn = (answer: Body & { readonly result?: { readonly structuredContent: Body } }): Body =>
  answer.result?.structuredContent ?? answer;

function decoded({ headers, bytes }: Sent): string {
  const { 'content-encoding': encoding = 'identity' } = headers;
  if (encoding === 'identity') return bytes.toString();
  if (encoding === 'br') return brotliDecompressSync(bytes).toString();
  if (encoding === 'gzip') return gunzipSync(bytes).toString();
  throw new Error(`an answer came in the encoding ${encoding}`);
}
