import { badRequest } from '../../../../src/domain/errors.js';

/** The most characters in the name of a key or an account. */
export const LONGEST_NAME = 100;

/** Control characters, and characters that change the direction of the text after them. */
const UNSHOWN = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

/** Trims a name. Throws `bad_request` with a message for the customer, which is `ifEmpty` if the name is empty. */
export function readName(typed: string, ifEmpty: string): string {
  const trimmed = typed.trim();
  if (trimmed === '') throw badRequest(ifEmpty, 'name');
  if ([...trimmed].length > LONGEST_NAME) {
    throw badRequest(`A name can have at most ${LONGEST_NAME} characters.`, 'name');
  }
  if (UNSHOWN.test(trimmed)) throw badRequest('A name must not contain control characters.', 'name');
  return trimmed;
}
