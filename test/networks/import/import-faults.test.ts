import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_PIECE_BYTES, readLines } from '../../../adapters/networks/corpus/import/files/lines.js';
import { readValues } from '../../../adapters/networks/corpus/import/files/values.js';
import { parseRows } from '../../../adapters/networks/corpus/import/objects/objects.js';
import { gather, lines, readPath, type Scratch, scratchFolder } from './import-support.js';

let scratch: Scratch;
beforeAll(async () => {
  scratch = await scratchFolder();
});
afterAll(() => scratch.remove());

const user = { id: '7', handle: 'gull', name: 'Gull' };
const tweet = { id: '1', text: 'low tide', created_at: '2020-01-02T03:04:05.000Z', author_id: '7' };
const follow = { follower_id: '1', followed_id: '2' };
const raw = (text: string): Buffer => Buffer.from(`${text}\n`, 'latin1');

const BAD: [string, string | Buffer, RegExp][] = [
  ['not JSON', raw('{"id":'), /^not JSON/],
  ['a list', lines([1]), /^must be a JSON object/],
  ['a number', lines(7), /^must be a JSON object/],
  ['nothing known', lines({ colour: 'blue' }), /^neither a user .* nor a follow/],
  [
    'no text',
    lines({ ...tweet, text: undefined }),
    /^text is missing: a tweet needs id, text, created_at and author_id/,
  ],
  ['no date', lines({ ...tweet, created_at: undefined }), /^created_at is missing/],
  ['no name', lines({ ...user, name: undefined }), /^name is missing: a user needs/],
  ['half an edge', lines({ follower_id: '1' }), /^followed_id is missing: a follow needs/],
  ['null for text', lines({ ...tweet, text: null }), /^text must be a string, not null/],
  ['a number for text', lines({ ...tweet, text: 5 }), /^text must be a string, not 5/],
  ['a number for an id', lines({ ...tweet, id: 1 }), /^id must be a string of digits, not 1/],
  [
    'a padded id',
    lines({ ...tweet, id: '01' }),
    /^id must be digits only, without a sign, spaces or leading zeros, not "01"/,
  ],
  ['a signed id', lines({ ...follow, followed_id: '-2' }), /^followed_id must be digits/],
  [
    'an id too large',
    lines({ ...tweet, author_id: '9223372036854775808' }),
    /^author_id must be at most 9223372036854775807/,
  ],
  ['a bad pinned id', lines({ ...user, pinned_tweet_ids: ['1', 'x'] }), /^pinned_tweet_ids\.1 must be digits/],
  ['a handle with @', lines({ ...user, handle: '@gull' }), /^handle must be a handle without "@"/],
  ['no such day', lines({ ...tweet, created_at: '2021-02-30T00:00:00Z' }), /^created_at must be a date-time such as/],
  ['a day only', lines({ ...tweet, created_at: '2021-02-20' }), /^created_at must be a date-time such as/],
  ['before all networks', lines({ ...tweet, created_at: '0001-01-01T00:00:00Z' }), /between 1970 and 9999/],
  [
    'a negative counter',
    lines({ ...tweet, likes: -1 }),
    /^likes must be a whole number from 0 to 9007199254740991, not -1/,
  ],
  ['a broken counter', lines({ ...user, followers: 1.5 }), /^followers must be a whole number/],
  ['an unsafe counter', lines({ ...tweet, views: 2 ** 53 }), /^views must be a whole number/],
  ['an endless counter', raw(JSON.stringify(tweet).replace('}', ',"likes":1e999}')), /^likes must be/],
  ['a counter as text', lines({ ...tweet, likes: '4' }), /^likes must be a number, not "4"/],
  ['a flag as number', lines({ ...tweet, is_reply: 1 }), /^is_reply must be true or false, not 1/],
  [
    'a text too long',
    lines({ ...tweet, text: 'a'.repeat(50_001) }),
    /^text must have at most 50000 characters, not "aaa.*…$/,
  ],
  [
    'an unknown medium',
    lines({ ...tweet, media: [{ type: 'gif' }] }),
    /^media\.0\.type must be photo, video or animated_gif/,
  ],
  ['Latin-1', Buffer.concat([raw('{"id":"1","text":"caf\xe9"}')]), /^not UTF-8/],
  ['a wrong author inside', lines({ ...tweet, author: { ...user, id: 'x' } }), /^author: id must be digits/],
  [
    'a page asked for without its fields',
    lines({ data: [{ id: '1', text: 'a' }] }),
    /^data\[0\]: created_at is missing.*tweet\.fields/,
  ],
  ['a page of something else', lines({ data: [{ id: '1', name: 'a list' }] }), /^data\[0\]: neither a user/],
  ['a page of no objects', lines({ data: ['x'] }), /^data\[0\]: must be an object/],
  [
    'a refusal',
    lines({ title: 'Too Many Requests', detail: 'Slow down', status: 429 }),
    /^an error response \("Too Many/,
  ],
];

describe('a bad line', () => {
  it.each(BAD)('%s: names file and line, and the lines around it are read', async (name, bad, message) => {
    const before = Buffer.from(lines(user, follow));
    const content = Buffer.concat([before, Buffer.from(bad), Buffer.from(lines(follow))]);
    const path = await scratch.write(`${name.replaceAll(/\W/g, '-')}.ndjson`, content);
    const { faults, located } = await readPath(path);
    expect(faults).toEqual([{ file: path, line: 3, message: expect.stringMatching(message) }]);
    expect(located.map(({ line }) => line).filter((line) => line !== 3)).toEqual([1, 2, 4]);
  });

  it('with an invalid medium costs only that medium', async () => {
    const photo = { type: 'photo', url: 'https://img.example/1.jpg' };
    const content = lines(
      { ...tweet, media: [{ type: 'gif' }, photo, { ...photo, width: -1 }] },
      { ...tweet, media: [{ type: 'gif' }] },
      { ...tweet, media: [{ type: 'gif' }], text: 5 },
      { data: [{ ...tweet, attachments: { media_keys: ['3_1'] } }], includes: { media: [{ media_key: '3_1' }] } },
    );
    const path = await scratch.write('media.ndjson', content);
    const { faults, rows } = await readPath(path);
    const fault = (line: number, message: RegExp) => ({ file: path, line, message: expect.stringMatching(message) });
    expect(faults).toEqual([
      fault(1, /^media\.0\.type must be photo, video or animated_gif, not "gif"; only this medium is left out$/),
      fault(1, /^media\.2\.width must be a whole number of pixels, not -1; only/),
      fault(2, /^media\.0\.type/),
      fault(3, /^text must be a string/),
      fault(4, /^data\[0\]: media\.0\.type is missing: a medium needs type; only this medium is left out$/),
    ]);
    expect(rows).toEqual([
      { kind: 'tweet', tweet: expect.objectContaining({ id: '1', media: [photo] }) },
      { kind: 'tweet', tweet: expect.not.objectContaining({ media: expect.anything() }) },
      { kind: 'tweet', tweet: expect.not.objectContaining({ media: expect.anything() }) },
    ]);
  });

  it('in a file named for its kind is judged by that kind if its fields tell no other', async () => {
    const rows = lines(user, { ...user, handle: undefined }, { ...user, text: 5 });
    const { faults } = await readPath(await scratch.write('users.ndjson', rows));
    expect(faults).toMatchObject([{ line: 2, message: expect.stringMatching(/^handle is missing: a user needs/) }]);
  });

  it('longer than any page is left out without being kept in memory', async () => {
    async function* chunks() {
      yield Buffer.from(lines(user));
      const part = Buffer.alloc(1024 * 1024, 'a');
      for (let bytes = 0; bytes <= MAX_PIECE_BYTES; bytes += part.length) yield part;
      yield Buffer.from(`\n${lines(follow)}`);
    }
    const pieces = await gather(readLines(chunks()));
    expect(pieces).toMatchObject([
      { line: 1 },
      { line: 2, problem: expect.stringMatching(/^longer than 16777216/) },
      { line: 3 },
    ]);
  });
});

describe('a broken file', () => {
  it('gives what precedes the cut in cut gzip, and a fault', async () => {
    const packed = gzipSync(
      lines(...Array.from({ length: 5_000 }, (_, index) => ({ ...follow, follower_id: `${index}` }))),
    );
    const path = await scratch.write('follows.ndjson.gz', packed.subarray(0, packed.length - 2_000));
    const { faults } = await readPath(path);
    expect(faults).toMatchObject([{ file: path, message: expect.stringMatching(/the file is truncated/) }]);
  });

  it('gives a fault if it is named gzip and is not', async () => {
    const { faults } = await readPath(await scratch.write('follows-2.ndjson.gz', lines(follow)));
    expect(faults).toMatchObject([{ line: 1, message: expect.stringMatching(/^invalid compressed data/) }]);
  });

  it.each([
    ['an object that never closes', '{"id":"1",\n"text":"a', [1]],
    ['a list that never closes', `[${JSON.stringify(user)},\n`, [2]],
    ['words', 'not json', [1, 1]],
    ['a bracket too many', `${JSON.stringify(user)}\n}`, [2]],
  ])('gives a fault as a document that is %s', async (_name, content, at) => {
    const { faults } = await readPath(await scratch.write('document.json', content));
    expect(faults.map(({ line }) => line)).toEqual(at);
  });
});

describe('whatever a file holds', () => {
  const fields = fc.constantFrom(
    ...Object.keys({ ...user, ...tweet, ...follow }),
    'data',
    'includes',
    'media',
    'username',
    'likes',
    'entities',
    'public_metrics',
    'note_tweet',
    'referenced_tweets',
    'attachments',
    'author',
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom('1', 'gull', tweet.created_at, 'quoted', '\ud800', '\0'),
      fc.jsonValue(),
      tie('list'),
      tie('object'),
    ),
    list: fc.array(tie('any'), { maxLength: 4 }),
    object: fc.dictionary(fields, tie('any'), { maxKeys: 10 }),
  })).any;

  it('turns any JSON value into rows or a readable fault, without a crash', () => {
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 'user', 'tweet', 'follow'), (json, expected) => {
        const given = parseRows(JSON.parse(JSON.stringify(json)), { expected: expected as 'user' | undefined });
        for (const row of given)
          expect(typeof row === 'string' ? row.length > 0 : 'kind' in row || 'omitted' in row).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('gives the same pieces of any bytes, however they are cut into chunks', async () => {
    const content = fc.oneof(
      fc
        .array(
          fc.oneof(
            value.map((json) => JSON.stringify(json)),
            fc.constantFrom('', '[', ']', '{', '"', '\\', ','),
          ),
        )
        .map((parts) => Buffer.from(parts.join('\n'))),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    );
    async function* cut(bytes: Buffer, size: number) {
      for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
    }
    await fc.assert(
      fc.asyncProperty(content, fc.integer({ min: 1, max: 7 }), async (bytes, size) => {
        for (const read of [readLines, readValues]) {
          const whole = await gather(read(cut(bytes, bytes.length + 1)));
          expect(await gather(read(cut(bytes, size)))).toEqual(whole);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('gives the values of a list as JSON.parse finds them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(value, { maxLength: 5 }), fc.constantFrom(undefined, 2), async (list, indent) => {
        async function* chunks() {
          yield Buffer.from(JSON.stringify(list, null, indent));
        }
        const pieces = await gather(readValues(chunks()));
        expect(pieces.map((piece) => ('text' in piece ? JSON.parse(piece.text) : piece))).toEqual(
          JSON.parse(JSON.stringify(list)),
        );
      }),
      { numRuns: 200 },
    );
  });
});
