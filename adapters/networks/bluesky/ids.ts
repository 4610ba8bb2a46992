import { badRequest, ServiceError } from '../../../src/domain/errors.js';
import type { Impossible } from '../../../src/ports/network.js';

/** Converts DIDs and AT-URIs to decimal numbers and back, without a table: the same id in every deployment. */

/** Digits of `did:plc`. */
const PLC_DIGITS = 'abcdefghijklmnopqrstuvwxyz234567';
/** Digits of TIDs (record keys that sort by time). */
const TID_DIGITS = '234567abcdefghijklmnopqrstuvwxyz';
const PLC = /^did:plc:([a-z2-7]{24})$/;
const TID = /^[2-7a-j][2-7a-z]{12}$/;
const DID = /^did:[a-z]+:[a-zA-Z0-9._:%-]*[a-zA-Z0-9._-]$/;
const RECORD_KEY = /^(?!\.{1,2}$)[a-zA-Z0-9_~.:-]{1,512}$/;
/** The digits that a `did:web` of 253 characters and a record key need. */
const MOST_DIGITS = 700;
const DID_BITS = 120n;

export const POST = 'app.bsky.feed.post';
export const REPOST = 'app.bsky.feed.repost';

/** The last digit of an id. */
const KIND = { plc: 0n, otherDid: 1n, post: 2n, repost: 3n, otherRecord: 4n } as const;

export interface RecordUri {
  readonly did: string;
  readonly collection: string;
  readonly rkey: string;
}

export function userId(did: string): string {
  const plc = PLC.exec(did)?.[1];
  return plc === undefined
    ? encodeId(numberOfText(did.slice('did:'.length)), KIND.otherDid)
    : encodeId(parseBase32(plc, PLC_DIGITS), KIND.plc);
}

/** Null if it cannot be a user's id: not in canonical digits, of another kind, or without a valid DID. */
export function userDid(id: string): string | null {
  const number = numberOfId(id);
  if (number === null) return null;
  const did = number.kind === KIND.plc ? decodePlcDid(number.value) : `did:${decodeText(number.value, number.kind)}`;
  return did !== null && DID.test(did) && userId(did) === id ? did : null;
}

/**
 * The id of a post or repost. With a `did:plc` author and a TID as its key it has 56 digits, and such ids sort by time.
 */
export function recordId(uri: string): string {
  const parts = parseRecordUri(uri);
  if (parts === null) throw new RangeError(`not an address of a record: ${uri}`);
  const { did, collection, rkey } = parts;
  const plc = PLC.exec(did)?.[1];
  const kind = collection === POST ? KIND.post : collection === REPOST ? KIND.repost : undefined;
  if (plc === undefined || kind === undefined || !TID.test(rkey)) {
    return encodeId(numberOfText(`${did.slice('did:'.length)}/${collection}/${rkey}`), KIND.otherRecord);
  }
  return encodeId((parseBase32(rkey, TID_DIGITS) << DID_BITS) | parseBase32(plc, PLC_DIGITS), kind);
}

/** Null if it is not the id of a post or repost. */
export function parseRecordId(id: string): RecordUri | null {
  const number = numberOfId(id);
  const uri = number && decodeUri(number.value, number.kind);
  const parts = uri ? parseRecordUri(uri) : null;
  if (parts === null || (parts.collection !== POST && parts.collection !== REPOST)) return null;
  return recordId(uriOfRecord(parts)) === id ? parts : null;
}

export const uriOfRecord = ({ did, collection, rkey }: RecordUri): string => `at://${did}/${collection}/${rkey}`;

/** Null for an address without a DID, or not of a record. */
export function parseRecordUri(uri: string): RecordUri | null {
  const [, did = '', collection = '', rkey = ''] = /^at:\/\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(uri) ?? [];
  return DID.test(did) && /^[a-zA-Z0-9.-]+$/.test(collection) && RECORD_KEY.test(rkey)
    ? { did, collection, rkey }
    : null;
}

function decodeUri(value: bigint, kind: bigint): string | null {
  if (kind === KIND.otherRecord) {
    const text = decodeText(value, kind);
    return text === null ? null : `at://did:${text}`;
  }
  if (kind !== KIND.post && kind !== KIND.repost) return null;
  const did = decodePlcDid(value & ((1n << DID_BITS) - 1n));
  const rkey = textOfNumber(value >> DID_BITS, 13, TID_DIGITS);
  return rkey === null ? null : `at://${did}/${kind === KIND.post ? POST : REPOST}/${rkey}`;
}

const encodeId = (value: bigint, kind: bigint): string => (value * 10n + kind).toString();

function numberOfId(id: string): { value: bigint; kind: bigint } | null {
  // Checked before the conversion to a number, which takes more than linear time.
  if (id.length > MOST_DIGITS || !/^(0|[1-9][0-9]*)$/.test(id)) return null;
  const number = BigInt(id);
  return { value: number / 10n, kind: number % 10n };
}

function decodePlcDid(value: bigint): string | null {
  const text = textOfNumber(value, 24, PLC_DIGITS);
  return text === null ? null : `did:plc:${text}`;
}

const parseBase32 = (text: string, digits: string): bigint =>
  [...text].reduce((number, digit) => (number << 5n) | BigInt(digits.indexOf(digit)), 0n);

function textOfNumber(number: bigint, length: number, digits: string): string | null {
  let text = '';
  let rest = number;
  for (let place = 0; place < length; place += 1) {
    text = digits.charAt(Number(rest & 31n)) + text;
    rest >>= 5n;
  }
  return rest === 0n ? text : null;
}

/** The bytes after a leading 1, which preserves their number. */
const numberOfText = (text: string): bigint =>
  BigInt(`0x1${Buffer.from(text, 'utf8').toString('hex').padStart(2, '0')}`);

/** Null if the number contains no bytes, or its kind has none. */
function decodeText(value: bigint, kind: bigint): string | null {
  if (kind !== KIND.otherDid && kind !== KIND.otherRecord) return null;
  const hex = value.toString(16);
  return hex.startsWith('1') && hex.length % 2 === 1 ? Buffer.from(hex.slice(1), 'hex').toString('utf8') : null;
}

const HANDLE = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/i;
const MOST_CHARACTERS = 253;
/** What Bluesky shows instead of a handle that no longer leads to its account. */
const INVALID = 'handle.invalid';

/** Handles are DNS names: at least one dot, and a last label that does not begin with a digit. */
export const isHandle = (text: string): boolean => text.length <= MOST_CHARACTERS && HANDLE.test(text);

/** Whether an account can be looked up by this handle. */
export const isPossibleHandle = (handle: string): boolean => isHandle(handle) && handle.toLowerCase() !== INVALID;

/** Also for an account that has opted out of being shown. */
export const noUser = (): ServiceError => new ServiceError('not_found', 'No such user on Bluesky.');
export const noTweet = (): ServiceError => new ServiceError('not_found', 'No such tweet on Bluesky.');

const badId = (): ServiceError =>
  badRequest('No account or post of Bluesky has such an id: use one from an answer of this service.');

/** Refuses handles that Bluesky's grammar does not allow, and ids that no account or post can have. */
export const IMPOSSIBLE: Impossible = {
  user(ref) {
    if ('id' in ref) return userDid(ref.id) === null ? badId() : undefined;
    return isHandle(ref.handle)
      ? undefined
      : badRequest('A handle on Bluesky is a domain name, such as name.bsky.social.');
  },
  tweet: (id) => (parseRecordId(id) === null ? badId() : undefined),
};
