import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { badRequest } from '../../../../../src/domain/errors.js';
import type { RowKind } from '../objects/interface-row.js';
import type { Reading } from '../objects/reading.js';
import { Archive, countEntries, NOTES, readOldMonth } from './archive.js';
import { readJsonFile } from './json-file.js';
import { type Folder, folderOnDisk, type Source } from './source.js';
import { foldersInZip } from './zip.js';

/** A file that can be imported, and how. */
export interface ImportFile {
  readonly path: string;
  readonly bytes: number;
  readonly rank: number;
  /** Differs after a change of the file. */
  stamp(): Promise<string>;
  read(onBytes?: (bytes: number) => void): AsyncGenerator<Reading>;
}

export interface FindOptions {
  /** Whether texts of rows under the interface's names are escaped as X escapes them. */
  readonly areEscaped?: boolean | undefined;
}

const RECOGNISED =
  '.ndjson, .jsonl or .json (also .gz) with users, tweets, follows or answers of the X API, and X archives as .zip or unpacked';

const NO_CSV =
  'CSV has neither types nor lists, so it is not imported: export NDJSON instead; for an X archive from before 2018, import the whole folder or zip, of which data/js/tweets is read';

/** Authors before their tweets, follows last; then what is only counted. */
const RANK: Record<RowKind, number> = { user: 0, tweet: 2, follow: 3 };
const LAST = 4;

const NAMES: readonly [RegExp, RowKind][] = [
  [/(?:^|[^a-z])users?(?:[^a-z]|$)/i, 'user'],
  [/(?:^|[^a-z])tweets?(?:[^a-z]|$)/i, 'tweet'],
  [/(?:^|[^a-z])follows?(?:[^a-z]|$)/i, 'follow'],
];

function kindFromName(name: string): RowKind | undefined {
  const kinds = NAMES.filter(([pattern]) => pattern.test(name)).map(([, kind]) => kind);
  return kinds.length === 1 ? kinds[0] : undefined;
}

type Read = ImportFile['read'];

interface How {
  readonly rank: number;
  readonly read: Read;
}

const OLD_MONTH = /^\d{4}_\d{2}\.js$/;

/** How a file of an X archive is read; undefined for other files, and those that are read with another. */
function inArchive(source: Source, archive: Archive): How | undefined {
  const { name } = source;
  const how = (rank: number, read: Read): How => ({ rank, read });
  if (/^(?:account|profile)\.js$/.test(name)) return how(RANK.user, (onBytes) => archive.readAccount(source, onBytes));
  if (/^(?:community-)?tweets?(?:-part\d+)?\.js$/.test(name))
    return how(RANK.tweet, (onBytes) => archive.readTweets(source, onBytes));
  if (OLD_MONTH.test(name)) return how(RANK.tweet, (onBytes) => readOldMonth(source, onBytes));
  // After the tweets, because only then is it known which long posts complete one.
  if (NOTES.test(name)) return how(RANK.follow, (onBytes) => archive.readLongPosts(source, onBytes));
  const [, follows] = /^(follower|following)(?:-part\d+)?\.js$/.exec(name) ?? [];
  if (follows === 'follower' || follows === 'following')
    return how(RANK.follow, (onBytes) => archive.readFollows(source, follows, onBytes));
  return undefined;
}

function inJson(source: Source, { areEscaped }: FindOptions): How | undefined {
  const [, stem, extension] = /^(.+)\.(ndjson|jsonl|json)(?:\.gz)?$/i.exec(source.name) ?? [];
  if (stem === undefined || extension === undefined) return undefined;
  const layout = extension.toLowerCase() === 'json' ? 'document' : 'lines';
  const expected = layout === 'lines' ? kindFromName(stem) : undefined;
  const rank = expected === undefined ? 1 : RANK[expected];
  return { rank, read: (onBytes) => readJsonFile({ source, layout, expected, areEscaped }, onBytes) };
}

const isScript = (name: string): boolean => name.endsWith('.js') && name !== 'manifest.js';

const isArchived = (name: string): boolean => isScript(name) || /\.(?:ndjson|jsonl|json)(?:\.gz)?$/i.test(name);

/** Data that is not imported, which is reported; readmes, pictures and the like are skipped silently. */
function leftOut(source: Source, { files }: Folder): How | undefined {
  // verified.js is part of the profile.
  if (files.has('account.js') && isScript(source.name) && source.name !== 'verified.js')
    return { rank: LAST, read: (onBytes) => countEntries(source, onBytes) };
  if (/\.(?:csv|tsv|zip|parquet|xlsx)(?:\.gz)?$/i.test(source.name)) return { rank: LAST, read: () => notRead(source) };
  return undefined;
}

