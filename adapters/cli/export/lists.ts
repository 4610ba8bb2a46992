import { holdsUsers, LIST_READS, type ListRead } from '../../../src/domain/lists.js';
import type { Product } from '../../../src/domain/model.js';

/** The endpoint of a list for a subject. A search always has the same one, because its subject is the query `q`. */
export function listPath({ list, path }: ListRead, subject: string): string {
  switch (list.subject) {
    case 'user':
      return `/v1/users/${encodeURIComponent(subject)}/${path}`;
    case 'tweet':
      return `/v1/tweets/${encodeURIComponent(subject)}/${path}`;
    case 'query':
      return `/v1/tweets/${path}`;
  }
}

/** The type of a file's rows: objects of these types, or only ids. */
export type RowType = 'User' | 'Tweet' | 'id';

export function rowTypeOf({ kind, idsOnly }: ListRead, product: Product | undefined): RowType {
  if (idsOnly) return 'id';
  return holdsUsers({ kind, product }) ? 'User' : 'Tweet';
}

/** Every list read and search, by its name on the command line. */
export const EXPORTS: ReadonlyMap<string, ListRead> = new Map(LIST_READS.map((read) => [read.export, read]));
