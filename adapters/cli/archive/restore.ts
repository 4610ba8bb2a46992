import { dirname, join } from 'node:path';
import { archiveOf, archivingAlone, beginRestore, endRestore, loadDebits } from '../../postgres/ledger/archives.js';
import type { Sql } from '../../postgres/sql.js';
import { type Archived, type Telling, waiting } from './archive.js';
import { checkFile, readArchive, readManifest } from './files.js';

/**
 * Loads an archived month into the database again, by the path of its manifest. Nobody sees its debits until all are
 * there; an interrupted run is begun again. Throws ArchiveRefusal if the month isn't archived, or Failure if the file
 * isn't what was archived.
 */
export async function restoreArchive(sql: Sql, manifestPath: string, telling: Telling = {}): Promise<Archived> {
  const { month } = await readManifest(manifestPath);
  return archivingAlone(sql, async () => {
    // What the database knows counts, whatever the manifest says.
    const archive = await archiveOf(sql, month);
    const path = join(dirname(manifestPath), archive.file);
    await checkFile(path, archive.sha256);
    await beginRestore(sql, month);
    let done = 0;
    for await (const lines of readArchive(path)) {
      await loadDebits(sql, month, lines);
      done += lines.length;
      telling.onProgress?.(done, archive.rows, month);
    }
    const pauseMs = await endRestore(sql, archive, () => telling.onNote?.(waiting(month)));
    return { ...archive, pauseMs };
  });
}
