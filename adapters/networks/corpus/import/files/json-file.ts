import { type OwnRows, parseRows } from '../objects/objects.js';
import { type FilePiece, type Given, located, type Reading } from '../objects/reading.js';
import { readBytes, readProblem } from './bytes.js';
import { readLines } from './lines.js';
import type { Source } from './source.js';
import { readValues } from './values.js';

export interface JsonFile extends OwnRows {
  readonly source: Source;
  /** `lines`: one JSON object per line. `document`: an object, a list of objects, or a sequence of objects. */
  readonly layout: 'lines' | 'document';
}

function parsed(piece: FilePiece, own: OwnRows): Given[] {
  if ('problem' in piece) return [piece.problem];
  let value: unknown;
  try {
    value = JSON.parse(piece.text);
  } catch (error) {
    return [`not JSON (${(error as Error).message})`];
  }
  return parseRows(value, own);
}

/** The rows and faults of a JSON file, gzipped or not, one at a time on demand. */
export async function* readJsonFile(file: JsonFile, onBytes?: (bytes: number) => void): AsyncGenerator<Reading> {
  const { path } = file.source;
  const cut = file.layout === 'lines' ? readLines : readValues;
  let line = 1;
  try {
    for await (const bundle of cut(readBytes(file.source, onBytes))) {
      for (const piece of bundle) {
        line = piece.line;
        yield* located(parsed(piece, file), path, line);
      }
    }
  } catch (error) {
    yield* located([readProblem(error)], path, line);
  }
}
