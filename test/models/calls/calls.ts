/** Calls and answers as plain data. The model predicts an `Answer` for each `Call`. */
import type { Label, Unit } from './prices.js';
import type { Kind } from './world.js';

/** Where a list continues: after these items of this page. To clients it is opaque; this is what it has to record. */
export interface Position {
  readonly place: string;
  readonly before: string | null;
  /** How many items of that page were passed, counted up to three. */
  readonly inside: number;
  /** The last three items passed, newest first. */
  readonly passed: readonly string[];
}

/** A list of each item of the read above it, from the top. Only in GraphQL. */
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
  /** Lists of users can be requested by handle, which is looked up for free. */
  readonly byHandle?: boolean;
  /** Followers as ids: the same page at a different price. */
  readonly idsOnly?: boolean;
  readonly count: number;
  readonly from: Position | null;
  readonly below?: readonly Nested[];
}

export type Read = ObjectRead | BatchRead | ListRead;

export interface Call {
  readonly key: number;
  /** More than one only in a GraphQL document. */
  readonly reads: readonly Read[];
  readonly fresh: boolean;
  /** In thousandths; null: none. */
  readonly budget: number | null;
}

export interface ReadAnswer {
  /** Null if the call was answered. */
  readonly code: string | null;
  readonly ids: readonly string[];
  readonly errors: readonly string[];
  readonly label: Label;
  readonly hits: number;
  readonly truncated: string | null;
  readonly next: Position | null;
  /** The lists below it: field by field, each for all items in their order, then the lists below that field. */
  readonly nested: readonly ReadAnswer[];
}

export interface Answer {
  readonly code: string | null;
  readonly charged: number;
  /** The number of charged items. */
  readonly items: number;
  /** The balance after the call; null if the key does not exist. */
  readonly balance: number | null;
  readonly reads: readonly ReadAnswer[];
  readonly label: Label;
  readonly ageSeconds: number | null;
  /** `RateLimit`; null if no key was found. */
  readonly rate: string | null;
}

export const unitOf = (read: Read): Unit => (read.read === 'list' ? unitOfList(read.kind, read.idsOnly) : 'object');

export function unitOfList(kind: Kind, idsOnly = false): Unit {
  if (kind === 'retweeters') return 'retweeter';
  if (kind !== 'followers' && kind !== 'following') return 'object';
  return idsOnly ? 'id' : 'edge';
}

/** The most items, as priced in advance: the inputs of a batch count as they are sent (B1). */
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
