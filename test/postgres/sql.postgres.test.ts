import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../adapters/postgres/sql.js';
import { type FreshDatabase, freshDatabase } from '../kit/postgres/database.js';

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

test('returns a bigint as a number if that is exact, and as text otherwise', async () => {
  const { sql } = database;
  const [row] = await sql`
    select 9007199254740991::bigint as exact, 9007199254740993::bigint as beyond, array[1, 9007199254740993]::bigint[] as both`;
  expect(row).toEqual({ exact: 9007199254740991, beyond: '9007199254740993', both: [1, '9007199254740993'] });
});

test('returns arrays as they were sent, whatever they contain', async () => {
  const { sql } = database;
  // Postgres stores no zero character. 'grapheme' generates whole characters only.
  const text = fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll('\u0000', ''));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(text, fc.constantFrom('', 'null', '"', '\\', '{}', ',', '\n'), fc.constant(null))),
      fc.array(fc.integer()),
      fc.array(fc.maxSafeInteger()),
      fc.array(fc.double({ noDefaultInfinity: true, noNaN: true })),
      async (texts, integers, bigints, doubles) => {
        const [row] = await sql`
          select ${texts}::text[] as texts, ${integers}::int[] as integers, ${bigints}::bigint[] as bigints,
            ${doubles}::float8[] as doubles`;
        expect(row).toEqual({ texts, integers, bigints, doubles: doubles.map((double) => double + 0) });
      },
    ),
    { numRuns: 50 },
  );
});

test('reads arrays of other types like their elements', async () => {
  const [row] = await database.sql`
    select array[true, false, null] as booleans, array[decode('00ff', 'hex')] as bytes,
      array['2026-01-02T03:04:05.678Z'::timestamptz] as times, array['x']::varchar[] as names`;
  expect(row).toEqual({
    booleans: [true, false, null],
    bytes: [Buffer.from([0, 255])],
    times: [new Date('2026-01-02T03:04:05.678Z')],
    names: ['x'],
  });
});

test('keeps a transaction on a connection of its own, however many other statements are queued before it', async () => {
  for (let ahead = 198; ahead <= 206; ahead += 1) {
    // Not connected yet, so all of them wait for the same connection, and are sent together.
    const sql = connect(database.target, { max: 1 });
    try {
      const statements = Array.from({ length: ahead }, (_, nth) => sql`select ${nth}::int as nth`.execute());
      const transaction = sql.begin(async (tx) => {
        const [first] = await tx`select txid_current() as id`;
        const [second] = await tx`select txid_current() as id`;
        return [first, second];
      });
      const after = sql`select txid_current() as id`.execute();
      const [first, second] = await transaction;
      expect(second, `${ahead} ahead`).toEqual(first);
      expect((await after)[0], `${ahead} ahead`).not.toEqual(first);
      expect(await Promise.all(statements)).toHaveLength(ahead);
    } finally {
      await sql.end();
    }
  }
});
