import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

const CHUNK_BYTES = 64 * 1024;

async function isGzip(path: string): Promise<boolean> {
  if (path.endsWith('.gz')) return true;
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
  } finally {
    await file.close();
  }
}

/** A file's content in chunks, decompressed if it is gzip; `onBytes` gets the sizes on disk. */
export async function* readBytes(path: string, onBytes?: (bytes: number) => void): AsyncGenerator<Buffer> {
  const gzip = await isGzip(path);
  const file = (await open(path)).createReadStream({ highWaterMark: CHUNK_BYTES });
  file.on('data', (chunk) => onBytes?.(chunk.length));
  file.pause();
  if (!gzip) return yield* file as AsyncIterable<Buffer>;
  // The reader below receives the error itself; pipeline only ties the two lifetimes together.
  const unpacked = pipeline(file, createGunzip({ chunkSize: CHUNK_BYTES }), () => {});
  yield* unpacked as AsyncIterable<Buffer>;
}

/** A message about why reading stopped. */
export function readProblem(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (code === 'Z_BUF_ERROR') return 'the gzip data ends too early: the file is truncated; copy it again';
  if (typeof code === 'string' && code.startsWith('Z_')) return `invalid gzip data (${message}); copy the file again`;
  return `read error (${message})`;
}
