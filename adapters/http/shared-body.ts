import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Rendered } from '../../src/serve/rendered.js';
import { encodingAskedFor } from './accept-encoding.js';
import { ENCODINGS, encode, GZIP, gzipPieces, type Piece } from './encodings.js';

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

/**
 * Sends both parts as one body. The shared part is compressed once for each encoding that is requested, and kept; the
 * call's own part is sent uncompressed.
 */
export function sendShared(request: FastifyRequest, reply: FastifyReply, { shared, own }: SharedBody): FastifyReply {
  request.madeBytes = 0;
  const isSmall = shared.bytes.length + own.length < LEAST_COMPRESSED;
  const encoding = isSmall ? undefined : askedFor(request);
  if (!isSmall) varyByEncoding(reply);
  if (encoding === undefined) return reply.send(Buffer.concat([shared.bytes, own]));
  let begun = shared.get(encoding.name);
  if (begun === undefined) {
    begun = encode(encoding, shared.bytes);
    shared.set(encoding.name, begun);
    request.madeBytes = shared.bytes.length;
  }
  const end = encoding.end(own, { checksum: begun.checksum, length: shared.bytes.length });
  return reply.header('Content-Encoding', encoding.name).send(Buffer.concat([begun.bytes, end]));
}

const varyByEncoding = (reply: FastifyReply): FastifyReply =>
  reply.header('Vary', [reply.getHeader('Vary') ?? [], 'accept-encoding'].flat().join(', '));

function askedFor({ headers }: FastifyRequest, names: string[] = NAMES): (typeof ENCODINGS)[number] | undefined {
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
  if (isSmall || askedFor(request, [GZIP.name]) === undefined) {
    if (isSmall || askedFor(request) === undefined) request.madeBytes = 0;
    return reply.send(Buffer.concat(raw));
  }
  const { bytes, made } = gzipPieces(pieces);
  request.madeBytes = made;
  return reply.header('Content-Encoding', GZIP.name).send(bytes);
}
