import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { type FindOptions, findFiles, type ImportFile } from './files/find-files.js';
import { type LoadOptions, loadCorpus, loadInTurns, type TurnOptions } from './load.js';
import type { Reading } from './objects/reading.js';
import type { Sql } from './sql.js';
import type { ImportSummary } from './summary.js';
import type { ImportIdentity } from './unfinished.js';

export interface ImportProgress {
  /** The file that is being read. */
  readonly file: string;
  /** Over all files, as sizes on disk (compressed for compressed files). */
  readonly bytesRead: number;
  readonly bytesTotal: number;
  /** Rows read so far. */
  readonly rows: number;
}

export interface ImportOptions
  extends FindOptions,
    Pick<LoadOptions, 'strict' | 'onFault' | 'onWait'>,
    Pick<TurnOptions, 'batches' | 'onBegin' | 'onKept'> {
  /** Called as chunks of files are read, and at the end of each file. */
  readonly onProgress?: (progress: ImportProgress) => void;
}

async function* readAll(
  files: readonly ImportFile[],
  onProgress: NonNullable<ImportOptions['onProgress']>,
): AsyncGenerator<Reading> {
  const bytesTotal = files.reduce((sum, file) => sum + file.bytes, 0);
  let before = 0;
  let rows = 0;
  for (const file of files) {
    let read = 0;
    const report = (bytes: number): void => {
      read = Math.min(read + bytes, file.bytes);
      onProgress({ file: file.path, bytesRead: before + read, bytesTotal, rows });
    };
    for await (const reading of file.read(report)) {
      if ('row' in reading) rows += 1;
      yield reading;
    }
    report(file.bytes);
    before += file.bytes;
  }
}

const digest = (values: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(values)).digest('base64url');

async function identify(
  paths: readonly string[],
  files: readonly ImportFile[],
  areEscaped = false,
): Promise<ImportIdentity> {
  const stamps: string[] = [];
  for (const file of files) stamps.push(await file.stamp());
  return {
    id: digest([files.map(({ path }) => resolve(path)), areEscaped]),
    content: digest(stamps),
    paths: paths.map((path) => resolve(path)),
  };
}

/**
 * Imports files and folders into the corpus: everything except the faults counted in the summary. An import that throws
 * has stored the beginning of its rows, and resumes after them when it is started again, unless a file has changed.
 * Throws bad_request for a path that can't be imported and, when `strict`, at the first fault, having stored nothing.
 */
export async function importPaths(
  sql: Sql,
  paths: readonly string[],
  options: ImportOptions = {},
): Promise<ImportSummary> {
  const { onProgress = () => {}, areEscaped, strict, ...others } = options;
  const files = await findFiles(paths, { areEscaped });
  const rows = readAll(files, onProgress);
  if (strict) return loadCorpus(sql, rows, { ...others, strict });
  return loadInTurns(sql, rows, await identify(paths, files, areEscaped), others);
}
