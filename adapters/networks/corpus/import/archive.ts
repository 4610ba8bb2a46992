import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { archiveTweet } from './archive-tweet.js';
import { readBytes, readProblem } from './bytes.js';
import { interfaceRow } from './interface-row.js';
import { asRecord, isRecord, type Json, type Piece, type Reading } from './reading.js';
import { readValues } from './values.js';

const PREFIX = /^\uFEFF?\s*window\.YTD\.\w+\.part\d+\s*=\s*$/;
const MAX_PREFIX_BYTES = 1024;

/**
 * Removes the assignment that makes an archive's JSON a script. Content that doesn't begin with one passes unchanged.
 */
async function* withoutAssignment(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer | null = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (head === null) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const start = head.indexOf('[');
    if (start < 0 && head.length < MAX_PREFIX_BYTES) continue;
    yield PREFIX.test(head.subarray(0, Math.max(start, 0)).toString()) ? head.subarray(start) : head;
    head = null;
  }
  if (head !== null) yield head;
}

async function* entries(path: string, onBytes?: (bytes: number) => void): AsyncGenerator<Piece> {
  for await (const bundle of readValues(withoutAssignment(readBytes(path, onBytes)))) yield* bundle;
}

/** An entry is `{"tweet": {…}}`, `{"account": {…}}`; old archives contain bare tweets. */
function entryOf(piece: Piece, name: string): Json | string {
  if ('problem' in piece) return piece.problem;
  try {
    const value: unknown = JSON.parse(piece.text);
    if (!isRecord(value)) return `must be an object {"${name}": …}`;
    return isRecord(value[name]) ? value[name] : value;
  } catch (error) {
    return `not JSON (${(error as Error).message})`;
  }
}

async function firstEntry(path: string, name: string): Promise<Json | undefined> {
  if (!existsSync(path)) return undefined;
  for await (const piece of entries(path)) {
    const entry = entryOf(piece, name);
    return typeof entry === 'string' ? undefined : entry;
  }
  return undefined;
}

/** The archive's owner: `account.js` and, for the rest of the profile, `profile.js` of the folder. */
export async function* readArchiveAccount(path: string, onBytes?: (bytes: number) => void): AsyncGenerator<Reading> {
  const folder = dirname(path);
  onBytes?.(0);
  try {
    const account = await firstEntry(join(folder, 'account.js'), 'account');
    if (account === undefined) {
      yield { file: path, line: 1, message: 'no readable account.js next to it: copy it there from the archive' };
      return;
    }
    const profile = asRecord(await firstEntry(join(folder, 'profile.js'), 'profile'));
    const description = asRecord(profile.description);
    const row = interfaceRow('user', {
      id: account.accountId,
      handle: account.username,
      name: account.accountDisplayName ?? account.username,
      bio: description.bio,
      location: description.location,
      url: description.website,
      avatar_url: profile.avatarMediaUrl,
      banner_url: profile.headerMediaUrl,
      created_at: account.createdAt,
    });
    yield typeof row === 'string' ? { file: path, line: 1, message: row } : { row, line: 1 };
  } catch (error) {
    yield { file: path, line: 1, message: readProblem(error) };
  }
}

/** The tweets in one part of an archive; needs the `account.js` of its folder to know their author. */
export async function* readArchiveTweets(path: string, onBytes?: (bytes: number) => void): AsyncGenerator<Reading> {
  let line = 1;
  try {
    const account = asRecord(await firstEntry(join(dirname(path), 'account.js'), 'account'));
    if (typeof account.accountId !== 'string') {
      const message =
        'no readable account.js next to it, so the author of these tweets is unknown: copy it there from the archive';
      yield { file: path, line, message };
      return;
    }
    for await (const piece of entries(path, onBytes)) {
      line = piece.line;
      const entry = entryOf(piece, 'tweet');
      const row = typeof entry === 'string' ? entry : interfaceRow('tweet', archiveTweet(entry, account.accountId));
      yield typeof row === 'string' ? { file: path, line, message: row } : { row, line };
    }
  } catch (error) {
    yield { file: path, line, message: readProblem(error) };
  }
}
