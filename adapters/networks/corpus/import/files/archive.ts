import { decodeEntities } from '../objects/escaped-text.js';
import { interfaceRow, tweetRows } from '../objects/interface-row.js';
import { v11Object } from '../objects/objects.js';
import {
  asRecord,
  type FilePiece,
  type Given,
  isRecord,
  type Json,
  located,
  type Omission,
  type Reading,
} from '../objects/reading.js';
import { statusTweet } from '../objects/v11.js';
import { readBytes, readProblem } from './bytes.js';
import { LongPosts } from './long-posts.js';
import type { Folder, Source } from './source.js';
import { readValues } from './values.js';

/** `window.YTD.tweets.part0 = […]`; before 2018 `Grailbird.data.tweets_2013_01 = […]`. */
const PREFIX = /^\s*(?:window\.YTD\.\w+\.part\d+|Grailbird\.data\.\w+)\s*=\s*$/;
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

type OnBytes = ((bytes: number) => void) | undefined;

async function* entries(source: Source, onBytes?: OnBytes): AsyncGenerator<FilePiece> {
  for await (const bundle of readValues(withoutAssignment(readBytes(source, onBytes)))) yield* bundle;
}

/** An entry is `{"tweet": {…}}`, `{"account": {…}}`; old archives contain bare tweets. */
function parseEntry(piece: FilePiece, name: string): Json | string {
  if ('problem' in piece) return piece.problem;
  try {
    const value: unknown = JSON.parse(piece.text);
    if (!isRecord(value)) return `must be an object {"${name}": …}`;
    return isRecord(value[name]) ? value[name] : value;
  } catch (error) {
    return `not JSON (${(error as Error).message})`;
  }
}

const NO_ACCOUNT = 'no readable account.js next to it';

/** An X archive: the files of one folder, whose tweets are by the account of `account.js`. */
export class Archive {
  private posts: Promise<LongPosts> | undefined;
  private readonly owner: () => Promise<Json>;

  constructor(private readonly folder: Folder) {
    let owner: Promise<Json> | undefined;
    this.owner = () => (owner ??= this.first('account'));
  }

  /** The owner: `account.js`, and for the rest of the profile `profile.js` and `verified.js`. */
  async *readAccount({ path }: Source, onBytes: OnBytes): AsyncGenerator<Reading> {
    onBytes?.(0);
    try {
      const account = await this.owner();
      if (account.accountId === undefined) {
        yield { file: path, line: 1, message: `${NO_ACCOUNT}: copy it there from the archive` };
        return;
      }
      const row = interfaceRow('user', toProfile(account, await this.first('profile'), await this.first('verified')));
      yield typeof row === 'string' ? { file: path, line: 1, message: row } : { row, line: 1 };
    } catch (error) {
      yield { file: path, line: 1, message: readProblem(error) };
    }
  }

  /** The tweets of one part. */
  async *readTweets(source: Source, onBytes: OnBytes): AsyncGenerator<Reading> {
    const { accountId } = await this.owner().catch(() => asRecord(null));
    if (typeof accountId !== 'string') {
      const message = `${NO_ACCOUNT}, so the author of these tweets is unknown: copy it there from the archive`;
      yield { file: source.path, line: 1, message };
      return;
    }
    const posts = await this.longPosts();
    yield* rowsIn(source, 'tweet', onBytes, (entry) =>
      tweetRows(posts.complete(statusTweet(entry, { authorId: accountId, from: 'archive' }))),
    );
  }

  /** `follower.js` or `following.js`: ids alone. */
  async *readFollows(source: Source, name: 'follower' | 'following', onBytes: OnBytes): AsyncGenerator<Reading> {
    const { accountId } = await this.owner().catch(() => asRecord(null));
    if (typeof accountId !== 'string') {
      yield { file: source.path, line: 1, message: `${NO_ACCOUNT}, so their owner is unknown: copy it there` };
      return;
    }
    yield* rowsIn(source, name, onBytes, ({ accountId: other }) => [
      name === 'follower'
        ? interfaceRow('follow', { follower_id: other, followed_id: accountId })
        : interfaceRow('follow', { follower_id: accountId, followed_id: other }),
    ]);
  }

  /** Long posts are read together with the tweets; this only reports how many belong to none of them. */
  async *readLongPosts({ path }: Source, onBytes: OnBytes): AsyncGenerator<Reading> {
    onBytes?.(0);
    const posts = await this.longPosts();
    yield* posts.faults;
    if (posts.left > 0)
      yield { file: path, omitted: 'long posts that belong to none of the tweets', count: posts.left };
  }

  private longPosts(): Promise<LongPosts> {
    this.posts ??= this.readNotes();
    return this.posts;
  }

  private async readNotes(): Promise<LongPosts> {
    const posts = new LongPosts();
    for (const source of this.folder.files.values()) {
      if (!NOTES.test(source.name)) continue;
      try {
        for await (const piece of entries(source)) {
          const entry = parseEntry(piece, 'noteTweet');
          const problem = typeof entry === 'string' ? entry : posts.add(entry);
          if (problem !== undefined) posts.faults.push({ file: source.path, line: piece.line, message: problem });
        }
      } catch (error) {
        posts.faults.push({ file: source.path, line: 1, message: readProblem(error) });
      }
    }
    return posts;
  }

  /** The first entry of a file; an empty object if there is none. */
  private async first(name: string): Promise<Json> {
    const source = this.folder.files.get(`${name}.js`);
    if (source === undefined) return {};
    for await (const piece of entries(source)) {
      const entry = parseEntry(piece, name);
      return typeof entry === 'string' ? {} : entry;
    }
    return {};
  }
}

export const NOTES = /^note-tweet(?:-part\d+)?\.js$/;

function toProfile(account: Json, profile: Json, badge: Json): Json {
  const description = asRecord(profile.description);
  return {
    id: account.accountId,
    handle: account.username,
    name: decodeEntities(account.accountDisplayName ?? account.username),
    bio: decodeEntities(description.bio),
    location: decodeEntities(description.location),
    url: description.website,
    avatar_url: profile.avatarMediaUrl,
    banner_url: profile.headerMediaUrl,
    verified: badge.verified,
    created_at: account.createdAt,
  };
}

async function* rowsIn(
  source: Source,
  name: string,
  onBytes: OnBytes,
  rowsOf: (entry: Json) => Given[],
): AsyncGenerator<Reading> {
  let line = 1;
  try {
    for await (const piece of entries(source, onBytes)) {
      line = piece.line;
      const entry = parseEntry(piece, name);
      yield* located(typeof entry === 'string' ? [entry] : rowsOf(entry), source.path, line);
    }
  } catch (error) {
    yield* located([readProblem(error)], source.path, line);
  }
}

/** A month of an archive from before 2018: statuses with their authors. */
export const readOldMonth = (source: Source, onBytes: OnBytes): AsyncGenerator<Reading> =>
  rowsIn(source, 'tweet', onBytes, (entry) => v11Object(entry, '', 0, 'old archive'));

/** Counts the entries of an archive's file of which a corpus can store nothing. */
export async function* countEntries(source: Source, onBytes: OnBytes): AsyncGenerator<Omission> {
  let count = 0;
  try {
    for await (const _ of entries(source, onBytes)) count += 1;
  } catch {
    // A file that cannot be read does not matter: nothing of it would be imported.
  }
  if (count > 0) yield { file: source.path, omitted: 'entries that a corpus cannot store', count };
}
