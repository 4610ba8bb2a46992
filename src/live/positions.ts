import { randomBytes, timingSafeEqual } from 'node:crypto';
import { v7 } from 'uuid';
import { badRequest } from '../domain/errors.js';
import { LISTS, type ListRef } from '../domain/lists.js';
import { hmacWith } from '../lib/digest.js';
import { DAY_MS, utcDay } from '../lib/durations.js';
import { NOTHING_SPENT, type Spent } from './budget.js';

/** How far a list of a stream has come. Clients send it back to resume the stream. */
export interface LivePosition {
  /** Together with what is asked, names the charge for the items that come next. */
  readonly name: string;
  /** When the caller's newest item was made, or when the stream began, whichever is later. Unix milliseconds. */
  readonly at: number;
  /** A cursor for what the caller has; null: all there is now. */
  readonly since: string | null;
  /** For a watch of a user: the user's id when it began. Clients have no room for it and name the list again. */
  readonly subject?: string;
}

/** Where a client asks to begin. */
interface Start {
  /** Empty if the client has received nothing yet. */
  readonly lastEventId: string;
  readonly since: string | null;
  /** How many lists it asks for. */
  readonly count: number;
  /** Unix milliseconds. */
  readonly now: number;
}

const NAME_BYTES = 6;
const TAG_BYTES = 9;

/** Name, time, cursor and subject. */
const PLACE = /^([\w-]{8})([\w-]{7})([\w-]*)(?:~([^.~]+))?$/;

/** In all, the number of the day, and on that day. */
const SPENT = /^~([0-9a-z]{1,10})~([0-9a-z]{1,5})~([0-9a-z]{1,10})$/;

const encodeSpent = ({ inAll, day, onDay }: Spent): string =>
  ['', inAll, Date.parse(day) / DAY_MS, onDay].map((part) => part.toString(36)).join('~');

function decodeSpent(text: string): Spent | undefined {
  const [inAll, day, onDay] = (SPENT.exec(text) ?? []).slice(1).map((part) => Number.parseInt(part, 36));
  if (inAll === undefined || day === undefined || onDay === undefined) return undefined;
  return { inAll, day: utcDay(day * DAY_MS), onDay };
}

/** Milliseconds in seven characters, until 2109. */
function encodeTime(at: number): string {
  const bytes = Buffer.alloc(6);
  bytes.writeUIntBE(at, 0, 6);
  return bytes.toString('base64url').slice(1);
}

const encodePlace = ({ name, at, since, subject }: LivePosition): string =>
  `${name}${encodeTime(at)}${since ?? ''}${subject === undefined ? '' : `~${subject}`}`;

const decodeTime = (text: string): number => Buffer.from(`A${text}`, 'base64url').readUIntBE(0, 6);

/**
 * Names and seals the positions of streams. Each name is derived from the name before it and the newest item in
 * between, so a client that gets the same items again from an earlier position gets them under the same names. That way
 * nothing is charged twice, however much was lost.
 */
export class Positions {
  readonly #hmac: (text: string) => Buffer;

  constructor(secret: Uint8Array) {
    this.#hmac = hmacWith(secret);
  }

  begin(now: number, since: string | null): LivePosition {
    return { name: randomBytes(NAME_BYTES).toString('base64url'), at: now, since };
  }

  /**
   * Where the lists of a request begin: after the last event that its client received, after a cursor, or now. Throws
   * `bad_request`.
   */
  startsOf({ lastEventId, since, count, now }: Start): LivePosition[] {
    if (lastEventId !== '') return this.decode(lastEventId, count);
    if (since !== null && count > 1)
      throw badRequest('since starts a stream of one list; this one has several.', 'since');
    return Array.from({ length: count }, () => this.begin(now, since));
  }

  /** `newest`: the newest item that the caller has now. */
  after(
    { name, at }: LivePosition,
    {
      since,
      newest,
      now,
    }: { readonly since: string; readonly newest: readonly [at: number, id: string] | null; readonly now: number },
  ): LivePosition {
    const next = this.#digest(`${name} ${newest?.[1] ?? ''}`)
      .subarray(0, NAME_BYTES)
      .toString('base64url');
    return { name: next, at: Math.max(at, Math.min(now, newest?.[0] ?? 0)), since };
  }

  /** The same place, for the items from `oldest` on: those that were paid for under its own name are not shown. */
  past(position: LivePosition, oldest: string): LivePosition {
    const name = this.#digest(`past ${position.name} ${oldest}`).subarray(0, NAME_BYTES).toString('base64url');
    return { ...position, name };
  }

  /** The id of the call for the items after a position. Asking the same again gives the same id. */
  requestId({ name, at }: LivePosition, queryKey: string): string {
    const random = this.#digest(`${name} ${at} ${queryKey}`);
    return v7({ msecs: at, seq: random.readUInt32BE(16), random: random.subarray(0, 16) });
  }

  /**
   * The id of an event: what the stream has spent, if anything, and the place of each list. It is sealed, so that a
   * position in one list cannot be passed off as one in another.
   */
  encode(positions: readonly LivePosition[], spent: Spent = NOTHING_SPENT): string {
    const parts = [...(spent.inAll === 0 ? [] : [encodeSpent(spent)]), ...positions.map(encodePlace)].join('.');
    return `${this.#seal(parts)}.${parts}`;
  }

  /** The position of a watch, which keeps following the same user even if the handle changes. */
  encodeOwn(position: LivePosition, { kind, subject }: ListRef): string {
    return this.encode([LISTS[kind].subject === 'user' ? { ...position, subject } : position]);
  }

  /** Throws `bad_request` if it is not the id of an event of a stream of `count` lists. */
  decode(id: string, count: number): LivePosition[] {
    const end = id.indexOf('.');
    const parts = id.slice(end + 1);
    const [given, seal] = [Buffer.from(id.slice(0, Math.max(0, end))), Buffer.from(this.#seal(parts))];
    const [first = '', ...others] = parts.split('.');
    const found = (SPENT.test(first) ? others : [first, ...others]).map((place) => PLACE.exec(place));
    if (given.length !== seal.length || !timingSafeEqual(given, seal) || found.length !== count) {
      throw badRequest(
        'Last-Event-ID is not from a stream of the same lists. Leave it out to start now.',
        'Last-Event-ID',
      );
    }
    return found.map((place) => ({
      name: place?.[1] ?? '',
      at: decodeTime(place?.[2] ?? ''),
      since: place?.[3] || null,
      ...(place?.[4] !== undefined && { subject: place[4] }),
    }));
  }

  /** What a stream had spent before it sent this event, whose id was decoded before. */
  spentBefore(id: string): Spent {
    return decodeSpent(id.split('.', 2)[1] ?? '') ?? NOTHING_SPENT;
  }

  #seal(text: string): string {
    return this.#digest(`id ${text}`).subarray(0, TAG_BYTES).toString('base64url');
  }

  #digest(text: string): Buffer {
    return this.#hmac(`stream ${text}`);
  }
}
