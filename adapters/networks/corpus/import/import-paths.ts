import { type FindOptions, findFiles, type ImportFile } from './files/find-files.js';
import { type ImportSummary, type LoadOptions, loadCorpus } from './load.js';
import type { Reading } from './objects/reading.js';
import type { Sql } from './sql.js';

export interface ImportProgress {
  /** The file that is being read. */
  readonly file: string;
  /** Over all files, as sizes on disk (compressed for compressed files). */
  readonly bytesRead: number;
  readonly bytesTotal: number;
  /** Rows read so far. */
  readonly rows: number;
}

export interface ImportOptions extends FindOptions, Pick<LoadOptions, 'strict' | 'onFault'> {
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

/**
 * Imports files and folders into the corpus: everything except the faults counted in the summary, or nothing when it
 * throws. Throws bad_request for a path that can't be imported and, when `strict`, at the first fault.
 */
export async function importPaths(
  sql: Sql,
  paths: readonly string[],
  options: ImportOptions = {},
): Promise<ImportSummary> {
  const { onProgress = () => {}, areEscaped, ...load } = options;
  return loadCorpus(sql, readAll(await findFiles(paths, { areEscaped }), onProgress), load);
}
