import { fstatSync, ftruncateSync, write } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { Failure, fileFailure, WRONG_USE } from '../failure.js';

const writeSome = promisify(write);

/** Where rows go. */
export interface Sink {
  /** Bytes written so far; for output that is not a file, only those of this run. */
  readonly bytes: number;
  /** Resolves when the text is written, and for a file when it is on the disk. */
  append(text: string): Promise<void>;
  close(): Promise<void>;
}

const shorter = (name: string): Failure =>
  new Failure(
    `${name} is shorter than when it was last written; restore it, or remove the state file to start over`,
    WRONG_USE,
  );

/** Writes to a file, and cuts off its content after `bytes`. With null the file must not exist yet. Throws Failure. */
export async function fileSink(path: string, bytes: number | null): Promise<Sink> {
  // A file that was created but never written counts as absent.
  const isEmpty = bytes === null && (await stat(path).catch(() => null))?.size === 0;
  const file = await open(path, bytes === null && !isEmpty ? 'wx' : 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST')
      throw new Failure(
        `${path} already exists, and there is no saved state to resume from: move it away, or use another --out`,
        WRONG_USE,
      );
    if (error.code === 'ENOENT' && bytes !== null) throw shorter(path);
    throw fileFailure(path, 'written', error, WRONG_USE);
  });
  let at = bytes ?? 0;
  if ((await file.stat()).size < at) {
    await file.close();
    throw shorter(path);
  }
  await file.truncate(at);
  return {
    get bytes() {
      return at;
    },
    async append(text) {
      at += await writeWhole(file.fd, text, { name: path, at });
      await file.datasync();
    },
    close: () => file.close(),
  };
}

/**
 * Writes at a position, or after the last write, and returns the number of bytes. Throws Failure, and leaves no partial
 * text in a file.
 */
async function writeWhole(
  fd: number,
  text: string,
  { name, at }: { name: string; at: number | null },
): Promise<number> {
  const bytes = Buffer.from(text);
  const { size } = fstatSync(fd);
  try {
    for (let done = 0; done < bytes.length; ) {
      // A disk that is nearly full accepts a part first, and then reports why.
      const { bytesWritten } = await writeSome(fd, bytes, done, bytes.length - done, at === null ? null : at + done);
      done += bytesWritten;
    }
  } catch (error) {
    if (fstatSync(fd).isFile()) ftruncateSync(fd, at ?? size);
    throw fileFailure(name, 'written', error as NodeJS.ErrnoException);
  }
  return bytes.length;
}

/**
 * Writes to standard output. If it is redirected to a file (`>>`), that file is cut as in `fileSink`; a pipe gets only
 * new rows. Throws Failure.
 */
export function stdoutSink(bytes: number | null): Sink {
  const stats = fstatSync(1);
  const isStream = process.stdout.isTTY || stats.isFIFO() || stats.isSocket();
  let at = stats.isFile() ? (bytes ?? stats.size) : 0;
  if (stats.isFile() && bytes !== null) {
    if (stats.size < bytes)
      throw new Failure('standard output is shorter than when it was last written: resume with >>, not >', WRONG_USE);
    ftruncateSync(1, bytes);
  }
  return {
    get bytes() {
      return at;
    },
    async append(text) {
      if (isStream) await toStream(text);
      else await writeWhole(1, text, { name: 'standard output', at: null });
      at += Buffer.byteLength(text);
    },
    close: async () => {},
  };
}

const toStream = (text: string): Promise<void> =>
  new Promise((done, fail) => {
    process.stdout.write(text, (error) => (error ? fail(error) : done()));
  });
