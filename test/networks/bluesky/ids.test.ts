import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isHandle,
  parseRecordId,
  recordId,
  uriOfRecord,
  userDid,
  userId,
} from '../../../adapters/networks/bluesky/ids.js';
import { describeWithShared, readSharedText } from '../contract/shared.js';

const PLC = fc
  .array(fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz234567'), { minLength: 24, maxLength: 24 })
  .map((digits) => `did:plc:${digits.join('')}`);
const WEB = fc.domain().map((host) => `did:web:${host}`);
const TID_DIGITS = '234567abcdefghijklmnopqrstuvwxyz';
/** 63 bits: microseconds in the high ones, the clock's id in the low ones. */
const TIME = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
const tidOf = (time: bigint): string =>
  Array.from({ length: 13 }, (_, place) => TID_DIGITS[Number((time >> BigInt(5 * (12 - place))) & 31n)]).join('');
const COLLECTION = fc.constantFrom('app.bsky.feed.post', 'app.bsky.feed.repost');
const KEY = fc.stringMatching(/^[a-zA-Z0-9_~.:-]{1,40}$/).filter((key) => key !== '.' && key !== '..');

describe('ids are addresses in digits', () => {
  it('lead from a user id back to its DID', () => {
    fc.assert(
      fc.property(fc.oneof(PLC, WEB), (did) => {
        const id = userId(did);
        expect(id).toMatch(/^[1-9][0-9]*$|^0$/);
        expect(userDid(id)).toBe(did);
        if (did.startsWith('did:plc:')) expect(id.length).toBeLessThanOrEqual(38);
      }),
      { numRuns: 1000 },
    );
  });

  it('lead from a post id back to its address, whatever the key and the DID are', () => {
    fc.assert(
      fc.property(fc.oneof(PLC, WEB), COLLECTION, fc.oneof(TIME.map(tidOf), KEY), (did, collection, rkey) => {
        const uri = `at://${did}/${collection}/${rkey}`;
        const found = parseRecordId(recordId(uri));
        expect(found && uriOfRecord(found)).toBe(uri);
      }),
      { numRuns: 1000 },
    );
  });

  it('order posts by time, across authors', () => {
    fc.assert(
      fc.property(PLC, PLC, TIME, TIME, (one, other, early, late) => {
        fc.pre(early < late);
        const id = (did: string, time: bigint) => BigInt(recordId(`at://${did}/app.bsky.feed.post/${tidOf(time)}`));
        expect(id(one, early) < id(other, late)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('have 56 digits for posts of these years', () => {
    for (const year of [2023, 2026, 2040]) {
      const tid = tidOf((BigInt(Date.UTC(year, 5)) * 1000n) << 10n);
      expect(recordId(`at://did:plc:c6otufdigx5g2hrwkd24la2f/app.bsky.feed.post/${tid}`)).toHaveLength(56);
    }
  });

  it('match the example of the design', () => {
    const uri = parseRecordId('24435348462654132138310771656901747286828027290827825332');
    expect(uri?.did).toBe(userDid('1226117676031835616835566076064899250'));
  });

  it('are the only digits that lead anywhere: each object has one id (I7)', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 60n }).map(String), fc.stringMatching(/^[0-9]{1,80}$/)),
        (id) => {
          const did = userDid(id);
          if (did !== null) expect(userId(did)).toBe(id);
          const record = parseRecordId(id);
          if (record !== null) expect(recordId(uriOfRecord(record))).toBe(id);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['no digits', ''],
    ['a leading zero', '01226117676031835616835566076064899250'],
    ['a sign', '-10'],
    ['letters', '12a'],
    ['a kind that there is not', '19'],
    ['a number beyond all DIDs', `${10n ** 40n}`],
    ['bytes that are no DID', '3331'],
    ['more digits than any id has', '1'.repeat(701)],
    ['very many digits', '9'.repeat(100_000)],
  ])('do not include %s', (_what, id) => {
    expect([userDid(id), parseRecordId(id)]).toEqual([null, null]);
  });

  it('are never read as a post id for a user, nor as a user id for a post', () => {
    const did = 'did:plc:c6otufdigx5g2hrwkd24la2f';
    expect(parseRecordId(userId(did))).toBeNull();
    expect(userDid(recordId(`at://${did}/app.bsky.feed.post/3n2rygijlak2c`))).toBeNull();
    expect(parseRecordId(recordId(`at://${did}/app.bsky.graph.list/3n2rygijlak2c`))).toBeNull();
  });
});

const lines = (path: string): string[] =>
  readSharedText(`contracts/atproto/interop/${path}`)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

describeWithShared('contracts/atproto/interop', 'syntax as the protocol’s own lists have it', () => {
  it('handles', () => {
    // The protocol allows some handles of a single label. Otherwise, exactly those listed as valid are accepted.
    expect(lines('handle_syntax_valid.txt').filter((handle) => !isHandle(handle))).toEqual([]);
    expect(lines('handle_syntax_invalid.txt').filter(isHandle)).toEqual([]);
  });

  it('have DIDs of every method with an id that leads back', () => {
    for (const did of lines('did_syntax_valid.txt')) {
      const id = userId(did);
      if (id.length <= 700) expect([did, userDid(id)]).toEqual([did, did]);
    }
  });

  it('order valid TIDs by time, and treat others as keys like any other', () => {
    const of = (rkey: string) => `at://did:plc:c6otufdigx5g2hrwkd24la2f/app.bsky.feed.post/${rkey}`;
    for (const tid of lines('tid_syntax_valid.txt')) expect(recordId(of(tid)).endsWith('2')).toBe(true);
    for (const tid of lines('tid_syntax_invalid.txt')) expect(recordId(of(tid)).endsWith('4')).toBe(true);
  });

  it('record keys', () => {
    const of = (rkey: string) => `at://did:plc:c6otufdigx5g2hrwkd24la2f/app.bsky.feed.post/${rkey}`;
    for (const rkey of lines('recordkey_syntax_valid.txt').filter(({ length }) => length < 200)) {
      const found = parseRecordId(recordId(of(rkey)));
      expect([rkey, found?.rkey]).toEqual([rkey, rkey]);
    }
    for (const rkey of lines('recordkey_syntax_invalid.txt')) expect(() => recordId(of(rkey))).toThrow(RangeError);
  });
});
