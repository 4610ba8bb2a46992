import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Source } from './source.js';

const CHUNK_BYTES = 64 * 1024;
/** In UTF-8. */
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/**
 * A file's content in chunks, unpacked if it is gzip, without a byte order mark; `onBytes` gets the packed sizes. Throws
 * for UTF-16.
 */
export async function* readBytes(source: Source, onBytes?: (bytes: number) => void): AsyncGenerator<Buffer> {
  const { head, all } = await peek(counted(await source.open(), onBytes));
  const isGzip = source.name.endsWith('.gz') || (head[0] === 0x1f && head[1] === 0x8b);
  const content = isGzip ? await peek(unpacked(all)) : { head, all };
  if (isUtf16(content.head)) {
    await content.all.return(undefined);
    throw new Utf16Error();
  }
  yield* content.all;
}

async function* counted(file: AsyncIterable<Buffer>, onBytes?: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of file) {
    onBytes?.(chunk.length);
    yield chunk;
  }
}

// The reader receives the error itself; pipeline only ties the two lifetimes together.
const unpacked = (packed: AsyncGenerator<Buffer>): AsyncIterable<Buffer> =>
  pipeline(Readable.from(packed), createGunzip({ chunkSize: CHUNK_BYTES }), () => {});

/** The first bytes (fewer if there are no more), and the whole content including them, but not a byte order mark. */
async function peek(chunks: AsyncIterable<Buffer>): Promise<{ head: Buffer; all: AsyncGenerator<Buffer> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  let next = await iterator.next();
  while (!next.done && head.length + next.value.length < BYTE_ORDER_MARK.length) {
    head = Buffer.concat([head, next.value]);
    next = await iterator.next();
  }
  if (!next.done) head = Buffer.concat([head, next.value]);
  const first = head.subarray(0, BYTE_ORDER_MARK.length);
  async function* all(): AsyncGenerator<Buffer> {
    try {
      if (head.length > 0) yield first.equals(BYTE_ORDER_MARK) ? head.subarray(first.length) : head;
      for (let more = await iterator.next(); !more.done; more = await iterator.next()) yield more.value;
    } finally {
      await iterator.return?.();
    }
  }
  return { head: first, all: all() };
}

/** By its byte order mark, or by the NUL next to its first character, which is ASCII in all files read here. */
const isUtf16 = ([first, second]: Buffer): boolean =>
  second !== undefined &&
  ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || (first === 0) !== (second === 0));

class Utf16Error extends Error {}

/** A message about why reading stopped. */
export function readProblem(error: unknown): string {
  if (error instanceof Utf16Error)
    return 'UTF-16, so none of it was read: save the file as UTF-8 (in PowerShell: Set-Content -Encoding utf8)';
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (code === 'Z_BUF_ERROR') return 'the compressed data ends too early: the file is truncated; copy it again';
  if (typeof code === 'string' && code.startsWith('Z_'))
    return `invalid compressed data (${message}); copy the file again`;
  return `read error (${message})`;
}
