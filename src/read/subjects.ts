import { placeIn } from '../domain/caret.js';
import { badRequest, ServiceError } from '../domain/errors.js';
import type { NameRule } from '../domain/fields.js';
import { isId, parseHandle, parseNodeId, parseUserRef } from '../domain/ids.js';
import { quoted } from '../lib/text.js';
import type { Impossible } from '../ports/network.js';

/** Longest query, in characters after trimming (P8). */
export const MAX_QUERY_LENGTH = 1024;

/**
 * Normalisation composes at most this many characters into one, so a query longer than this many times the limit will
 * be too long afterwards, too.
 */
const MOST_PER_CHARACTER = 4;

/**
 * Most marks on one character, as in Unicode's stream-safe text (UAX 15). Sorting marks takes time quadratic in their
 * number: 1.6 s for a body full of them.
 */
const MAX_MARKS = 30;
const MARKS = /\p{M}{31}/u;

/** No network can be asked for these, and no database can store them: U+0000 and half of a surrogate pair. */
const UNFIT = /[\0\p{Surrogate}]/u;

/** Normalises a query: NFC, trimmed, inner spaces collapsed, case kept (P9). Throws `bad_request`. */
export function normaliseQuery(text: string): string {
  const plain = text.trim().replace(/\s+/gu, ' ');
  if (plain === '') throw badRequest('q is empty: use at least one word or operator.', 'q');
  if (plain.length > MOST_PER_CHARACTER * MAX_QUERY_LENGTH) throw tooLong(plain.length);
  const unfit = plain.search(UNFIT);
  if (unfit >= 0) throw unfitText(plain, unfit);
  if (MARKS.test(plain)) throw badRequest(`q has more than ${MAX_MARKS} combining marks on one character.`, 'q');
  // NFC turns no other character into a space, so spaces need not be collapsed again.
  const query = plain.normalize('NFC');
  if (query.length > MAX_QUERY_LENGTH) throw tooLong(query.length);
  return query;
}

function unfitText(query: string, at: number): ServiceError {
  const code = query.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0');
  const message = `q has U+${code}, which no text can have: leave it out.`;
  return new ServiceError('bad_request', message, { param: 'q', place: placeIn(query, at) });
}

const tooLong = (length: number) =>
  badRequest(`q has ${length} characters; at most ${MAX_QUERY_LENGTH} are allowed.`, 'q');

/** `since` and a cursor are mutually exclusive: a page begins in one place. */
export const sinceAndCursor = (): ServiceError => badRequest('Send either since or a cursor, not both.', 'since');

/** No user can have this handle or id. A 404, as the tables of these paths say, not a 400. */
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

/** No object can have this global id. */
export const impossibleNodeId = (text: string): ServiceError =>
  new ServiceError('not_found', `Invalid nodeId ${quoted(text)}: send the id of a user or tweet, such as User:12.`, {
    reason: 'unknown',
  });

export const notOneName = (): ServiceError => badRequest('Provide exactly one of handle and id.', 'handle');

/** Why nothing can have this name, on any network or on this one; `bad_request` only if its grammar forbids it. */
export function impossibleName(kind: NameRule, text: string, ofNetwork?: Impossible): ServiceError | undefined {
  if (kind === 'tweetId') return isId(text) ? ofNetwork?.tweet(text) : impossibleId(text);
  if (kind === 'userId') return isId(text) ? ofNetwork?.user({ id: text }) : impossibleId(text);
  if (kind === 'user') {
    const ref = parseUserRef(text);
    return ref === null ? impossibleUser(text) : ofNetwork?.user(ref);
  }
  if (kind === 'nodeId') {
    const node = parseNodeId(text);
    if (node === null) return impossibleNodeId(text);
    return node.type === 'Tweet' ? ofNetwork?.tweet(node.id) : ofNetwork?.user({ id: node.id });
  }
  const handle = parseHandle(text);
  return handle === null ? impossibleHandle(text) : ofNetwork?.user({ handle });
}

/**
 * A name that the network's grammar forbids is a `bad_request` for its input in a batch (B4), and a `not_found` if it
 * is named alone (I13).
 */
export const namedAlone = (failure: ServiceError): ServiceError =>
  failure.code === 'bad_request' ? new ServiceError('not_found', failure.message, { reason: 'unknown' }) : failure;
