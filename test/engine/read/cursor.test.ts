import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ListRef } from '../../../src/domain/lists.js';
import { HOUR_MS } from '../../../src/lib/durations.js';
import { createCursors, KNOWN, type Position } from '../../../src/read/cursor.js';
import { listHash } from '../../../src/read/keys.js';

const NOW = Date.UTC(2026, 10, 21);
const LIST: ListRef = { kind: 'timeline', subject: '77' };

const SECRET = Buffer.alloc(32, 1);
const cursors = createCursors(SECRET, 'here');
const others = createCursors(Buffer.alloc(32, 2), 'here');

const id = (digits: number) => fc.stringMatching(new RegExp(`^[1-9][0-9]{0,${digits - 1}}$`));

const positions = (place: fc.Arbitrary<string>, digits: number): fc.Arbitrary<Position> =>
  fc.record({
    place,
    before: fc.option(place),
    inside: fc.nat(3),
    passed: fc.array(id(digits), { minLength: 1, maxLength: 3 }),
    at: fc.option(fc.integer({ min: 0, max: 4e12 })),
  });

const refused = (reason: string) =>
  expect.objectContaining({ code: 'bad_request', detail: { param: 'cursor', reason } });

function thrown(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('since cursors', () => {
  it('decode to what was encoded, in fewer than 512 characters of a URL', () => {
    const known = fc.oneof(id(20), fc.constant('0'), fc.stringMatching(/^[A-Za-z0-9_-]{12}$/));
    const floor = fc.tuple(fc.integer({ min: -4e12, max: 4e12 }), fc.oneof(id(100), fc.constant('0')));
    const anchors = fc.record({ known: fc.array(known, { maxLength: KNOWN }), floor: fc.option(floor) });
    fc.assert(
      fc.property(anchors, (anchor) => {
        const cursor = cursors.encodeSince(LIST, anchor, NOW);
        expect(cursor).toMatch(/^[\w-]{1,512}$/);
        expect(cursors.decodeSince(LIST, cursor, NOW)).toEqual(anchor);
      }),
    );
  });

  it.each([null, [NOW, '7'] as const])('belong to one network, unless they name none (C2): from %j', (floor) => {
    const anchor = { known: ['9', '8'], floor };
    const cursor = cursors.encodeSince(LIST, anchor, NOW);
    const elsewhere = createCursors(SECRET, 'elsewhere');
    for (const kept of [true, false])
      expect(thrown(() => elsewhere.decodeSince(LIST, cursor, NOW, kept))).toEqual(
        expect.objectContaining({ code: 'bad_request', detail: { param: 'since', reason: 'cursor_other_list' } }),
      );
    const body = Buffer.from(cursor, 'base64url').subarray(12);
    body.write(listHash(LIST), 1, 'base64url');
    const tag = createHmac('sha256', SECRET).update(body).digest().subarray(0, 12);
    const unnamed = Buffer.concat([tag, body]).toString('base64url');
    expect(unnamed).not.toBe(cursor);
    expect(cursors.decodeSince(LIST, unnamed, NOW)).toEqual(anchor);
    expect(thrown(() => cursors.decodeSince({ ...LIST, subject: '78' }, unnamed, NOW))).toBeInstanceOf(Error);
  });
});

describe('cursors', () => {
  it('decode to what was encoded, in fewer than 512 characters of a URL (C1)', () => {
    fc.assert(
      fc.property(positions(fc.string({ maxLength: 40 }), 20), (position) => {
        const cursor = cursors.encode(LIST, position, NOW);
        expect(cursor).toMatch(/^[A-Za-z0-9_-]{1,511}$/);
        expect(cursors.decode(LIST, cursor, NOW)).toEqual(position);
      }),
    );
  });

  it('are checked before anything else, without their list, and are accepted if we signed them (rule 6)', () => {
    const position: Position = { place: 'p', before: null, inside: 1, passed: ['7'], at: null };
    expect(thrown(() => cursors.check(cursors.encode(LIST, position, NOW)))).toBeUndefined();
    expect(thrown(() => cursors.check(others.encode(LIST, position, NOW)))).toEqual(refused('cursor_malformed'));
  });

  it('stay under 512 characters for ids of 56 digits and long tokens, and keep the last item (C1, U29)', () => {
    const token = fc.integer({ min: 60, max: 1000 }).map((length) => 'x/9'.repeat(length).slice(0, length));
    fc.assert(
      fc.property(positions(token, 56), (position) => {
        const cursor = cursors.encode(LIST, position, NOW);
        expect(cursor.length).toBeLessThan(512);
        const back = cursors.decode(LIST, cursor, NOW);
        expect(back.passed[0]).toBe(position.passed[0]);
        expect(back.at).toBe(position.at);
        // If the token fits, it is there; what was cut off is never claimed to be known.
        if (position.place.length <= 200) expect(back.place).toBe(position.place);
        if (back.passed.length < position.passed.length)
          expect(back.inside === 0 || back.inside >= position.inside).toBe(true);
      }),
    );
  });

  it('stay under 512 characters however long the token is, to the byte', () => {
    const lengths = Array.from({ length: 500 }, (_, index) => index + 1);
    for (const passed of [['5'], ['5', '4', '3']]) {
      const position = { before: null, inside: 1, passed, at: null };
      const encoded = lengths.map(
        (length) => cursors.encode(LIST, { ...position, place: 'x'.repeat(length) }, NOW).length,
      );
      expect(Math.max(...encoded)).toBeLessThan(512);
      // As close as base64 allows: nothing is cut off that would have fitted.
      expect(Math.max(...encoded)).toBe(511);
    }
  });

  const TOO_LONG = 'x'.repeat(400);
  it.each([
    [0, 0],
    [1, 1],
    [2, 3],
    [3, 3],
    [7, 7],
  ])(
    'of %i items passed in a page, a cursor without room for all anchors records at least what it needs: %i',
    (inside, left) => {
      const position: Position = { place: 'p', before: TOO_LONG, inside, passed: ['9', '8', '7'], at: 5 };
      const back = cursors.decode(LIST, cursors.encode(LIST, position, NOW), NOW);
      expect(back).toEqual({ place: 'p', before: null, inside: left, passed: ['9'], at: 5 });
    },
  );

  it('with a token that is too long continue from the start of the list after the last item', () => {
    const position: Position = { place: TOO_LONG, before: null, inside: 1, passed: ['9', '8', '7'], at: 5 };
    const back = cursors.decode(LIST, cursors.encode(LIST, position, NOW), NOW);
    expect(back).toEqual({ place: '@', before: null, inside: 3, passed: ['9'], at: 5 });
  });

  it('have one spelling: other texts that decode to the same bytes are refused', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (const place of ['p', 'pp', 'ppp']) {
      const cursor = cursors.encode(LIST, { place, before: null, inside: 1, passed: ['5'], at: null }, NOW);
      const last = cursor.at(-1);
      for (const character of alphabet) {
        if (character === last) continue;
        const spelled = cursor.slice(0, -1) + character;
        expect(thrown(() => cursors.check(spelled))).toEqual(refused('cursor_malformed'));
      }
    }
  });

  it('are refused if nothing follows a right signature', () => {
    const tag = createHmac('sha256', SECRET).update('').digest().subarray(0, 12).toString('base64url');
    expect(thrown(() => cursors.check(tag))).toEqual(refused('cursor_malformed'));
  });

  it('are all refused if a single character differs (rule 6)', () => {
    const position: Position = { place: 'p', before: null, inside: 1, passed: ['5', '4'], at: NOW };
    const cursor = cursors.encode(LIST, position, NOW);
    fc.assert(
      fc.property(
        fc.nat(cursor.length - 1),
        fc.integer({ min: 0, max: 127 }).map((code) => String.fromCharCode(code)),
        (index, character) => {
          fc.pre(cursor[index] !== character);
          const forged = cursor.slice(0, index) + character + cursor.slice(index + 1);
          expect(thrown(() => cursors.check(forged))).toEqual(refused('cursor_malformed'));
          expect(thrown(() => cursors.decode(LIST, forged, NOW))).toEqual(refused('cursor_malformed'));
        },
      ),
    );
  });

  it('are refused when cut, lengthened, padded, or signed by another service', () => {
    const position: Position = { place: 'p', before: null, inside: 0, passed: ['5'], at: null };
    const cursor = cursors.encode(LIST, position, NOW);
    const forgeries = [
      ...Array.from({ length: cursor.length }, (_, length) => cursor.slice(0, length)),
      `${cursor}=`,
      `${cursor}A`,
      ` ${cursor}`,
      cursor + cursor,
      others.encode(LIST, position, NOW),
    ];
    for (const forged of forgeries) expect(thrown(() => cursors.check(forged))).toEqual(refused('cursor_malformed'));
  });

  it('survive any bytes: whatever is sent is ours or 400', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 700 }),
      fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
      fc.constantFrom('', 'undefined', 'null', '0', '[]', '{}', '__proto__'),
    );
    fc.assert(
      fc.property(anything, (text) => {
        expect(thrown(() => cursors.check(text))).toEqual(refused('cursor_malformed'));
      }),
    );
  });

  it('belong to one network, which those of 0.3.0 do not name (C2)', () => {
    const position: Position = { place: 'p', before: null, inside: 1, passed: ['5'], at: null };
    const cursor = cursors.encode(LIST, position, NOW);
    const elsewhere = createCursors(SECRET, 'elsewhere');
    expect(thrown(() => elsewhere.decode(LIST, cursor, NOW))).toEqual(refused('cursor_other_list'));
    const packed = JSON.parse(Buffer.from(cursor, 'base64url').subarray(12).toString());
    expect(packed.pop()).toBe('here');
    const body = Buffer.from(JSON.stringify(packed));
    const tag = createHmac('sha256', SECRET).update(body).digest().subarray(0, 12);
    const unnamed = Buffer.concat([tag, body]).toString('base64url');
    expect(cursors.decode(LIST, unnamed, NOW)).toEqual(position);
  });

  it('belong to one list: family, subject, query and product (C2)', () => {
    const lists: ListRef[] = [
      LIST,
      { kind: 'timeline', subject: '78' },
      { kind: 'followers', subject: '77' },
      { kind: 'following', subject: '77' },
      { kind: 'thread', subject: '77' },
      { kind: 'search', subject: '77', product: 'Latest' },
      { kind: 'search', subject: '77', product: 'Top' },
      { kind: 'search', subject: '77 ', product: 'Top' },
    ];
    const position: Position = { place: 'p', before: null, inside: 1, passed: ['5'], at: null };
    for (const own of lists) {
      const cursor = cursors.encode(own, position, NOW);
      for (const requested of lists) {
        const error = thrown(() => cursors.decode(requested, cursor, NOW));
        if (own === requested) expect(error).toBeUndefined();
        else expect(error).toEqual(refused('cursor_other_list'));
      }
    }
  });

  it('work for the promised day and long after, and then say that they have expired (C7, U24)', () => {
    const cursor = cursors.encode(LIST, { place: 'p', before: null, inside: 1, passed: ['5'], at: null }, NOW);
    expect(thrown(() => cursors.decode(LIST, cursor, NOW + 24 * HOUR_MS))).toBeUndefined();
    const weekMs = 7 * 24 * HOUR_MS;
    expect(thrown(() => cursors.decode(LIST, cursor, NOW + weekMs))).toBeUndefined();
    expect(thrown(() => cursors.decode(LIST, cursor, NOW + weekMs + 1))).toEqual(refused('cursor_expired'));
  });
});
