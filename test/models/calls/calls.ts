/** What is asked and what is answered, as plain data: the model predicts an `Answer` for each `Call`. */
import type { Label, Unit } from './prices.js';
import type { Kind } from './world.js';

/** Where a list goes on: after these items of this page. The interface calls it opaque; this is what it must remember. */
export interface Position {
  readonly place: string;
  readonly before: string | null;
  /** Items of that page that were passed, counted up to three. */
  readonly inside: number;
  /** The last three items passed, the newest first. */
  readonly passed: readonly string[];
}

/** A list of each item of the read above it, from the top; only in GraphQL. */
export interface Nested {
  readonly kind: Kind;
  readonly count: number;
  readonly below?: readonly Nested[];
}

export interface ObjectRead {
  readonly read: 'user' | 'tweet';
  readonly id: string;
  readonly below?: readonly Nested[];
}

export interface BatchRead {
  readonly read: 'users' | 'tweets';
  readonly ids: readonly string[];
}

export interface ListRead {
  readonly read: 'list';
  readonly kind: Kind;
  readonly subject: string;
  /** Lists of users can be asked for by handle, which is looked up for free. */
  readonly byHandle?: boolean;
  /** Followers as ids: the same page at another price. */
  readonly idsOnly?: boolean;
  readonly count: number;
  readonly from: Position | null;
  readonly below?: readonly Nested[];
}

export type Read = ObjectRead | BatchRead | ListRead;

export interface Call {
  readonly key: number;
  /** Several only in one GraphQL document. */
  readonly reads: readonly Read[];
  readonly fresh: boolean;
  /** In thousandths; null: none. */
  readonly budget: number | null;
}

export interface ReadAnswer {
  /** Null: it was answered. */
  readonly code: string | null;
  readonly ids: readonly string[];
  readonly errors: readonly string[];
  readonly label: Label;
  readonly hits: number;
  readonly truncated: string | null;
  readonly next: Position | null;
  /** Of the lists below it: field by field, each for all items in their order, and then what is below that. */
  readonly nested: readonly ReadAnswer[];
}

export interface Answer {
  readonly code: string | null;
  readonly charged: number;
  /** That it was charged for. */
  readonly items: number;
  /** After the call; null: the key is not one. */
  readonly balance: number | null;
  readonly reads: readonly ReadAnswer[];
  readonly label: Label;
  readonly ageSeconds: number | null;
  /** `RateLimit`; null: no key was resolved. */
  readonly rate: string | null;
}

export const unitOf = (read: Read): Unit => (read.read === 'list' ? unitOfList(read.kind, read.idsOnly) : 'object');

export function unitOfList(kind: Kind, idsOnly = false): Unit {
  if (kind === 'retweeters') return 'retweeter';
  if (kind !== 'followers' && kind !== 'following') return 'object';
  return idsOnly ? 'id' : 'edge';
}

/** The most items that are priced beforehand: the inputs of a batch are counted as they are sent (B1). */
export const mostOf = (read: Read): number => {
  if (read.read === 'list') return read.count;
  return 'ids' in read ? read.ids.length : 1;
};

export const failed = (code: string): ReadAnswer => ({
  code,
  ids: [],
  errors: [],
  label: 'miss',
  hits: 0,
  truncated: null,
  next: null,
  nested: [],
});
