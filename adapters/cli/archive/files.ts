import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { z } from 'zod';
import { splitLines } from '../export/lines.js';
import { Failure, fileFailure, WRONG_USE } from '../failure.js';

const manifestShape = z.object({
  version: z.literal(1),
  month: z.string().regex(/^\d{4}-(?:0[1-9]|1[0-2])(?:-w[1-4]|-(?:0[1-9]|[12]\d|3[01]))?$/),
  /** A file name in the folder of the manifest. */
  file: z.string().regex(/^[\w.-]+$/),
  rows: z.number().int(),
  /** Text, because it may be larger than a JSON number can hold exactly. */
  amount_thousandths: z.string(),
  sha256: z.string(),
  first_request_id: z.string().nullable(),
  last_request_id: z.string().nullable(),
});

/** Describes a month's file; stored next to it as `debits-2025-12.json`. */
export type Manifest = z.infer<typeof manifestShape>;

/** Debits as lines of JSON, in batches. */
type Batches = AsyncIterable<readonly string[]>;

const manifestPath = (folder: string, month: string): string => join(folder, `debits-${month}.json`);

/** Throws Failure unless `folder` is a writable folder. */
export async function checkFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => null);
  if (found === null) throw new Failure(`${folder} does not exist: create the folder first`, WRONG_USE);
  if (!found.isDirectory()) throw new Failure(`${folder} is not a folder`, WRONG_USE);
  await access(folder, constants.W_OK | constants.X_OK).catch(() => {
    throw new Failure(`${folder} is not writable`, WRONG_USE);
  });
}

/** The format of a month's file: `ndjson` has one line for each debit, gzipped. */
export type ArchiveFormat = 'parquet' | 'ndjson';

const ENDINGS: Readonly<Record<ArchiveFormat, string>> = { parquet: 'parquet', ndjson: 'ndjson.gz' };

export const isParquet = (file: string): boolean => file.endsWith(`.${ENDINGS.parquet}`);

/** Totals of the debits that were written to a file. */
interface Written {
  readonly rows: number;
  readonly amount: string;
  readonly first: string | null;
  readonly last: string | null;
}

/** Writes a month's file, `debits-2025-12.ndjson.gz`, and its manifest. Throws Failure as `placeArchive` does. */
export const writeArchive = (folder: string, month: string, batches: Batches): Promise<Manifest> =>
  placeArchive(folder, month, 'ndjson', async (path) => {
    const counts = { rows: 0, amount: 0n, first: null as string | null, last: null as string | null };
    await writeRows(path, counting(batches, counts));
    return { ...counts, amount: String(counts.amount) };
  });

/**
 * Writes a month's file and its manifest, each under a temporary name; it is renamed only once it is safely on disk.
 * Throws Failure if a file with different content already exists, because that may be the only copy.
 */
export async function placeArchive(
  folder: string,
  month: string,
  format: ArchiveFormat,
  write: (path: string) => Promise<Written>,
): Promise<Manifest> {
  const file = `debits-${month}.${ENDINGS[format]}`;
  const path = join(folder, file);
  const aside = `${path}.new`;
  try {
    const { rows, amount, first, last } = await write(aside);
    const sha256 = await hashFile(aside);
    if (sha256 === null) throw new Error(`${aside} has gone`);
    const there = await hashFile(path);
    if (there !== null && there !== sha256)
      throw new Failure(`${path} exists with other content: move it away, or use another --out`);
    await rename(aside, path);
    const manifest: Manifest = {
      ...{ version: 1, month, file, rows, amount_thousandths: amount, sha256 },
      ...{ first_request_id: first, last_request_id: last },
    };
    await writeManifest(manifestPath(folder, month), manifest);
    await sync(folder);
    return manifest;
  } catch (error) {
    await rm(aside, { force: true }).catch(() => {});
    const { code = '' } = error as NodeJS.ErrnoException;
    throw /^E[A-Z]+$/.test(code) ? new Failure(`${path} cannot be written (${code})`) : error;
  }
}

interface Counts {
  rows: number;
  amount: bigint;
  first: string | null;
  last: string | null;
}

async function* counting(batches: Batches, counts: Counts): AsyncGenerator<string> {
  for await (const lines of batches) {
    for (const line of lines) {
      const { request_id, amount_thousandths } = JSON.parse(line) as { request_id: string; amount_thousandths: number };
      counts.rows += 1;
      counts.amount += BigInt(amount_thousandths);
      if (counts.first === null || request_id < counts.first) counts.first = request_id;
      if (counts.last === null || request_id > counts.last) counts.last = request_id;
    }
    yield `${lines.join('\n')}\n`;
  }
}

async function writeRows(path: string, text: AsyncIterable<string>): Promise<void> {
  const handle = await open(path, 'w', 0o600);
  try {
    await pipeline(Readable.from(text), createGzip(), async (zipped: AsyncIterable<Buffer>) => {
      for await (const chunk of zipped) await handle.writeFile(chunk);
    });
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeManifest(path: string, manifest: Manifest): Promise<void> {
  const handle = await open(`${path}.new`, 'w', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${path}.new`, path);
}

/** Makes the new names durable as well. */
async function sync(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The file's SHA-256, or null if there is no such file. */
async function hashFile(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  return hash.digest('hex');
}

/** Throws Failure if the file cannot be read or is not a manifest. */
export async function readManifest(path: string): Promise<Manifest> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw fileFailure(path, 'read', error, WRONG_USE);
  });
  try {
    return manifestShape.parse(JSON.parse(text));
  } catch {
    throw new Failure(`${path} does not describe an archive: name its .json file`, WRONG_USE);
  }
}

/** Throws Failure unless the file is there, byte for byte as it was archived. */
export async function checkFile(path: string, sha256: string): Promise<void> {
  const found = await hashFile(path);
  if (found === null) throw new Failure(`${path} does not exist`);
  if (found !== sha256)
    throw new Failure(`${path} has changed since it was archived: its SHA-256 is ${found}, not ${sha256}`);
}

/** The lines of a file, in batches. */
export async function* readArchive(path: string): AsyncGenerator<string[]> {
  const unzipped = createGunzip();
  // A read error surfaces in the loop below.
  const reading = pipeline(createReadStream(path), unzipped).catch((error: Error) => unzipped.destroy(error));
  let batch: string[] = [];
  for await (const line of splitLines(unzipped.setEncoding('utf8'))) {
    batch.push(line);
    if (batch.length === LINES_AT_ONCE) {
      yield batch;
      batch = [];
    }
  }
  await reading;
  if (batch.length > 0) yield batch;
}

const LINES_AT_ONCE = 5_000;

/** Reads a file back and compares it line by line with the debits. Throws Failure if they differ. */
export async function checkRows(path: string, batches: Batches): Promise<void> {
  const differs = new Failure(`${path} does not match the ledger: remove it, and run the command again`);
  const written = flat(readArchive(path));
  try {
    for await (const line of flat(batches)) if ((await written.next()).value !== line) throw differs;
    if ((await written.next()).done !== true) throw differs;
  } finally {
    await written.return(undefined);
  }
}

async function* flat(batches: Batches): AsyncGenerator<string> {
  for await (const lines of batches) yield* lines;
}
