import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type CorpusSize, follows, tweets, users } from './rows.js';

const ROWS_PER_CHUNK = 500;

function* lines(rows: Iterable<object>): Generator<string> {
  let chunk: string[] = [];
  for (const row of rows) {
    chunk.push(`${JSON.stringify(row)}\n`);
    if (chunk.length < ROWS_PER_CHUNK) continue;
    yield chunk.join('');
    chunk = [];
  }
  yield chunk.join('');
}

/** Writes a corpus of that size as NDJSON files for an import into a new folder. Returns the folder. */
export async function writeCorpus(folder: string, size: CorpusSize): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const [name, rows] of Object.entries({ users: users(size), tweets: tweets(size), follows: follows(size) })) {
    await pipeline(Readable.from(lines(rows)), createWriteStream(join(folder, `${name}.ndjson`)));
  }
  return folder;
}
