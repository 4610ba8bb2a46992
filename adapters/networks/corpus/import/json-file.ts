import { readBytes, readProblem } from './bytes.js';
import type { Kind } from './interface-row.js';
import { readLines } from './lines.js';
import { type Given, rowsOf } from './objects.js';
import type { Piece, Reading } from './reading.js';
import { readValues } from './values.js';

export interface JsonFile {
  readonly path: string;
  /** `lines`: one JSON object per line. `document`: an object, a list of objects, or a sequence of objects. */
  readonly layout: 'lines' | 'document';
  /** The kind of its content, according to its name. */
  readonly expected?: Kind | undefined;
}

function parsed(piece: Piece, expected: Kind | undefined): Given[] {
  if ('problem' in piece) return [piece.problem];
  let value: unknown;
  try {
    value = JSON.parse(piece.text);
  } catch (error) {
    return [`not JSON (${(error as Error).message})`];
  }
  return rowsOf(value, expected);
}

/** The rows and faults of a JSON file, gzipped or not, one at a time on demand. */
export async function* readJsonFile(file: JsonFile, onBytes?: (bytes: number) => void): AsyncGenerator<Reading> {
  const cut = file.layout === 'lines' ? readLines : readValues;
  let line = 1;
  try {
    for await (const bundle of cut(readBytes(file.path, onBytes))) {
      for (const piece of bundle) {
        line = piece.line;
        for (const given of parsed(piece, file.expected)) {
          yield typeof given === 'string' ? { file: file.path, line, message: given } : { row: given, line };
        }
      }
    }
  } catch (error) {
    yield { file: file.path, line, message: readProblem(error) };
  }
}
