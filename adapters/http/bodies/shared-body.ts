import type { IncomingHttpHeaders } from 'node:http';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Rendered } from '../../../src/serve/rendered.js';
import { ENCODINGS, encode, GZIP, gzipPieces, type Piece } from './encodings.js';

/**
 * The content coding to answer with, of `names`, the best first; undefined: uncompressed. As for answers that are compressed
 * individually: case does not matter, and `*` means gzip, which every client reads.
 */
export const encodingAskedFor = (acceptEncoding: string | undefined, names: string[]): string | undefined =>
  negotiate((acceptEncoding ?? '').toLowerCase().replaceAll(/\*|x-gzip/g, 'gzip'), names) ?? undefined;

declare module 'fastify' {
  interface FastifyRequest {
    /** Bytes made for this request of a body that is shared: none where they were kept. Otherwise all of its body was. */
    madeBytes?: number;
  }
}

/** Bytes. A smaller body fits one packet with its headers, compressed or not. */
export const LEAST_COMPRESSED = 1400;

/** A body in two parts: what calls with the same answer share, and what is this call's own. */
export interface SharedBody {
  readonly shared: Rendered;
  readonly own: Buffer;
}

/** The complete body. */
export const bodyText = ({ shared, own }: SharedBody): string => `${shared.bytes}${own}`;

const NAMES: string[] = ENCODINGS.map(({ name }) => name);

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
export function encodeShared(headers: IncomingHttpHeaders, { shared, own }: SharedBody): SentBody {
  const varies = shared.bytes.length + own.length >= LEAST_COMPRESSED;
  const encoding = varies ? askedFor(headers) : undefined;
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

/** Sends both parts as one body. */
export function sendShared(request: FastifyRequest, reply: FastifyReply, body: SharedBody): FastifyReply {
  const { begin, end, encoding, varies, made } = encodeShared(request.headers, body);
  request.madeBytes = made;
  if (varies) varyByEncoding(reply);
  if (encoding !== undefined) reply.header('Content-Encoding', encoding);
  return reply.send(Buffer.concat([begin, end]));
}

const varyByEncoding = (reply: FastifyReply): FastifyReply =>
  reply.header('Vary', [reply.getHeader('Vary') ?? [], 'accept-encoding'].flat().join(', '));

function askedFor(headers: IncomingHttpHeaders, names: string[] = NAMES): (typeof ENCODINGS)[number] | undefined {
  const header = headers['accept-encoding'];
  if (typeof header !== 'string' || headers['x-no-compression'] !== undefined) return undefined;
  const name = encodingAskedFor(header, names);
  return ENCODINGS.find((each) => each.name === name);
}

/**
 * Sends kept pieces, with the call's own between them, as one body. The kept ones are compressed once, as gzip; for a
 * client that reads only other encodings the body is compressed as one that was made for it alone.
 */
export function sendPieces(request: FastifyRequest, reply: FastifyReply, pieces: readonly Piece[]): FastifyReply {
  const raw = pieces.map((piece) => (Buffer.isBuffer(piece) ? piece : piece.bytes));
  const isSmall = raw.reduce((sum, { length }) => sum + length, 0) < LEAST_COMPRESSED;
  if (!isSmall) varyByEncoding(reply);
  if (isSmall || askedFor(request.headers, [GZIP.name]) === undefined) {
    if (isSmall || askedFor(request.headers) === undefined) request.madeBytes = 0;
    return reply.send(Buffer.concat(raw));
  }
  const { bytes, made } = gzipPieces(pieces);
  request.madeBytes = made;
  return reply.header('Content-Encoding', GZIP.name).send(bytes);
}
