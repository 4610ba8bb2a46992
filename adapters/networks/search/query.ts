import type { Counter } from './counters.js';

/** A search as a tree: what the text of `q` means, independent of the store. */
export type Query =
  | { readonly kind: 'and'; readonly of: readonly Query[] }
  | { readonly kind: 'or'; readonly of: readonly Query[] }
  | { readonly kind: 'not'; readonly of: Query }
  | Term;

export type Term =
  | { readonly kind: 'word' | 'phrase' | 'hashtag' | 'cashtag' | 'mention' | 'url' | 'lang'; readonly text: string }
  | { readonly kind: 'from' | 'to'; readonly handle: string }
  | { readonly kind: 'conversation' | 'quoting' | 'afterId' | 'uptoId'; readonly id: string }
  /** `since` includes the moment itself, `until` doesn't. */
  | { readonly kind: 'since' | 'until'; readonly time: string }
  | { readonly kind: 'atLeast'; readonly counter: Counter; readonly least: number }
  | { readonly kind: 'is'; readonly flag: Flag };

/** What a tweet can be or have; `verified` refers to its author. */
export type Flag =
  | 'reply'
  | 'retweet'
  | 'quote'
  | 'media'
  | 'image'
  | 'video'
  | 'link'
  | 'tag'
  | 'mention'
  | 'verified';
