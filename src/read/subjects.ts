import { badRequest, ServiceError } from '../domain/errors.js';
import { quoted } from '../lib/text.js';

/** Longest query, in characters after trimming (P8). */
export const MAX_QUERY_LENGTH = 1024;

/**
 * Most characters that normalisation composes into one: a query longer than this many times the limit stays too long.
 */
const MOST_PER_CHARACTER = 4;

/**
 * Most marks on one character, as in Unicode's stream-safe text (UAX 15): ordering marks takes time quadratic in their
 * number, 1.6 s for a body full of them.
 */
const MAX_MARKS = 30;
const MARKS = /\p{M}{31}/u;

/** Normalises a query: NFC, trimmed, inner spaces collapsed, case kept (P9). Throws `bad_request`. */
export function normaliseQuery(text: string): string {
  const plain = text.trim().replace(/\s+/gu, ' ');
  if (plain === '') throw badRequest('q is empty: use at least one word or operator.', 'q');
  if (plain.length > MOST_PER_CHARACTER * MAX_QUERY_LENGTH) throw tooLong(plain.length);
  if (MARKS.test(plain)) throw badRequest(`q has more than ${MAX_MARKS} combining marks on one character.`, 'q');
  // Nothing but a space becomes one.
  const query = plain.normalize('NFC');
  if (query.length > MAX_QUERY_LENGTH) throw tooLong(query.length);
  return query;
}

const tooLong = (length: number) =>
  badRequest(`q has ${length} characters; at most ${MAX_QUERY_LENGTH} are allowed.`, 'q');

/** No user can have this handle or id: 404, as the tables of these paths have it, not 400. */
export const impossibleUser = (text: string): ServiceError =>
  new ServiceError('not_found', `Invalid user ${quoted(text)}: use a numeric id or a handle.`, {
    reason: 'unknown',
  });

/** No handle can look like this. */
export const impossibleHandle = (text: string): ServiceError =>
  new ServiceError(
    'not_found',
    `Invalid handle ${quoted(text)}: use letters, digits and _ (on some networks also ., - and one @).`,
    {
      reason: 'unknown',
    },
  );

/** No tweet can have this id: an id is digits without sign, spaces or leading zeros (I7). */
export const impossibleId = (text: string): ServiceError =>
  new ServiceError('not_found', `Invalid id ${quoted(text)}: use digits only, without leading zeros.`, {
    reason: 'unknown',
  });
