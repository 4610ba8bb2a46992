import { type Dirent, existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { badRequest } from '../../../../src/core/errors.js';
import { readArchiveAccount, readArchiveTweets } from './archive.js';
import type { Kind } from './interface-row.js';
import { readJsonFile } from './json-file.js';
import type { Reading } from './reading.js';

/** A file that can be imported, and how. */
export interface ImportFile {
  readonly path: string;
  /** The size on disk. */
  readonly bytes: number;
  readonly rank: number;
  read(onBytes?: (bytes: number) => void): AsyncGenerator<Reading>;
}

const RECOGNISED =
  '.ndjson, .jsonl or .json (also .gz) with users, tweets, follows or X API v2 pages, or tweets.js and account.js of an X archive';

/** Authors before their tweets, follows last. */
const RANK: Record<Kind, number> = { user: 0, tweet: 2, follow: 3 };

const NAMES: readonly [RegExp, Kind][] = [
  [/(?:^|[^a-z])users?(?:[^a-z]|$)/i, 'user'],
  [/(?:^|[^a-z])tweets?(?:[^a-z]|$)/i, 'tweet'],
  [/(?:^|[^a-z])follows?(?:[^a-z]|$)/i, 'follow'],
];

function expectedOf(name: string): Kind | undefined {
  const kinds = NAMES.filter(([pattern]) => pattern.test(name)).map(([, kind]) => kind);
  return kinds.length === 1 ? kinds[0] : undefined;
}

/** How a file with this name is read; undefined when no reader supports it. */
function recognise(path: string, bytes: number): ImportFile | undefined {
  const name = basename(path);
  if (/^(?:account|profile)\.js$/.test(name)) {
    return { path, bytes, rank: 0, read: (onBytes) => readArchiveAccount(path, onBytes) };
  }
  if (/^tweets?(?:-part\d+)?\.js$/.test(name)) {
    return { path, bytes, rank: 2, read: (onBytes) => readArchiveTweets(path, onBytes) };
  }
  const [, stem, extension] = /^(.+)\.(ndjson|jsonl|json)(?:\.gz)?$/i.exec(name) ?? [];
  if (stem === undefined || extension === undefined) return undefined;
  const layout = extension.toLowerCase() === 'json' ? 'document' : 'lines';
  const expected = layout === 'lines' ? expectedOf(stem) : undefined;
  const rank = expected === undefined ? 1 : RANK[expected];
  return { path, bytes, rank, read: (onBytes) => readJsonFile({ path, layout, expected }, onBytes) };
}

async function sizeOf(path: string): Promise<{ isFolder: boolean; bytes: number }> {
  try {
    const found = await stat(path);
    return { isFolder: found.isDirectory(), bytes: found.size };
  } catch (error) {
    const missing = (error as { code?: unknown }).code === 'ENOENT';
    throw badRequest(
      missing ? `${path}: no such file or folder` : `${path}: can't be opened (${(error as Error).message})`,
    );
  }
}

/** An archive keeps its files in `data`. */
const archiveFolder = (folder: string): string =>
  existsSync(join(folder, 'data', 'account.js')) ? join(folder, 'data') : folder;

async function inFolder(folder: string): Promise<ImportFile[]> {
  const place = archiveFolder(folder);
  const names: Dirent[] = await readdir(place, { withFileTypes: true });
  // profile.js is read together with the account.js beside it.
  const isRead = (name: string): boolean => name !== 'profile.js' || !existsSync(join(place, 'account.js'));
  const files: ImportFile[] = [];
  for (const entry of names) {
    if (entry.isDirectory() || !isRead(entry.name)) continue;
    const path = join(place, entry.name);
    const file = recognise(path, (await sizeOf(path)).bytes);
    if (file !== undefined) files.push(file);
  }
  if (files.length === 0)
    throw badRequest(`${folder}: no importable files in this folder; supported files are ${RECOGNISED}`);
  return files.sort(byName);
}

/** Without the extension, so that `tweets.js` comes before `tweets-part1.js`. */
const stemOf = (file: ImportFile): string => basename(file.path).split('.', 1)[0] ?? '';

const byName = (a: ImportFile, b: ImportFile): number => stemOf(a).localeCompare(stemOf(b), 'en', { numeric: true });

/**
 * The files that paths refer to, each once: a file itself, or every file in a folder whose name a reader supports.
 * Authors come before tweets and follows last; otherwise they are in the order of the paths. Throws bad_request for a
 * path that doesn't exist or that no reader supports.
 */
export async function findFiles(paths: readonly string[]): Promise<ImportFile[]> {
  const found = new Map<string, ImportFile>();
  for (const path of paths) {
    const { isFolder, bytes } = await sizeOf(path);
    if (isFolder) {
      for (const file of await inFolder(path)) found.set(file.path, file);
      continue;
    }
    const file = recognise(path, bytes);
    if (file === undefined) throw badRequest(`${path}: not an importable file; supported files are ${RECOGNISED}`);
    found.set(join(path), file);
  }
  return [...found.values()].sort((a, b) => a.rank - b.rank);
}
