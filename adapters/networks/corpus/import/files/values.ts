import type { FilePiece } from '../objects/reading.js';
import { Collected, MAX_PIECE_BYTES } from './lines.js';

const QUOTE = 34;
const COMMA = 44;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

const isSeparator = (byte: number): boolean =>
  byte === 32 || byte === 10 || byte === 13 || byte === 9 || byte === COMMA;

/**
 * Cuts a JSON document into values without parsing them: the elements of an outer list, or a sequence of values. It
 * sees only strings and brackets, so an error inside a value shows when that value is parsed, and the next value is
 * still found.
 */
class Cutter {
  private readonly collected: Collected;
  private readonly found: FilePiece[] = [];
  private line = 1;
  private startLine = 0;
  private depth = 0;
  private inString = false;
  private escaped = false;
  private inValue = false;
  private inList = false;

  constructor(maxBytes: number) {
    this.collected = new Collected(maxBytes);
  }

  /** The values that end in this chunk. */
  cut(chunk: Buffer): FilePiece[] {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (byte === 10) this.line += 1;
      if (this.inString) {
        this.stepInString(byte);
        continue;
      }
      if (!this.inValue) {
        if (this.isBetween(byte)) continue;
        this.inValue = true;
        this.startLine = this.line;
        from = at;
      }
      const end = this.step(byte, at);
      if (end >= 0) this.finish(chunk.subarray(from, end));
    }
    if (this.inValue) this.collected.add(chunk.subarray(from));
    return this.found.splice(0);
  }

  /** What remains at the end of the file. */
  end(): FilePiece[] {
    const isScalar = this.inValue && this.depth === 0 && !this.inString;
    if (isScalar) this.finish(Buffer.alloc(0));
    else if (this.inValue)
      this.found.push({ line: this.startLine, problem: 'incomplete: the file ends inside this value' });
    if (this.inList)
      this.found.push({ line: this.line, problem: 'the file ends before its list is closed: "]" is missing' });
    return this.found.splice(0);
  }

  private finish(rest: Buffer): void {
    this.collected.add(rest);
    this.found.push(this.collected.take(this.startLine));
    this.inValue = false;
  }

  private stepInString(byte: number): void {
    if (this.escaped) this.escaped = false;
    else if (byte === BACKSLASH) this.escaped = true;
    else if (byte === QUOTE) this.inString = false;
  }

  private isBetween(byte: number): boolean {
    if (isSeparator(byte)) return true;
    if (byte === OPEN_LIST && !this.inList) {
      this.inList = true;
      return true;
    }
    if (byte !== CLOSE_LIST || !this.inList) return false;
    this.inList = false;
    return true;
  }

  /** The position where the value ends if this byte ends it, or -1. */
  private step(byte: number, at: number): number {
    if (byte === QUOTE) this.inString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.depth += 1;
    else if (this.depth === 0 && isSeparator(byte)) return at;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) return this.close(byte, at);
    return -1;
  }

  private close(byte: number, at: number): number {
    if (this.depth > 0) {
      this.depth -= 1;
      return this.depth === 0 ? at + 1 : -1;
    }
    if (byte === CLOSE_LIST && this.inList) {
      this.inList = false;
      return at;
    }
    return at + 1;
  }
}

/** The values of a JSON document (one object, a list of objects, or a sequence of objects), in bundles. */
export async function* readValues(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number = MAX_PIECE_BYTES,
): AsyncGenerator<FilePiece[]> {
  const cutter = new Cutter(maxBytes);
  for await (const chunk of chunks) yield cutter.cut(chunk);
  yield cutter.end();
}
