import { timingSafeEqual } from 'node:crypto';
import { expiredCursor, foreignCursor, malformedCursor, ServiceError } from '../domain/errors.js';
import { type CursorParam, MAX_CURSOR_LENGTH } from '../domain/fields.js';
import type { ListRef } from '../domain/lists.js';
import { digestText, hmacWith } from '../lib/digest.js';
import { HOUR_MS } from '../lib/durations.js';
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
  /** How many items of that page were passed; 0 if the page begins after the last item passed. */
  readonly inside: number;
  /** The last item passed, and up to two before it: where to continue if the page has to be read again. */
  readonly passed: readonly string[];
  /** The time of the last item passed, Unix milliseconds, in lists that are newest first. */
  readonly at: number | null;
}

/** How many of the items passed last a cursor remembers. */
export const ANCHORS = 3;

/** What a caller has of a list. Items that are not known and are newer than the floor are new. */
export interface Anchor {
  /** The newest items under their `knownAs` names, at most `KNOWN`. */
  readonly known: readonly string[];
  /** Only items newer than this can be new; null: the whole list is known. */
  readonly floor: Instant | null;
}

/** When an item was made (Unix milliseconds), and its id: networks with times in seconds number items in order. */
export type Instant = readonly [at: number, id: string];

export const isNewer = ([at, id]: Instant, [otherAt, otherId]: Instant): boolean =>
  at === otherAt ? BigInt(id) > BigInt(otherId) : at > otherAt;

/** How many of the newest items a `since` cursor names. An item that is shown late among them is not missed. */
export const KNOWN = 12;

/** The name of an item in a `since` cursor: its id, or a digest of a long id (some networks have ids of 56 digits). */
export const knownAs = (id: string): string => (id.length <= 20 ? id : digestText(id).slice(0, 12));

/** Longer ids don't fit into a cursor. Items of the same millisecond as the floor then count as known. */
const FLOOR_ID_LENGTH = 100;

/** The key of a first page, under which no page is ever cached. */
const FROM_THE_START = '@';

const TAG_BYTES = 12;
/** A day is promised; after a week the network's own tokens may no longer work (C7). */
const LIFETIME_SECONDS = 7 * 24 * 3600;
/** A `since` cursor lasts longer, because it contains no token of the network. */
const SINCE_LIFETIME_SECONDS = 30 * 24 * 3600;
/** Callers with the same items of a list get the same cursor for an hour, so that one kept answer serves them all. */
const HOUR_SECONDS = 3600;
/** How far the clocks of several processes may differ. */
const CLOCK_SKEW_SECONDS = 3600;

type Packed = [
  list: string,
  place: string,
  before: string | null,
  inside: number,
  passed: string[],
  at: number | null,
  issued: number,
  /** The network's name, missing in cursors of 0.3.0: two networks may have a list of one name, such as a search. */
  network?: string,
];

interface PackedAnchor extends Anchor {
  /** A digest of the network and the list; of the list alone in cursors that watches keep from before. */
  readonly list: string;
  readonly issued: number;
}

/** The first byte of a `since` cursor with a floor, and of one without. JSON never begins with either. */
const [FROM_FLOOR, FROM_ALL] = [1, 2];

/** Signed, opaque cursors. They contain no secret; the signature keeps made-up bytes from reaching the network. */
export interface Cursors {
  /** Throws `bad_request` if Perch did not issue it for this parameter; called before any other check (section 4.4.6). */
  check(cursor: string, param?: CursorParam): void;
  encode(list: ListRef, position: Position, nowMs: number): string;
  /** Throws `bad_request` if Perch did not issue it, or if it belongs to another list or network (C2), or is too old. */
  decode(list: ListRef, cursor: string, nowMs: number): Position;
  encodeSince(list: ListRef, anchor: Anchor, nowMs: number): string;
  /** Throws as `decode` does, and if the cursor is from the future. `expires`: false for one that Perch kept. */
  decodeSince(list: ListRef, cursor: string, nowMs: number, expires?: boolean): Anchor;
}

