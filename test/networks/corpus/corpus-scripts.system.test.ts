import { afterAll, beforeAll, describe } from 'vitest';
import { debianPrograms, startDebianPostgres } from '../../kit/postgres/debian-postgres.js';
import { scriptsSuite } from './scripts.suite.js';

const programs = await debianPrograms();

describe.skipIf(programs === undefined)("search in every script, on Debian's Postgres", () => {
  let debian: Awaited<ReturnType<typeof startDebianPostgres>>;
  beforeAll(async () => {
    debian = await startDebianPostgres(programs ?? '');
  });
  afterAll(() => debian.stop());

  scriptsSuite(() => debian.server);
});
