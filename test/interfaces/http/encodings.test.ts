import * as zlib from 'node:zlib';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENCODINGS, encode, gzipPieces, type Piece } from '../../../adapters/http/bodies/encodings.js';
import { Rendered } from '../../../src/serve/rendered.js';

const { zstdDecompressSync } = zlib as { readonly zstdDecompressSync?: (bytes: Buffer) => Buffer };
const READERS = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };

/** JSON-like, random, empty, and longer than any one block. */
const texts = fc.oneof(
  fc.json().map((text) => Buffer.from(text.repeat(20))),
  fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(0, 1, 0xffff, 0x1_0000, 0x2_0001).map((length) => Buffer.alloc(length, 'perch ')),
);

describe.each(ENCODINGS.map((encoding) => [encoding.name, encoding] as const))('%s', (name, encoding) => {
  it('makes one stream of a shared beginning and any end, with the checksum and size of both', () => {
    fc.assert(
      fc.property(
        texts.filter(({ length }) => length > 0),
        fc.array(texts, { minLength: 1, maxLength: 3 }),
        (shared, ends) => {
          const { bytes, checksum } = encode(encoding, shared);
          for (const own of ends) {
            const stream = Buffer.concat([bytes, encoding.end(own, { checksum, length: shared.length })]);
            expect(READERS[name]?.(stream).equals(Buffer.concat([shared, own]))).toBe(true);
          }
        },
      ),
    );
  });

  it('compresses the beginning', () => {
    const shared = Buffer.from(JSON.stringify(Array.from({ length: 200 }, (_, id) => ({ id, name: `user${id}` }))));
    expect(encode(encoding, shared).bytes.length).toBeLessThan(shared.length / 3);
  });
});

describe('gzip of several pieces', () => {
  const pieces = fc.array(
    texts.chain((bytes) => fc.constantFrom(bytes, new Rendered(bytes))),
    { maxLength: 6 },
  );
  const raw = (piece: Piece): Buffer => (Buffer.isBuffer(piece) ? piece : piece.bytes);

  it('makes one stream of shared and other pieces in any order, and compresses nothing the second time', () => {
    fc.assert(
      fc.property(pieces, (all) => {
        const whole = Buffer.concat(all.map(raw));
        const kept = all.filter((piece) => !Buffer.isBuffer(piece)).map(raw);
        for (const made of [kept.reduce((sum, { length }) => sum + length, 0), 0]) {
          const result = gzipPieces(all);
          expect(gunzipSync(result.bytes).equals(whole)).toBe(true);
          expect(result.made).toBe(made);
        }
      }),
    );
  });
});
