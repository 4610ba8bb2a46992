import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Asset } from './asset-set.js';

const pack = promisify(gzip);

/** Below this, compression is not worth its header (H7). Bytes. */
const WORTH_PACKING = 1024;

/**
 * An asset's bytes, compressed once and kept: GraphiQL is 3.5 MB, and compressing it for each visitor would cost 100 ms
 * of a core.
 */
export function packable({
  type,
  body,
}: Pick<Asset, 'type' | 'body'>): (acceptEncoding: string | undefined) => Promise<{ body: Buffer; gzip: boolean }> {
  let packed: Promise<Buffer> | undefined;
  return async (acceptEncoding) => {
    // A PNG is compressed already.
    if (type === 'image/png' || body.length < WORTH_PACKING || !/\bgzip\b/.test(acceptEncoding ?? ''))
      return { body, gzip: false };
    packed ??= pack(body, { level: 9 });
    return { body: await packed, gzip: true };
  };
}
