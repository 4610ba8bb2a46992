import { fstatSync, ftruncateSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Failure, WRONG_USE } from '../failure.js';

/** Where rows go. */
export interface Sink {
  /** Length of what is written; where it is no file, only of this run's. */
  readonly bytes: number;
  /** Written, and on the disk where there is one, when it resolves. */
  append(text: string): Promise<void>;
  close(): Promise<void>;
}

const shorter = (name: string): Failure =>
  new Failure(
    `${name} is shorter than what was written to it; put it back, or remove the state to begin anew`,
    WRONG_USE,
  );

/** A file; what stands in it after `bytes` is cut off. With null it must not be there yet. Throws Failure. */
export async function fileSink(path: string, bytes: number | null): Promise<Sink> {
  // One that was made and never written to is as good as none.
  const isEmpty = bytes === null && (await stat(path).catch(() => null))?.size === 0;
  const file = await open(path, bytes === null && !isEmpty ? 'wx' : 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw new Failure(`${path} is there already, and no state to go on from`, WRONG_USE);
    if (error.code === 'ENOENT' && bytes !== null) throw shorter(path);
    throw new Failure(`${path} cannot be written (${error.code})`, WRONG_USE);
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
      const { bytesWritten } = await file.write(Buffer.from(text), 0, undefined, at);
      if (bytesWritten !== Buffer.byteLength(text)) throw new Failure(`${path}: the disk took only a part`);
      await file.datasync();
      at += bytesWritten;
    },
    close: () => file.close(),
  };
}

/** Standard output. Appended to a file (`>>`) it is cut like one; to a pipe only new rows are written. Throws Failure. */
export function stdoutSink(bytes: number | null): Sink {
  const stats = fstatSync(1);
  let at = stats.isFile() ? (bytes ?? stats.size) : 0;
  if (stats.isFile() && bytes !== null) {
    if (stats.size < bytes)
      throw new Failure('standard output is shorter than what was written to it: go on with >>, not >', WRONG_USE);
    ftruncateSync(1, bytes);
  }
  return {
    get bytes() {
      return at;
    },
    async append(text) {
      await new Promise<void>((done, fail) => {
        process.stdout.write(text, (error) => (error ? fail(error) : done()));
      });
      at += Buffer.byteLength(text);
    },
    close: async () => {},
  };
}
