import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What makes key hashes and cursors this installation's own. Losing it makes every key and cursor invalid. */
export interface Secrets {
  /** Stirred into the hash of every key (A11). */
  readonly pepper: Buffer;
  /** Signs cursors (C1). */
  readonly cursor: Buffer;
}

const BYTES = 32;

/**
 * Derived from the secret that all machines share, where there is one (PERCH_SECRET). Else read from `home`, or made there on
 * the first start; who comes second finds the first one's.
 */
export async function openSecrets(home: string, shared: string | null): Promise<Secrets> {
  if (shared !== null) return { pepper: derived(shared, 'perch pepper'), cursor: derived(shared, 'perch cursor') };
  await mkdir(home, { recursive: true });
  return { pepper: await secret(join(home, 'pepper')), cursor: await secret(join(home, 'cursor-secret')) };
}

/** Tells one pepper from another and gives nothing of it away: the database remembers whose keys it keeps. */
export const fingerprintOf = ({ pepper }: Secrets): Buffer =>
  createHmac('sha256', pepper).update('perch pepper fingerprint').digest();

/** From which the keys of clients follow, one out of the other; not the pepper that they are stored with. */
export const tokenSecretOf = ({ pepper }: Secrets): Buffer =>
  Buffer.from(hkdfSync('sha256', pepper, '', 'perch oauth pairs', BYTES));

/** The two must not be the same bytes: `purpose` keeps them apart. */
const derived = (shared: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', shared, '', purpose, BYTES));

/** Written aside and linked into place, so that a process starting at the same time never reads half of it. */
async function secret(file: string): Promise<Buffer> {
  const aside = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(aside, randomBytes(BYTES).toString('hex'), { mode: 0o600 });
  try {
    await link(aside, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(aside);
  }
  const bytes = Buffer.from((await readFile(file, 'utf8')).trim(), 'hex');
  if (bytes.length !== BYTES)
    throw new Error(`${file} does not contain ${BYTES} bytes in hex: restore it from a backup.`);
  return bytes;
}
