import * as zlib from 'node:zlib';
import { brotliCompressSync, constants, crc32, deflateRawSync } from 'node:zlib';
import type { Encoded, Rendered } from '../../../src/serve/rendered.js';

/**
 * A content encoding in two parts that together form one ordinary stream: a compressed beginning that many answers
 * share, and an uncompressed end that is each answer's own. The beginning is flushed, so that it ends on a whole byte;
 * the end uses each format's block for uncompressed data, and its checksum continues the beginning's.
 */
export interface Encoding {
  readonly name: 'br' | 'zstd' | 'gzip';
  /** `shared` is at least one byte long. */
  begin(shared: Buffer): Buffer;
  /** `begun`: the checksum of the beginning, and how many bytes were compressed. */
  end(own: Buffer, begun: { readonly checksum: number; readonly length: number }): Buffer;
}

export const encode = ({ begin }: Encoding, shared: Buffer): Encoded => ({
  bytes: begin(shared),
  checksum: crc32(shared),
});

/** Bytes that one stored block may contain, in all three formats. */
const BLOCK_BYTES = 0xffff;

/** The blocks of a text that is stored uncompressed; `head` writes the header of each. */
function stored(own: Buffer, head: (length: number, isLast: boolean) => Buffer): Buffer[] {
  const blocks: Buffer[] = [];
  let at = 0;
  do {
    const block = own.subarray(at, at + BLOCK_BYTES);
    at += block.length;
    blocks.push(head(block.length, at >= own.length), block);
  } while (at < own.length);
  return blocks;
}

function littleEndian(value: number, bytes: number): Buffer {
  const made = Buffer.alloc(bytes);
  made.writeUIntLE(value, 0, bytes);
  return made;
}

/** RFC 1952: a header without a name or a time, from an unknown system. */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

/** RFC 1951, section 3.2.4. */
const storedHead = (size: number, isLast: boolean): Buffer =>
  Buffer.concat([Buffer.from([isLast ? 1 : 0]), littleEndian(size, 2), littleEndian(~size & 0xffff, 2)]);

/** RFC 1952 around RFC 1951. */
export const GZIP: Encoding = {
  name: 'gzip',
  begin: (shared) => Buffer.concat([GZIP_HEADER, deflateRawSync(shared, { finishFlush: constants.Z_SYNC_FLUSH })]),
  end(own, { checksum, length }) {
    // zlib does not continue a checksum over no bytes, but starts again.
    const sum = own.length === 0 ? checksum : crc32(own, checksum);
    const total = (length + own.length) % 2 ** 32;
    return Buffer.concat([...stored(own, storedHead), littleEndian(sum, 4), littleEndian(total, 4)]);
  },
};

/** Compresses texts of this size better than gzip's best level, in a fifth of the time. */
export const BROTLI_TEXT = {
  [constants.BROTLI_PARAM_QUALITY]: 5,
  [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
};
/** RFC 7932, section 9.2: an empty last meta-block. */
const BROTLI_END = Buffer.from([0b11]);

/** RFC 7932, section 9.2: uncompressed meta-blocks. */
const BROTLI: Encoding = {
  name: 'br',
  begin: (shared) => brotliCompressSync(shared, { params: BROTLI_TEXT, finishFlush: constants.BROTLI_OPERATION_FLUSH }),
  end(own) {
    // From the lowest bit: not the last, four nibbles of length, the length less one, uncompressed, and zeros to a
    // whole byte.
    const head = (size: number): Buffer => littleEndian(((size - 1) << 3) | (1 << 19), 3);
    return Buffer.concat([...(own.length > 0 ? stored(own, head) : []), BROTLI_END]);
  },
};

/** Exists from Node 22.15 on; Perch compiles against the types of the oldest Node that it supports. */
const { zstdCompressSync } = zlib as { readonly zstdCompressSync?: CompressSync };
type CompressSync = (bytes: Buffer, options: { readonly finishFlush: number }) => Buffer;
const ZSTD_FLUSH = 1;

/** RFC 8878, section 3.1.1.2: raw blocks, in a frame that states neither a size nor a checksum. */
const zstd = (compress: CompressSync): Encoding => ({
  name: 'zstd',
  begin: (shared) => compress(shared, { finishFlush: ZSTD_FLUSH }),
  end(own) {
    const head = (size: number, isLast: boolean): Buffer => littleEndian((size << 3) | (isLast ? 1 : 0), 3);
    return Buffer.concat(stored(own, head));
  },
});

/** Best compression first. Zstandard where this Node has it. */
export const ENCODINGS: readonly Encoding[] = [BROTLI, ...(zstdCompressSync ? [zstd(zstdCompressSync)] : []), GZIP];

/** One piece of a body. Shared pieces are compressed once and kept; the others are sent uncompressed. */
export type Piece = Rendered | Buffer;

/** The bytes of all pieces, uncompressed. */
export const joined = (pieces: readonly Piece[]): Buffer =>
  Buffer.concat(pieces.map((piece) => (Buffer.isBuffer(piece) ? piece : piece.bytes)));

/**
 * All pieces as one gzip member. Gzip is the only format of the three in which compressed pieces can follow each other.
 * `made`: how many bytes had to be compressed for it.
 */
export function gzipPieces(pieces: readonly Piece[]): { readonly bytes: Buffer; readonly made: number } {
  const out: Buffer[] = [GZIP_HEADER];
  let [checksum, length, made] = [0, 0, 0];
  for (const piece of pieces) {
    const raw = Buffer.isBuffer(piece) ? piece : piece.bytes;
    if (raw.length === 0) continue;
    checksum = crc32(raw, checksum);
    length += raw.length;
    if (Buffer.isBuffer(piece)) {
      out.push(...stored(piece, (size) => storedHead(size, false)));
      continue;
    }
    let begun = piece.get(GZIP.name);
    if (begun === undefined) {
      begun = encode(GZIP, raw);
      piece.set(GZIP.name, begun);
      made += raw.length;
    }
    out.push(begun.bytes.subarray(GZIP_HEADER.length));
  }
  out.push(GZIP.end(Buffer.alloc(0), { checksum, length }));
  return { bytes: Buffer.concat(out), made };
}
