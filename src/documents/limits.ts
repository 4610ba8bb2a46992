import { DocumentError } from './document-error.js';

/** How large a document may be (G11). Counted with fragments expanded, not as written. */
export const LIMITS = {
  bytes: 32 * 1024,
  tokens: 2000,
  /** Lines are limited because locating an error means counting them. */
  lines: 2000,
  operations: 50,
  fragments: 100,
  variables: 100,
  /** Nesting of lists and objects in a value, in the document or sent as a variable. */
  valueDepth: 8,
  /** Values in all variables of a request together, including those in lists and objects. */
  variableValues: 2000,
  // Of each operation:
  depth: 10,
  aliases: 30,
  rootFields: 10,
  fields: 500,
  // Of all operations of a document together:
  selections: 2000,
  comparisons: 4000,
  // Of introspection, instead of `depth` and in addition to the others:
  introspectionDepth: 20,
  /** Bytes of the data in its answer, as JSON. */
  introspectionBytes: 256 * 1024,
} as const;

/** Counting stops here: larger counts are reported as "more than" this. */
const MOST = 1e9;

/** A sum that saturates instead of overflowing. */
export const plus = (a: number, b: number): number => Math.min(a + b, MOST);

/** A count as a message shows it. */
export const formatCount = (count: number): string =>
  count >= MOST ? `more than ${MOST.toLocaleString('en-US')}` : count.toLocaleString('en-US');

/** Throws `bad_request` if a count is over its limit, with one sentence that states the count and the limit. */
export function refuseOver(count: number, limit: number, are: string, what: string): void {
  if (count <= limit) return;
  throw DocumentError.of(`${are} ${formatCount(count)} ${what}; at most ${formatCount(limit)} are allowed.`);
}
