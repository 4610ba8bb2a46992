import { badRequest } from '../../../../src/domain/errors.js';

/** Characters of a name, of a key or of an account. */
export const LONGEST_NAME = 100;

/** Control characters, and those that change the direction of the following text. */
const UNSHOWN = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

/** A name without the spaces around it. Throws `bad_request` with a message for the customer; `ifEmpty`: for no name. */
export function readName(typed: string, ifEmpty: string): string {
  const trimmed = typed.trim();
  if (trimmed === '') throw badRequest(ifEmpty, 'name');
  if ([...trimmed].length > LONGEST_NAME) {
    throw badRequest(`A name can have at most ${LONGEST_NAME} characters.`, 'name');
  }
  if (UNSHOWN.test(trimmed)) throw badRequest('A name must not contain control characters.', 'name');
  return trimmed;
}
