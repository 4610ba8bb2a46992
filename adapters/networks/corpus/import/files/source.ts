import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

const CHUNK_BYTES = 64 * 1024;

/** A file to read, on disk or in a zip. */
export interface Source {
  readonly name: string;
  /** The path that messages show. */
  readonly path: string;
  /** How many bytes `open` will give. Throws bad_request for a file that is too large to be read from a zip. */
  bytes(): Promise<number>;
  /** Differs after a change. Made of the size, time, beginning and end of a file on disk; in a zip, of its checksum. */
  stamp(): Promise<string>;
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
  stamp: () => stampOf(path),
  open: async () => createReadStream(path, { highWaterMark: CHUNK_BYTES }),
});

async function stampOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { size, mtimeMs } = await file.stat();
    const hash = createHash('sha256').update(`${size} ${mtimeMs} `);
    for (const position of [0, Math.max(size - CHUNK_BYTES, 0)]) {
      const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(CHUNK_BYTES), position });
      hash.update(buffer.subarray(0, bytesRead));
    }
    return hash.digest('base64url');
  } finally {
    await file.close();
  }
}