/** `network`: the name of the one whose lists they are of. */
export function createCursors(secret: Uint8Array, network: string): Cursors {
  const hmac = hmacWith(secret);
  const tag = (body: Buffer): Buffer => hmac(body).subarray(0, TAG_BYTES);

  const sign = (body: Buffer): string => Buffer.concat([tag(body), body]).toString('base64url');
  const pack = (packed: Packed): string => sign(Buffer.from(JSON.stringify(packed)));

  /** As short as the list's own hash: the header of a stream of a hundred lists has no room for names. */
  const ofNetwork = (list: ListRef): string => digestText(`${network}\n${listHash(list)}`).slice(0, 16);

  const read = (cursor: string, param: CursorParam): Packed | PackedAnchor => {
    const packed = open(cursor, tag);
    if (!packed) throw malformedCursor(param, SOURCES[param]);
    if (isSince(packed) !== (param === 'since')) throw otherKind(param);
    return packed;
  };

  const readOf = (list: ListRef, cursor: string, param: CursorParam): Packed | PackedAnchor => {
    const packed = read(cursor, param);
    const isOfList = isSince(packed)
      ? [ofNetwork(list), listHash(list)].includes(packed.list)
      : packed[0] === listHash(list);
    if (!isOfList) throw otherList(param);
    return packed;
  };

  return {
    check: (cursor, param = 'cursor') => void read(cursor, param),
    encode(list, position, nowMs) {
      const { place, before, inside, passed, at } = position;
      const issued = Math.floor(nowMs / 1000);
      const full = pack([listHash(list), place, before, inside, [...passed], at, issued, network]);
      if (full.length < MAX_CURSOR_LENGTH) return full;
      // Only one of several anchors is left, so it is unknown how many of the others are in the page.
      const known = inside > 1 ? Math.max(inside, ANCHORS) : inside;
      const short = pack([listHash(list), place, null, known, passed.slice(0, 1), at, issued, network]);
      if (short.length < MAX_CURSOR_LENGTH) return short;
      // The network's token is too long for a cursor: the last item passed is searched for from the start of the list.
      return pack([listHash(list), FROM_THE_START, null, ANCHORS, passed.slice(0, 1), at, issued, network]);
    },
    decode(list, cursor, nowMs) {
      const [, place, before, inside, passed, at, issued, from = network] = readOf(list, cursor, 'cursor') as Packed;
      if (from !== network) throw foreignCursor();
      if (nowMs / 1000 - issued > LIFETIME_SECONDS) throw expiredCursor('This cursor has expired');
      return { place, before, inside, passed, at };
    },
    encodeSince(list, { known, floor }, nowMs) {
      const short: Instant | null = floor && floor[1].length > FLOOR_ID_LENGTH ? [floor[0] + 1, '0'] : floor;
      const issued = Math.floor(nowMs / HOUR_MS) * HOUR_SECONDS;
      return sign(packAnchor({ list: ofNetwork(list), known, floor: short, issued }));
    },
    decodeSince(list, cursor, nowMs, expires = true) {
      const { known, floor, issued } = readOf(list, cursor, 'since') as PackedAnchor;
      const ageSeconds = nowMs / 1000 - issued;
      if (expires && ageSeconds > SINCE_LIFETIME_SECONDS) throw expiredCursor('This cursor has expired', 'since');
      if (ageSeconds < -CLOCK_SKEW_SECONDS) {
        throw refused('since', 'cursor_future', 'This cursor is from the future: the clock of the service is wrong.');
      }
      return { known, floor };
    },
  };
}

const isSince = (packed: Packed | PackedAnchor): packed is PackedAnchor => !Array.isArray(packed);

const LIST_BYTES = 12;

