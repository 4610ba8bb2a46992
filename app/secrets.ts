import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { access, link, mkdir, open, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConfigError } from '../src/config/config.js';

/** Makes key hashes and cursors specific to this installation. Losing it makes every key and cursor invalid. */
export interface Secrets {
  /** Part of the hash of every key. */
  readonly pepper: Buffer;
  /** Signs cursors. */
  readonly cursor: Buffer;
}

const BYTES = 32;

/**
 * Derived from the secret that all machines share (PERCH_SECRET), if there is one. Otherwise read from `home`, or
 * created there by the first process to start.
 */
export async function openSecrets(home: string, shared: string | null): Promise<Secrets> {
  if (shared !== null) return { pepper: derived(shared, 'perch pepper'), cursor: derived(shared, 'perch cursor') };
  return inHome(home, async () => ({
    pepper: await secret(join(home, 'pepper')),
    cursor: await secret(join(home, 'cursor-secret')),
  }));
}

/**
 * Identifies a pepper without revealing it. The database keeps it, to recognise the pepper its hashes were made with.
 */
export const pepperFingerprint = ({ pepper }: Secrets): Buffer =>
  createHmac('sha256', pepper).update('perch pepper fingerprint').digest();

/** The secret that successors of clients' token pairs are derived with. Not the pepper that keys are hashed with. */
export const deriveTokenSecret = ({ pepper }: Secrets): Buffer =>
  Buffer.from(hkdfSync('sha256', pepper, '', 'perch oauth pairs', BYTES));

/** The root that the secrets for signing webhooks are derived from. */
export const deriveWebhookRoot = ({ pepper }: Secrets): Buffer =>
  Buffer.from(hkdfSync('sha256', pepper, '', 'perch webhooks', BYTES));

/** `purpose` makes each derived secret different. */
const derived = (shared: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', shared, '', purpose, BYTES));

async function secret(file: string): Promise<Buffer> {
  await access(file).catch(() => create(file));
  const bytes = Buffer.from((await readFile(file, 'utf8')).trim(), 'hex');
  if (bytes.length !== BYTES)
    throw new Error(`${file} does not contain ${BYTES} bytes in hex: restore it from a backup.`);
  return bytes;
}

/**
 * Written to a temporary file and linked into place, so that another process starting up never reads half of it; and
 * synced, because the hashes of keys survive a power failure, and nobody can use them without the pepper.
 */
async function create(file: string): Promise<void> {
  const aside = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(aside, randomBytes(BYTES).toString('hex'), { mode: 0o600, flush: true });
  try {
    await link(aside, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(aside);
  }
  const folder = await open(dirname(file));
  // Windows cannot sync a folder.
  await folder
    .sync()
    .catch(() => {})
    .finally(() => folder.close());
}

/** Why a folder cannot be used, by the code of the error. */
const WHY: Readonly<Record<string, string>> = {
  EEXIST: 'it is a file',
  ENOTDIR: 'a part of this path is a file',
  ENOENT: 'no folder can be created there',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'its file system is read-only',
  ENAMETOOLONG: 'it is too long',
};

/** Runs work that needs the data folder, which is created first. Throws ConfigError if the folder cannot be used. */
export async function inHome<T>(home: string, work: () => Promise<T>): Promise<T> {
  try {
    await makeFolder(home);
    return await work();
  } catch (error) {
    const { code = '', path = '' } = error as NodeJS.ErrnoException;
    const why = path.startsWith(home) || home.startsWith(path) ? WHY[code] : undefined;
    if (path === '' || why === undefined) throw error;
    const message = `must be a folder that this user may write to, not ${JSON.stringify(home)}: ${why}`;
    throw new ConfigError([{ name: 'PERCH_HOME', message }]);
  }
}

/**
 * Creates a folder with its parents, unless it is there. Node's own `recursive` never ends where a folder that exists
 * refuses new ones with ENOENT, such as /proc.
 */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (await isFolder(folder)) return;
    const isParentMissing = (error as NodeJS.ErrnoException).code === 'ENOENT' && !(await isFolder(dirname(folder)));
    if (!isParentMissing) throw error;
    await makeFolder(dirname(folder));
    await makeFolder(folder);
  }
}

export const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
