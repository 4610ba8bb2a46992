import { basename, dirname, join } from 'node:path';
import { type Entry, openPromise } from 'yauzl';
import { badRequest, ServiceError } from '../../../../../src/domain/errors.js';
import { figure } from '../../../../../src/domain/figures.js';
import type { Folder, Source } from './source.js';

/** An archive has an entry for each picture. */
const MOST_ENTRIES = 500_000;
/** Characters, folders included. */
const LONGEST_NAME = 1_000;
/** Bytes of all that is read from one zip. */
const MOST_UNPACKED = 64 * 1024 * 1024 * 1024;
/** The most unpacked bytes for each packed byte, in files above `SMALL`. Files of archives have about 20. */
const MOST_RATIO = 200;
const SMALL = 1024 * 1024;

/** The zip's folders, with the files whose names are wanted. Throws bad_request for a zip that is not read. */
export async function foldersInZip(path: string, isWanted: (name: string) => boolean): Promise<Folder[]> {
  const folders = new Map<string, Map<string, Source>>();
  const admit = admission(path);
  const zip = await readable(path, openPromise(path, { autoClose: false }));
  try {
    if (zip.entryCount > MOST_ENTRIES)
      throw badRequest(`${path}: a zip with more than ${figure(MOST_ENTRIES)} entries is not read.`);
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.length > LONGEST_NAME)
        throw badRequest(`${path}: a zip with a name of more than ${figure(LONGEST_NAME)} characters is not read.`);
      const name = basename(entry.fileName);
      // A Mac adds files of its own, whose names begin with a dot.
      if (entry.fileName.endsWith('/') || name.startsWith('.') || !isWanted(name)) continue;
      const folder = dirname(entry.fileName);
      const files = folders.get(folder) ?? new Map<string, Source>();
      folders.set(folder, files.set(name, toSource(path, entry, admit)));
    }
  } catch (error) {
    throw unreadable(path, error);
  } finally {
    zip.close();
  }
  return [...folders].map(([folder, files]) => ({ path: join(path, folder), files }));
}

const toSource = (path: string, entry: Entry, admit: (entry: Entry) => void): Source => ({
  name: basename(entry.fileName),
  path: join(path, entry.fileName),
  async bytes() {
    admit(entry);
    return entry.uncompressedSize;
  },
  stamp: async () => `${entry.crc32} ${entry.uncompressedSize}`,
  async open() {
    const zip = await readable(path, openPromise(path, { autoClose: false }));
    try {
      return await zip.openReadStreamPromise(entry);
    } finally {
      zip.close(); // As soon as the stream has ended.
    }
  },
});

/** Throws for an entry that would exceed the bounds of its zip. No entry yields more bytes than it declares. */
function admission(path: string): (entry: Entry) => void {
  let unpacked = 0;
  return ({ fileName, compressedSize, uncompressedSize }) => {
    if (uncompressedSize > SMALL && uncompressedSize > compressedSize * MOST_RATIO)
      throw badRequest(
        `${path}: ${fileName} is compressed more than ${MOST_RATIO} times; unpack the zip to import it.`,
      );
    unpacked += uncompressedSize;
    if (unpacked > MOST_UNPACKED) throw badRequest(`${path}: more than 64 GiB to import; unpack the zip to import it.`);
  };
}

const readable = <Zip>(path: string, opening: Promise<Zip>): Promise<Zip> =>
  opening.catch((error: unknown) => {
    throw unreadable(path, error);
  });

const unreadable = (path: string, error: unknown): unknown =>
  error instanceof ServiceError
    ? error
    : badRequest(`${path}: not a readable zip (${(error as Error).message}); download it again.`);
