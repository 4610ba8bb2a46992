import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { packable } from '../../../adapters/http/bodies/packed.js';

const body = Buffer.from('a line of a script;\n'.repeat(200));
const UNPACKED: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  identity: (bytes) => bytes,
};

describe('an asset', () => {
  it.each([
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['*', 'gzip'],
    ['gzip;q=1, br;q=0', 'gzip'],
    ['gzip;q=0', 'identity'],
    ['gzip;q=0, *', 'identity'],
    ['*;q=0.1, x-gzip;q=0', 'identity'],
    ['deflate', 'identity'],
    ['identity', 'identity'],
    ['', 'identity'],
    ['this, is;q=nothing', 'identity'],
    [undefined, 'identity'],
  ])('is sent for Accept-Encoding %j as %s', async (header, encoding) => {
    const packed = await packable({ type: 'text/javascript', body })(header);
    expect(packed.encoding).toBe(encoding);
    expect(UNPACKED[encoding]?.(packed.body)).toEqual(body);
  });

  it('is compressed once for each coding', async () => {
    const bytes = packable({ type: 'text/css', body });
    const [first, second] = await Promise.all([bytes('br'), bytes('br')]);
    expect(first.body).toBe(second.body);
    expect((await bytes('br, gzip')).body).toBe(first.body);
  });

  it('is sent as it is if it is small or a picture', async () => {
    const small = { type: 'text/css', body: body.subarray(0, 1_000) };
    for (const asset of [small, { type: 'image/png', body }]) {
      expect(await packable(asset)('br')).toEqual({ body: asset.body, encoding: 'identity' });
    }
  });
});
