import { isUtf8 } from 'node:buffer';
import type { FilePiece } from '../objects/reading.js';

/** A page of 500 posts with all its expansions is a few MiB on one line; real data comes nowhere near this limit. */
export const MAX_PIECE_BYTES = 16 * 1024 * 1024;

/** The text of these bytes, or why they are not text. A byte order mark is dropped. */
function decoded(bytes: Buffer, line: number): FilePiece {
  if (!isUtf8(bytes)) return { line, problem: 'not UTF-8: save the file as UTF-8' };
  const text = bytes.toString('utf8');
  return { line, text: text.startsWith('\uFEFF') ? text.slice(1) : text };
}

const tooLong = (line: number, maxBytes: number): FilePiece => ({
  line,
  problem: `longer than ${maxBytes} bytes: expected one JSON object per line`,
});

/** Collects the parts of a piece across chunks, and discards them once they are too many. */
export class Collected {
  private parts: Buffer[] = [];
  private size = 0;

  constructor(private readonly maxBytes: number) {}

  add(part: Buffer): void {
    this.size += part.length;
    if (this.size > this.maxBytes) this.parts = [];
    else if (part.length > 0) this.parts.push(part);
  }

  take(line: number): FilePiece {
    const { parts, size } = this;
    this.parts = [];
    this.size = 0;
    if (size > this.maxBytes) return tooLong(line, this.maxBytes);
    return decoded(parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts), line);
  }

  get isEmpty(): boolean {
    return this.size === 0;
  }
}

/** The lines of a file without blank ones, in one bundle per chunk. */
export async function* readLines(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number = MAX_PIECE_BYTES,
): AsyncGenerator<FilePiece[]> {
  const collected = new Collected(maxBytes);
  let line = 1;
  for await (const chunk of chunks) {
    const bundle: FilePiece[] = [];
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      collected.add(chunk.subarray(from, end));
      bundle.push(collected.take(line));
      line += 1;
      from = end + 1;
    }
    collected.add(chunk.subarray(from));
    yield bundle.filter(isNotBlank);
  }
  yield [collected.take(line)].filter(isNotBlank);
}

const isNotBlank = (piece: FilePiece): boolean => 'problem' in piece || piece.text.trim() !== '';
