import { afterEach, expect, test } from 'vitest';
import { checkpointsText, describeCheckpoints } from '../../adapters/postgres/checkpoints.js';
import { type FreshDatabase, freshDatabase } from '../kit/postgres/database.js';

let database: FreshDatabase | undefined;
afterEach(() => database?.drop());

test("reads a server's settings for checkpoints", async () => {
  database = await freshDatabase();
  expect(await describeCheckpoints(database.sql)).toMatch(
    /^wal_compression=\w+ max_wal_size=\d+MB checkpoint_timeout=\d+s/,
  );
});

test('suggests settings if the defaults write full pages too often, and nothing if all is well', () => {
  const defaults = { compression: 'off', hasLz4: true, maxWalMb: 1_024, timeoutSeconds: 300, forced: 0, timed: 9 };
  expect(checkpointsText(defaults)).toBe(
    'wal_compression=off max_wal_size=1024MB checkpoint_timeout=300s; with more than 10,000 active wallets set ' +
      'max_wal_size=8192MB checkpoint_timeout=900s',
  );
  const good = { compression: 'lz4', hasLz4: true, maxWalMb: 16_384, timeoutSeconds: 1_800, forced: 1, timed: 9 };
  expect(checkpointsText(good)).toBe('wal_compression=lz4 max_wal_size=16384MB checkpoint_timeout=1800s');
  expect(checkpointsText({ ...good, compression: 'on' })).toMatch(/active wallets set wal_compression=lz4$/);
  expect(checkpointsText({ ...good, compression: 'on', hasLz4: false })).toMatch(
    /active wallets set wal_compression=off$/,
  );
  expect(checkpointsText({ ...good, forced: 10 })).toBe(
    'wal_compression=lz4 max_wal_size=16384MB checkpoint_timeout=1800s; the size of the log forced 10 of 19 checkpoints; ' +
      'with more than 10,000 active wallets set max_wal_size=32768MB',
  );
});
