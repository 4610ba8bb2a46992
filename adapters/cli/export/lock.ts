import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync, rmSync } from 'node:fs';
import { readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { FAILED, Failure, fileFailure, WRONG_USE } from '../failure.js';
import { note } from '../print.js';

/**
 * How often a lock is touched, and how long it may stay untouched before another machine's lock counts as abandoned.
 */
const TOUCH_MS = 5_000;
const LEFT_OVER_MS = 30_000;
/** The same for a lock of this host whose process can't be looked up from here. */
const UNSEEN_MS = 3 * TOUCH_MS;

const ownerShape = z.object({
  pid: z.number().int(),
  host: z.string(),
  run: z.string(),
  /** Where its process id is valid; null: unknown. Containers with one host name may all run process 1. */
  namespace: z.string().nullable().default(null),
});
type Owner = z.infer<typeof ownerShape>;

/**
 * Takes the locks of an export. While it holds them, another export of the same files throws Failure. Locks that a dead
 * process left behind are taken over. Returns a function that releases them; they are also released on process exit.
 */
export async function takeLocks(paths: readonly string[]): Promise<() => void> {
  const text = JSON.stringify({
    ...{ pid: process.pid, host: hostname(), run: randomUUID(), namespace: pidNamespace() },
  } satisfies Owner);
  const taken: string[] = [];
  const release = (): void => {
    clearInterval(touching);
    process.off('exit', release);
    for (const path of taken) if (readSync(path) === text) rmSync(path, { force: true });
  };
  const touching = setInterval(() => {
    const now = new Date();
    for (const path of taken) void utimes(path, now, now).catch(() => {});
  }, TOUCH_MS).unref();
  process.once('exit', release);
  try {
    for (const path of paths) {
      await take(path, text);
      taken.push(path);
    }
  } catch (error) {
    release();
    throw error;
  }
  return release;
}

async function take(path: string, text: string): Promise<void> {
  while (!(await isMade(path, text))) {
    const there = await readLockFile(path);
    if (there === null) continue;
    if (!(await isLeftOver(path, there))) throw lockedBy(path, (await readLockFile(path)) ?? there);
    await removeLeftOver(path, there);
  }
}

const isMade = (path: string, text: string): Promise<boolean> =>
  writeFile(path, text, { flag: 'wx' }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      throw fileFailure(path, 'written', error, WRONG_USE);
    },
  );

const readLockFile = (path: string): Promise<string | null> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw fileFailure(path, 'read', error, WRONG_USE);
  });

/**
 * Whether the owner is alive can be checked only for a process of this machine, and of this container. Otherwise, or
 * while the lock is still being written, the lock's age decides.
 */
async function isLeftOver(path: string, text: string): Promise<boolean> {
  const owner = parseOwner(text);
  const isOfHost = owner?.host === hostname();
  const namespace = pidNamespace();
  if (isOfHost && owner.namespace === namespace) {
    if (owner.pid !== process.pid && isAlive(owner.pid)) return false;
    if (namespace !== null) return true;
  }
  const found = await stat(path).catch(() => null);
  if (found === null) return true;
  if (!isOfHost) return Date.now() - found.mtimeMs > LEFT_OVER_MS;
  // Most likely this container was started again, so it is worth waiting.
  note(`perch: waiting up to ${UNSEEN_MS / 1000} s for process ${owner.pid}, in case it has ended`);
  while (Date.now() - found.mtimeMs <= UNSEEN_MS) {
    await sleep(1000);
    const now = await stat(path).catch(() => null);
    if (now === null) return true;
    if (now.mtimeMs !== found.mtimeMs) return false;
  }
  return true;
}

/** The machine since it was booted, and its namespace of process ids; null where there is no way to tell. */
function pidNamespace(): string | null {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return null;
  }
}

/**
 * Two processes may find the same lock abandoned: each removes only the lock that it checked, not one that the other
 * has made since.
 */
async function removeLeftOver(path: string, text: string): Promise<void> {
  const aside = `${path}.${process.pid}`;
  await rename(path, aside).catch(() => {});
  const moved = await readLockFile(aside);
  if (moved !== null && moved !== text) await isMade(path, moved);
  await rm(aside, { force: true });
}

function lockedBy(path: string, text: string): Failure {
  const owner = parseOwner(text);
  const who = owner === null ? 'another process' : `process ${owner.pid} on ${owner.host}`;
  return new Failure(
    `${who} is writing this export: wait for it to finish, or use another --out or --state. If no export is running, remove ${path}`,
    FAILED,
  );
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function parseOwner(text: string): Owner | null {
  try {
    return ownerShape.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function readSync(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
