import { DocumentError } from './document-error.js';

/** How large a document may be (G11). What its fragments expand to counts, not what is written. */
export const LIMITS = {
  bytes: 32 * 1024,
  tokens: 2000,
  /** Lines: an error is placed by counting them. */
  lines: 2000,
  operations: 50,
  fragments: 100,
  variables: 100,
  /** Lists and objects inside each other, in a value that is written out or sent as a variable. */
  valueDepth: 8,
  /** Values in all variables of a request together, those in lists and objects included. */
  variableValues: 2000,
  // Of each operation:
  depth: 10,
  aliases: 30,
  rootFields: 10,
  fields: 500,
  // Of all operations of a document together:
  selections: 2000,
  comparisons: 4000,
  // Of introspection, instead of `depth` and beside the others:
  introspectionDepth: 20,
  /** Bytes of the data it would answer with, as JSON. */
  introspectionBytes: 128 * 1024,
} as const;

/** Counting ends here: what it comes to beyond is "more than". */
const MOST = 1e9;

/** A sum that cannot overflow, whatever is added. */
export const plus = (a: number, b: number): number => Math.min(a + b, MOST);

/** A count as it is said in a message. */
export const formatCount = (count: number): string =>
  count >= MOST ? `more than ${MOST.toLocaleString('en-US')}` : count.toLocaleString('en-US');

/** Throws `bad_request` for a count over its limit, in one sentence: how many there are, and how many are allowed. */
export function refuseOver(count: number, limit: number, are: string, what: string): void {
  if (count <= limit) return;
  throw DocumentError.of(`${are} ${formatCount(count)} ${what}; at most ${formatCount(limit)} are allowed.`);
}
