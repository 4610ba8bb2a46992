import { FOLLOWED_READS, hasSince, LIST_READS, type List, type ListRead } from '../src/domain/lists.js';

/** The variables that name a list's subject, each with its argument. */
const SUBJECTS: Readonly<Record<List['subject'], readonly [variables: string, args: string]>> = {
  user: ['$user: ID!', 'user: $user'],
  tweet: ['$id: ID!', 'id: $id'],
  query: ['$q: String!, $product: Product = Latest', 'q: $q, product: $product'],
};

/** The fields of each item that REST and its clients show. */
const FRAGMENTS = { tweets: '...RestTweet', users: '...RestUser' } as const;

function nodesSelection({ list, idsOnly }: ListRead): string {
  if (idsOnly) return 'data: nodes';
  const lists = list.products ? Object.values(list.products) : [list];
  const fragments = [...new Set(lists.map(({ items }) => FRAGMENTS[items]))];
  return ['data: nodes {', ...fragments.map((fragment) => `  ${fragment}`), '}'].join('\n    ');
}

/** The operation's name within a list's document, derived from the name it is persisted under. */
export const documentName = ({ operation }: Pick<ListRead, 'operation'>): string =>
  operation.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Selects the form that list documents have in a release. */
export type Release = '0.3.0' | 'next';

/**
 * The operation of a list read. Clients run it by the SHA-256 of this text, so the text of a release must never change.
 */
function listDocument(read: ListRead, release: Release): string {
  const [variables, args] = SUBJECTS[read.list.subject];
  const isNext = release !== '0.3.0';
  const since = isNext && hasSince(read);
  return `query ${documentName(read)}(${variables}, $count: Int = ${read.size.initial}, $cursor: String, ${since ? '$since: String, ' : ''}$fresh: Boolean = false) {
  page: ${read.query.name}(${args}, first: $count, after: $cursor, ${since ? 'since: $since, ' : ''}fresh: $fresh) {
    ${nodesSelection(read)}
    pageInfo {
      next_cursor: endCursor${isNext ? '\n      since_cursor: sinceCursor\n      has_newer: hasNewer\n      gap' : ''}
      truncated
      end_reason: endReason
    }
    meta {
      items
      cache
      cache_hits: cacheHits
    }
  }
}
`;
}

/** The operation that follows a list, for REST. */
function liveDocument(read: ListRead): string {
  const [variables, args] = SUBJECTS[read.list.subject];
  return `subscription ${documentName(read)}(${variables}, $count: Int = ${read.size.initial}, $since: String) {
  page: ${read.query.name}(${args}, first: $count, since: $since) {
    ${nodesSelection(read)}
    pageInfo {
      since_cursor: sinceCursor
      has_newer: hasNewer
      gap
      truncated
    }
    meta {
      items
      cache
      cache_hits: cacheHits
    }
  }
}
`;
}

/** The name of the operation that follows a list. */
export const liveName = ({ operation }: Pick<ListRead, 'operation'>): string => `live-${operation}`;

/** The operations that follow lists, by name. */
export const liveDocuments = (): (readonly [name: string, text: string])[] =>
  FOLLOWED_READS.map((read) => [liveName(read), liveDocument(read)]);

/** The operations of all lists, by name. */
export const listDocuments = (release: Release): (readonly [name: string, text: string])[] =>
  LIST_READS.map((read) => [read.operation, listDocument(read, release)]);
