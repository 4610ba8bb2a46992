import type { CorpusRow, CorpusTweet, CorpusUser } from '../rows.js';
import type { CopyText } from './copy.js';
import { isCutOf } from './cut-text.js';
import { mergedParts } from './merge-parts.js';
import { type StagedFollow, stagedText } from './stage.js';
import type { ImportSummary } from './summary.js';
import type { Into } from './tables.js';

/** Few enough that rows waiting for their batch seldom survive a garbage collection of young objects. */
const MOST_ROWS = 2000;
/** Characters of text. */
const MOST_TEXT = 8 * 1024 * 1024;

/** Merges a row into an earlier row of the same object. Fields that the later row lacks stay as they were. */
function keep<Row extends { readonly id: string }>(rows: Map<string, Row>, row: Row): void {
  const earlier = rows.get(row.id);
  rows.set(row.id, earlier === undefined ? row : { ...earlier, ...row });
}

const OF_TEXT = ['text', 'urls', 'articles', 'hashtags', 'mentions'] as const;

/** The same for a tweet. A text that its source cut does not replace the whole one, nor the fields found in it. */
function keepTweet(rows: Map<string, CorpusTweet>, row: CorpusTweet): void {
  const earlier = rows.get(row.id);
  const isCut = earlier !== undefined && isCutOf(row.text, earlier.text);
  const kept = isCut ? OF_TEXT.filter((name) => name in earlier).map((name) => [name, earlier[name]]) : [];
  keep(rows, { ...row, ...Object.fromEntries(kept), ...(earlier && mergedParts(earlier, row)) });
}

/** A batch in the form in which its tables accept it. */
export interface PreparedBatch {
  readonly size: number;
  readonly users: CopyText;
  readonly tweets: CopyText;
  readonly follows: readonly StagedFollow[];
}

/** Rows that wait to be written together, each object once: later rows add to or update earlier ones. */
export class RowBatch {
  private readonly users = new Map<string, CorpusUser>();
  private readonly tweets = new Map<string, CorpusTweet>();
  private readonly follows: StagedFollow[] = [];
  private text = 0;

  private get size(): number {
    return this.users.size + this.tweets.size + this.follows.length;
  }

  get isFull(): boolean {
    return this.size >= MOST_ROWS || this.text >= MOST_TEXT;
  }

  add(row: CorpusRow, summary: ImportSummary): void {
    if (row.kind === 'user') {
      summary.users.read += 1;
      this.text += row.user.bio?.length ?? 0;
      keep(this.users, row.user);
    } else if (row.kind === 'tweet') {
      summary.tweets.read += 1;
      this.text += row.tweet.text.length;
      keepTweet(this.tweets, row.tweet);
    } else {
      summary.follows.read += 1;
      this.follows.push([row.followerId, row.followedId, summary.follows.read]);
    }
  }

  /** Computes the values to write, which takes longer than writing them. */
  async prepare(into: Into): Promise<PreparedBatch> {
    return {
      size: this.size,
      users: await stagedText(into.users, this.users.values()),
      tweets: await stagedText(into.tweets, this.tweets.values()),
      follows: this.follows,
    };
  }
}
