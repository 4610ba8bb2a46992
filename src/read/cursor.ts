import { createHmac, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../domain/errors.js';
import { MAX_CURSOR_LENGTH } from '../domain/fields.js';
import type { ListRef } from '../domain/lists.js';
import { listHash } from './keys.js';

/**
 * A position in a list: the upstream page, and the item in it after which to continue. It contains nothing about a
 * caller (C3).
 */
export interface Position {
  /** The page's key (see `CachedPage`). */
  readonly place: string;
  /** The key of the page before it. */
  readonly before: string | null;
  /** How many items of that page were passed; 0 if the page begins after the last one. */
  readonly inside: number;
  /** The last item passed, and up to two before it: where to continue if the page has to be read again. */
  readonly passed: readonly string[];
  /** The time of the last item passed, Unix milliseconds, in lists that are newest first. */
  readonly at: number | null;
}

/** How many of the last items passed a cursor remembers. */
export const ANCHORS = 3;

/** A first page's key under which no page is cached. */
const FROM_THE_START = '@';

const TAG_BYTES = 12;
/** A day is promised; after a week the network's own tokens may no longer work (C7). */
const LIFETIME_SECONDS = 7 * 24 * 3600;

type Packed = [
  list: string,
  place: string,
  before: string | null,
  inside: number,
  passed: string[],
  at: number | null,
  issued: number,
];

/** Signed, opaque cursors. They contain no secret: the signature keeps made-up bytes from reaching the network. */
export interface Cursors {
  /** Throws `bad_request` if it is not one of Perch's; called before anything else is checked (rule 6). */
  check(cursor: string): void;
  encode(list: ListRef, position: Position, nowMs: number): string;
  /** Throws `bad_request` if it is not one of Perch's, belongs to another list (C2), or is too old. */
  decode(list: ListRef, cursor: string, nowMs: number): Position;
}

export function createCursors(secret: Uint8Array): Cursors {
  const tag = (body: Buffer): Buffer => createHmac('sha256', secret).update(body).digest().subarray(0, TAG_BYTES);

  const pack = (packed: Packed): string => {
    const body = Buffer.from(JSON.stringify(packed));
    return Buffer.concat([tag(body), body]).toString('base64url');
  };

  return {
    check(cursor) {
      if (!open(cursor, tag)) throw notOurs();
    },
    encode(list, position, nowMs) {
      const { place, before, inside, passed, at } = position;
      const issued = Math.floor(nowMs / 1000);
      const full = pack([listHash(list), place, before, inside, [...passed], at, issued]);
      if (full.length < MAX_CURSOR_LENGTH) return full;
      // Only one anchor is left of several, so it is unknown how many of the others are in the page.
      const known = inside > 1 ? Math.max(inside, ANCHORS) : inside;
      const short = pack([listHash(list), place, null, known, passed.slice(0, 1), at, issued]);
      if (short.length < MAX_CURSOR_LENGTH) return short;
      // The network's token is too long for a cursor: the last item passed is looked for from the start of the list.
      return pack([listHash(list), FROM_THE_START, null, ANCHORS, passed.slice(0, 1), at, issued]);
    },
    decode(list, cursor, nowMs) {
      const packed = open(cursor, tag);
      if (!packed) throw notOurs();
      const [hash, place, before, inside, passed, at, issued] = packed;
      if (hash !== listHash(list)) {
        throw refused(
          'cursor_other_list',
          'This cursor belongs to a different list: use it with the same path and parameters.',
        );
      }
      if (nowMs / 1000 - issued > LIFETIME_SECONDS) {
        throw expired('This cursor has expired');
      }
      return { place, before, inside, passed, at };
    },
  };
}

function open(cursor: string, tag: (body: Buffer) => Buffer): Packed | null {
  if (cursor.length > MAX_CURSOR_LENGTH) return null;
  const bytes = Buffer.from(cursor, 'base64url');
  // Other characters are skipped above, and two spellings of the same bytes would be two cursors for one position.
  if (bytes.toString('base64url') !== cursor || bytes.length <= TAG_BYTES) return null;
  const body = bytes.subarray(TAG_BYTES);
  return timingSafeEqual(tag(body), bytes.subarray(0, TAG_BYTES)) ? (JSON.parse(body.toString()) as Packed) : null;
}

/** A bad cursor is 400 whatever is wrong with it; `reason` says what (rule 6, U24). */
const refused = (reason: string, message: string): ServiceError =>
  new ServiceError('bad_request', message, { param: 'cursor', reason });

export const expired = (why: string): ServiceError =>
  refused('cursor_expired', `${why}. Start again without a cursor.`);

const notOurs = () =>
  refused('cursor_malformed', 'Invalid cursor. Send the next_cursor of the previous page unchanged, or leave it out.');
