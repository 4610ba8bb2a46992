import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FindOptions, findFiles } from '../../../adapters/networks/corpus/import/files/find-files.js';
import {
  type Fault,
  isFault,
  isOmission,
  type Located,
  type Omission,
  type Reading,
} from '../../../adapters/networks/corpus/import/objects/reading.js';
import type { CorpusRow } from '../../../adapters/networks/corpus/rows.js';
import type { Sql } from '../../../adapters/postgres/sql.js';

export const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../kit/fixtures/import/${name}`, import.meta.url));

/** A folder of data next to the checkout, or undefined on a machine without it. */
export function dataFolder(fromEnvironment: string | undefined, beside: string): string | undefined {
  const folder = fromEnvironment ?? fileURLToPath(new URL(`../../../${beside}`, import.meta.url));
  return existsSync(folder) ? folder : undefined;
}

export interface Scratch {
  readonly folder: string;
  write(name: string, content: string | Buffer): Promise<string>;
  remove(): Promise<void>;
}

export async function scratchFolder(): Promise<Scratch> {
  const folder = await mkdtemp(join(tmpdir(), 'perch-import-'));
  return {
    folder,
    async write(name, content) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), content);
      return join(folder, name);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** An archive as downloaded, with its files in `data`. They are stored as text so that no tool takes them for code. */
export async function unpackArchive(scratch: Scratch): Promise<string> {
  for (const name of ['account.js', 'profile.js', 'tweets.js', 'tweets-part1.js']) {
    await scratch.write(join('archive', 'data', name), await readFile(fixture(`archive/${name}.txt`)));
  }
  return join(scratch.folder, 'archive');
}

interface Read {
  readonly located: Located[];
  readonly rows: CorpusRow[];
  readonly faults: Fault[];
  readonly omitted: Omission[];
}

export async function readPath(path: string, options: FindOptions = {}): Promise<Read> {
  const readings: Reading[] = [];
  for (const file of await findFiles([path], options)) for await (const reading of file.read()) readings.push(reading);
  const located = readings.filter((reading): reading is Located => 'row' in reading);
  const rows = located.map(({ row }) => row);
  return { located, rows, faults: readings.filter(isFault), omitted: readings.filter(isOmission) };
}

export async function gather<T>(bundles: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const bundle of bundles) all.push(...bundle);
  return all;
}

export const lines = (...values: unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** One hash of everything in the corpus tables, byte for byte. */
export async function contentHash(sql: Sql): Promise<string> {
  const hashes: string[] = [];
  for (const table of ['corpus_users', 'corpus_tweets', 'corpus_follows']) {
    const [row] = await sql<{ hash: string | null }[]>`
      select md5(string_agg(t::text, E'\n' order by t::text)) as hash from ${sql(table)} t`;
    hashes.push(row?.hash ?? 'empty');
  }
  return hashes.join(' ');
}
