import type { MediaType } from '../src/domain/model.js';
import type { DemoAccount } from './account.js';
import type { Subject } from './subjects.js';

/** What a conversation is about, and what has already been said in it. */
export interface Topic {
  readonly subject: Subject;
  readonly bound: Map<string, string>;
  /** Templates of exchanges and comments that were used. */
  readonly said: Set<string>;
}

/** A tweet before it has its id; `parent`, `quoted` and `retweeted` are older drafts. */
export interface Draft {
  readonly author: DemoAccount;
  readonly atMs: number;
  readonly text: string;
  readonly lang: string;
  readonly parent: Draft | null;
  /** The first tweet of the conversation; null for that tweet itself. */
  readonly root: Draft | null;
  readonly quoted: Draft | null;
  readonly retweeted: Draft | null;
  readonly media: MediaType | null;
  readonly topic: Topic | null;
  /** Only for a tweet whose fame is predetermined. */
  readonly fame: { readonly likes: number; readonly views: number } | null;
}

type Given = Pick<Draft, 'author' | 'atMs' | 'text'> & Partial<Draft>;

const BLANK = {
  lang: 'en',
  parent: null,
  root: null,
  quoted: null,
  retweeted: null,
  media: null,
  topic: null,
  fame: null,
} satisfies Partial<Draft>;

export const draft = (given: Given): Draft => ({ ...BLANK, ...given });

/** An answer addresses its recipient, but nobody addresses themselves. */
export function reply(parent: Draft, given: Given): Draft {
  const text = parent.author === given.author ? given.text : `@${parent.author.handle} ${given.text}`;
  return draft({ lang: parent.lang, ...given, text, parent, root: parent.root ?? parent });
}
