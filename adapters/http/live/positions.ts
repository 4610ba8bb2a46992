import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { badRequest } from '../../../src/domain/errors.js';
import type { LivePosition } from '../../../src/live/live.js';

/** Positions of a stream that begins: each list's charges have a name of their own. */
export const beginPositions = (count: number, since: string | null): LivePosition[] => {
  const stream = randomBytes(9).toString('base64url');
  return Array.from({ length: count }, (_, nth) => ({ stream: `${stream}${nth}`, at: Date.now(), since }));
};

const STREAM_LENGTH = 12;

/** The id of an event: the stream, and for each of its lists a time and a cursor. */
export const encodePositions = (positions: readonly LivePosition[]): string => {
  const stream = positions[0]?.stream.slice(0, STREAM_LENGTH);
  return [stream, ...positions.map(({ at, since }) => `${at.toString(36)}~${since ?? ''}`)].join('.');
};

const STREAM = /^[\w-]{12}$/;
const PLACE = /^([0-9a-z]{8,9})~([\w-]*)$/;

/** Where the lists of a request begin: behind the last event, or a cursor; null: now. Throws `bad_request`. */
export function startsOf({ headers }: FastifyRequest, since: string | null, count: number): LivePosition[] | null {
  const lastEvent = headers['last-event-id']?.toString() ?? '';
  if (lastEvent !== '') {
    const [stream = '', ...places] = lastEvent.split('.');
    const found = places.map((place) => PLACE.exec(place));
    if (!STREAM.test(stream) || found.length !== count || found.includes(null)) {
      throw badRequest(
        'Last-Event-ID is not that of a stream of the same lists. Leave it out to start now.',
        'Last-Event-ID',
      );
    }
    return found.map((place, nth) => ({
      stream: `${stream}${nth}`,
      at: Number.parseInt(place?.[1] ?? '', 36),
      since: place?.[2] || null,
    }));
  }
  if (since === null) return null;
  if (count > 1) throw badRequest('since starts a stream of one list; this one has several.', 'since');
  return beginPositions(1, since);
}
