import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyReply } from 'fastify';
import type { Rendered } from '../../../src/serve/rendered.js';
import { BROTLI_TEXT, ENCODINGS, encode, GZIP, gzipPieces, joined, type Piece } from './encodings.js';

/**
 * The content coding to answer with, out of `names` (the best first); undefined: uncompressed. Case does not
 * matter, and `*` means gzip, which every client reads, unless gzip is named, too.
 */
export function negotiateEncoding(acceptEncoding: string | undefined, names: string[]): string | undefined {
  const accepted = (acceptEncoding ?? '').toLowerCase().replaceAll('x-gzip', 'gzip');
  const any = accepted.includes('gzip') ? '' : 'gzip';
  return negotiate(accepted.replaceAll('*', any), names) ?? undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** How many bytes of a shared body had to be made for this request. Undefined: its whole body was made for it. */
    madeBytes?: number;
  }
}

/** Bytes. A smaller body fits one packet with its headers, compressed or not. */
export const LEAST_COMPRESSED = 1400;

/** A body in two parts: one that all calls with the same answer share, and one that belongs to this call. */
export interface SharedBody {
  readonly shared: Rendered;
  readonly own: Buffer;
}

const NAMES: string[] = ENCODINGS.map(({ name }) => name);
const OF_TEXTS: string[] = NAMES.filter((name) => name !== 'zstd');

/** A shared body as it is sent to one client: its two parts, which follow each other. */
export interface SentBody {
  readonly begin: Buffer;
  readonly end: Buffer;
  /** The content encoding; undefined: none. */
  readonly encoding: string | undefined;
  /** Whether a client with other headers is sent other bytes. */
  readonly varies: boolean;
  /** Bytes that had to be compressed for it. */
  readonly made: number;
}

/**
 * Both parts in the encoding that the client asks for. The shared part is compressed once for each encoding, and kept;
 * the call's own part is stored uncompressed.
 */
function encodeShared(headers: IncomingHttpHeaders, { shared, own }: SharedBody): SentBody {
  const varies = shared.bytes.length + own.length >= LEAST_COMPRESSED;
  const encoding = varies ? chooseEncoding(headers) : undefined;
  if (encoding === undefined) return { begin: shared.bytes, end: own, encoding, varies, made: 0 };
  let begun = shared.get(encoding.name);
  const made = begun === undefined ? shared.bytes.length : 0;
  if (begun === undefined) {
    begun = encode(encoding, shared.bytes);
    shared.set(encoding.name, begun);
  }
  const end = encoding.end(own, { checksum: begun.checksum, length: shared.bytes.length });
  return { begin: begun.bytes, end, encoding: encoding.name, varies, made };
}

const gzipText = promisify(gzip);
const brotliText = promisify(brotliCompress);
const NOTHING = Buffer.alloc(0);

/** A body. A text is made and compressed for one answer alone; in pieces, kept ones alternate with the call's own. */
export type Body = SharedBody | string | readonly Piece[];

/** A body in the encoding that the client asks for. A body made for one answer is compressed off the event loop. */
export function encodeBody(headers: IncomingHttpHeaders, body: Body): SentBody | Promise<SentBody> {
  if (typeof body === 'string') return encodeOwn(headers, Buffer.from(body));
  return 'shared' in body ? encodeShared(headers, body) : encodePieces(headers, body);
}

/**
 * Pieces as one body. The kept ones are compressed once, as gzip. For a client that reads only other encodings, the
 * whole body is compressed again.
 */
function encodePieces(headers: IncomingHttpHeaders, pieces: readonly Piece[]): SentBody | Promise<SentBody> {
  const size = pieces.reduce((sum, piece) => sum + (Buffer.isBuffer(piece) ? piece : piece.bytes).length, 0);
  const varies = size >= LEAST_COMPRESSED;
  if (varies && chooseEncoding(headers, [GZIP.name]) !== undefined) {
    const { bytes, made } = gzipPieces(pieces);
    return { begin: bytes, end: NOTHING, encoding: GZIP.name, varies, made };
  }
  const begin = joined(pieces);
  if (varies && chooseEncoding(headers) !== undefined) return encodeOwn(headers, begin);
  return { begin, end: NOTHING, encoding: undefined, varies, made: 0 };
}

function encodeOwn(headers: IncomingHttpHeaders, begin: Buffer): SentBody | Promise<SentBody> {
  const whole = {
    begin,
    end: NOTHING,
    encoding: undefined,
    varies: begin.length >= LEAST_COMPRESSED,
    made: begin.length,
  };
  const encoding = whole.varies ? chooseEncoding(headers, OF_TEXTS)?.name : undefined;
  if (encoding === undefined) return whole;
  const packed = encoding === GZIP.name ? gzipText(begin) : brotliText(begin, { params: BROTLI_TEXT });
  return packed.then((bytes) => ({ ...whole, begin: bytes, encoding }));
}

/** Sets the headers of an answer that describe its body's encoding. */
export function setBodyHeaders(reply: FastifyReply, { encoding, varies }: SentBody): void {
  if (varies) varyByEncoding(reply);
  if (encoding !== undefined) reply.header('Content-Encoding', encoding);
}

const varyByEncoding = (reply: FastifyReply): FastifyReply =>
  reply.header('Vary', [reply.getHeader('Vary') ?? [], 'accept-encoding'].flat().join(', '));

function chooseEncoding(headers: IncomingHttpHeaders, names: string[] = NAMES): (typeof ENCODINGS)[number] | undefined {
  const header = headers['accept-encoding'];
  if (typeof header !== 'string' || headers['x-no-compression'] !== undefined) return undefined;
  const name = negotiateEncoding(header, names);
  return ENCODINGS.find((each) => each.name === name);
}