/** Uses as few bytes as possible, because a stream of many lists sends a cursor for each of them in one header. */
function packAnchor({ list, known, floor, issued }: PackedAnchor): Buffer {
  const head = Buffer.alloc(1 + LIST_BYTES + 3 + 6);
  head.writeUInt8(floor === null ? FROM_ALL : FROM_FLOOR, 0);
  head.write(list, 1, 'base64url');
  head.writeUIntBE(issued / HOUR_SECONDS, 1 + LIST_BYTES, 3);
  head.writeIntBE(floor?.[0] ?? 0, 1 + LIST_BYTES + 3, 6);
  return Buffer.concat([head, ...[...(floor === null ? [] : [floor[1]]), ...known].map(packId)]);
}

function unpackAnchor(body: Buffer): PackedAnchor {
  const list = body.toString('base64url', 1, 1 + LIST_BYTES);
  const issued = body.readUIntBE(1 + LIST_BYTES, 3) * HOUR_SECONDS;
  const at = body.readIntBE(1 + LIST_BYTES + 3, 6);
  const ids = unpackIds(body.subarray(1 + LIST_BYTES + 3 + 6));
  const [id = '0', ...others] = ids;
  return body[0] === FROM_ALL
    ? { list, issued, known: ids, floor: null }
    : { list, issued, known: others, floor: [at, id] };
}

/** An id is a decimal number, a digest is base64url. Each is preceded by its kind and length. */
function packId(id: string): Buffer {
  const isNumber = /^(?:0|[1-9]\d*)$/.test(id);
  const hex = isNumber ? BigInt(id).toString(16) : '';
  const bytes = isNumber
    ? Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
    : Buffer.from(id, 'base64url');
  return Buffer.concat([Buffer.from([(isNumber ? NUMBER : 0) + bytes.length]), bytes]);
}

const NUMBER = 0x80;

function unpackIds(bytes: Buffer): string[] {
  const ids: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const head = bytes.readUInt8(at);
    const end = at + 1 + (head % NUMBER);
    const id = bytes.subarray(at + 1, end);
    ids.push(head >= NUMBER ? String(BigInt(`0x${id.toString('hex')}`)) : id.toString('base64url'));
    at = end;
  }
  return ids;
}

function open(cursor: string, tag: (body: Buffer) => Buffer): Packed | PackedAnchor | null {
  if (cursor.length > MAX_CURSOR_LENGTH) return null;
  const bytes = Buffer.from(cursor, 'base64url');
  // Decoding skips invalid characters, but two spellings of the same bytes would be two cursors for one position.
  if (bytes.toString('base64url') !== cursor || bytes.length <= TAG_BYTES) return null;
  const body = bytes.subarray(TAG_BYTES);
  if (!timingSafeEqual(tag(body), bytes.subarray(0, TAG_BYTES))) return null;
  return body[0] === FROM_FLOOR || body[0] === FROM_ALL ? unpackAnchor(body) : (JSON.parse(body.toString()) as Packed);
}

/** A bad cursor is a 400, whatever is wrong with it; `reason` says what (section 4.4.6, U24). */
const refused = (param: CursorParam, reason: string, message: string): ServiceError =>
  new ServiceError('bad_request', message, { param, reason });

const otherList = (param: CursorParam): ServiceError =>
  refused(
    param,
    'cursor_other_list',
    `This cursor belongs to a different list${param === 'since' ? ' or network' : ''}: use it with the same path and parameters.`,
  );

/** Where callers find the cursor for each parameter. */
const SOURCES: Readonly<Record<CursorParam, string>> = {
  cursor: 'the next_cursor of the previous page',
  since: 'the since_cursor of an earlier answer',
};

const otherKind = (param: CursorParam): ServiceError =>
  refused(
    param,
    'cursor_other_kind',
    `Invalid ${param}: this is ${SOURCES[param === 'cursor' ? 'since' : 'cursor']}. Send ${SOURCES[param]}.`,
  );
