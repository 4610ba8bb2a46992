import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

const CHUNK_BYTES = 64 * 1024;

/** A file to read, on disk or in a zip. */
export interface Source {
  readonly name: string;
  /** As messages name it. */
  readonly path: string;
  /** How many bytes `open` will give. Throws bad_request for a file that is too large to be read from a zip. */
  bytes(): Promise<number>;
  open(): Promise<Readable>;
}

/** The files of a folder by their names, without those of folders in it. */
export interface Folder {
  readonly path: string;
  readonly files: ReadonlyMap<string, Source>;
}

export async function folderOnDisk(path: string): Promise<Folder> {
  const files = new Map<string, Source>();
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (!entry.isDirectory()) files.set(entry.name, fileOnDisk(join(path, entry.name), entry.name));
  }
  return { path, files };
}

const fileOnDisk = (path: string, name: string): Source => ({
  name,
  path,
  bytes: async () => (await stat(path)).size,
  open: async () => createReadStream(path, { highWaterMark: CHUNK_BYTES }),
});
