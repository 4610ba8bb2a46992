import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LEAST_COMPRESSED, negotiateEncoding } from './shared-body.js';

/** Brotli's highest quality takes 25 times as long, and saves another tenth. */
const BROTLI = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT };

/** Better compression first. */
const PACKERS: Readonly<Record<string, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) => promisify(brotliCompress)(body, { params: BROTLI }),
  gzip: (body) => promisify(gzip)(body, { level: constants.Z_BEST_COMPRESSION }),
};

/** Types that are compressed already. */
const COMPRESSED: ReadonlySet<string> = new Set(['image/png', 'application/gzip', 'application/zip']);

export interface Content {
  /** A media type. */
  readonly type: string;
  readonly body: Buffer;
}

export interface Packed {
  readonly body: Buffer;
  /** The name of a content coding. */
  readonly encoding: string;
}

/**
 * The bytes, compressed once for each coding that is asked for, off the event loop, and kept: otherwise the scripts of
 * GraphiQL would cost some 100 ms of a core for each visitor.
 */
export function packable({ type, body }: Content): (acceptEncoding: string | undefined) => Promise<Packed> {
  const made = new Map<string, Promise<Buffer>>();
  const plain: Packed = { body, encoding: 'identity' };
  return async (acceptEncoding) => {
    if (COMPRESSED.has(type) || body.length < LEAST_COMPRESSED) return plain;
    const encoding = negotiateEncoding(acceptEncoding, Object.keys(PACKERS));
    const pack = encoding === undefined ? undefined : PACKERS[encoding];
    if (encoding === undefined || pack === undefined) return plain;
    const packed = made.get(encoding) ?? pack(body);
    made.set(encoding, packed);
    return { body: await packed, encoding };
  };
}