async function* notRead({ path }: Source): AsyncGenerator<Reading> {
  yield { file: path, omitted: 'files of this kind in a folder', count: 1 };
}

async function toImportFile(source: Source, how: How): Promise<ImportFile> {
  return { path: source.path, bytes: await source.bytes(), stamp: source.stamp, ...how };
}

async function statPath(path: string): Promise<{ isFolder: boolean }> {
  try {
    return { isFolder: (await stat(path)).isDirectory() };
  } catch (error) {
    const missing = (error as { code?: unknown }).code === 'ENOENT';
    throw badRequest(
      missing ? `${path}: no such file or folder.` : `${path}: can't be opened (${(error as Error).message}).`,
    );
  }
}

/** An archive has its files in `data`; one from before 2018 has its tweets in `data/js/tweets`. */
const archiveFolder = (folder: string): string =>
  [join(folder, 'data'), join(folder, 'data', 'js', 'tweets'), join(folder, 'js', 'tweets')].find(
    (place) => existsSync(join(place, 'account.js')) || (place.endsWith('tweets') && existsSync(place)),
  ) ?? folder;

async function inFolder(folder: Folder, options: FindOptions): Promise<ImportFile[]> {
  const archive = new Archive(folder);
  const files: ImportFile[] = [];
  // profile.js is read together with the account.js beside it.
  const sources = [...folder.files.values()].filter(
    ({ name }) => name !== 'profile.js' || !folder.files.has('account.js'),
  );
  for (const source of sources) {
    const how = inArchive(source, archive) ?? inJson(source, options);
    if (how !== undefined) files.push(await toImportFile(source, how));
  }
  if (files.length === 0) return [];
  const read = new Set(files.map(({ path }) => path));
  for (const source of sources.filter(({ path }) => !read.has(path))) {
    const how = leftOut(source, folder);
    if (how !== undefined) files.push(await toImportFile(source, how));
  }
  return files.sort(byName);
}

/** Without the extension, so that `tweets.js` comes before `tweets-part1.js`. */
const fileStem = (file: ImportFile): string => basename(file.path).split('.', 1)[0] ?? '';

const byName = (a: ImportFile, b: ImportFile): number =>
  fileStem(a).localeCompare(fileStem(b), 'en', { numeric: true });

/** The files of the X archive if the zip is one; otherwise those of the outermost folder that has importable files. */
async function inZip(path: string, options: FindOptions): Promise<ImportFile[]> {
  const folders = await foldersInZip(path, isArchived);
  const depth = ({ path: place }: Folder): number => place.split('/').length;
  const rank = (folder: Folder): number => (folder.files.has('account.js') ? 0 : 1);
  folders.sort((a, b) => rank(a) - rank(b) || depth(a) - depth(b));
  const isOld = (folder: Folder): boolean => [...folder.files.keys()].some((name) => OLD_MONTH.test(name));
  const old = folders.find(isOld);
  for (const folder of old === undefined ? folders : [old]) {
    const files = await inFolder(folder, options);
    if (files.length > 0) return files;
  }
  throw badRequest(`${path}: no importable files in this zip; supported files are ${RECOGNISED}.`);
}

async function inPath(path: string, options: FindOptions): Promise<ImportFile[]> {
  if ((await statPath(path)).isFolder) {
    const files = await inFolder(await folderOnDisk(archiveFolder(path)), options);
    if (files.length > 0) return files;
    throw badRequest(`${path}: no importable files in this folder; supported files are ${RECOGNISED}.`);
  }
  const name = basename(path);
  if (/\.zip$/i.test(name)) return inZip(path, options);
  if (/\.csv(?:\.gz)?$/i.test(name)) throw badRequest(`${path}: ${NO_CSV}.`);
  const folder = await folderOnDisk(dirname(path));
  const source = folder.files.get(name);
  const how = source && (inArchive(source, new Archive(folder)) ?? inJson(source, options));
  if (source === undefined || how === undefined)
    throw badRequest(`${path}: not an importable file; supported files are ${RECOGNISED}.`);
  return [await toImportFile(source, how)];
}

/**
 * The files that paths refer to, each once: a file itself, or every file in a folder or zip whose name a reader supports.
 * Authors come before tweets and follows last; otherwise they are in the order of the paths. Throws bad_request for a
 * path that doesn't exist or that no reader supports.
 */
export async function findFiles(paths: readonly string[], options: FindOptions = {}): Promise<ImportFile[]> {
  const found = new Map<string, ImportFile>();
  for (const path of paths) {
    for (const file of await inPath(path, options)) found.set(join(file.path), file);
  }
  return [...found.values()].sort((a, b) => a.rank - b.rank);
}
