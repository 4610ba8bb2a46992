import { createReadStream } from 'node:fs';
import type { ExportRow } from './columns.js';
import { splitLines } from './lines.js';
import type { Format } from './rows.js';

/** How many of the newest ids are remembered, about 100 bytes each. Even a list that long repeats nothing older. */
const MOST_KNOWN = 5_000_000;

/** The ids that are already in the file. An item that occurs again, because the list moved, is left out. */
export class SeenIds {
  readonly #ids = new Set<string>();

  /** The rows that are new, each once. */
  fresh(rows: readonly ExportRow[]): ExportRow[] {
    return rows.filter(({ id }) => this.#add(id));
  }

  /** Reads the ids from the first `bytes` of a file that an earlier run wrote. */
  async learn(path: string, format: Format, bytes: number): Promise<void> {
    if (bytes === 0) return;
    const text = createReadStream(path, { encoding: 'utf8', end: bytes - 1 });
    if (format === 'csv') for await (const id of firstFields(text)) this.#add(id);
    else for await (const line of splitLines(text)) this.#add((JSON.parse(line) as ExportRow).id);
  }

  #add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size > MOST_KNOWN && oldest !== undefined) this.#ids.delete(oldest);
    return true;
  }
}

/**
 * The first field of each record in a CSV file that Perch wrote: an id, never quoted. Line breaks within quotes do not
 * end a record.
 */
async function* firstFields(text: AsyncIterable<string>): AsyncGenerator<string> {
  let isQuoted = false;
  let field: string | null = '';
  for await (const chunk of text) {
    for (const sign of chunk) {
      if (sign === '"') isQuoted = !isQuoted;
      else if (isQuoted) continue;
      else if (sign === '\n') {
        if (field !== null) yield field;
        field = '';
      } else if (sign === ',' && field !== null) {
        yield field;
        field = null;
      } else if (field !== null && sign !== '\r') field += sign;
    }
  }
}
