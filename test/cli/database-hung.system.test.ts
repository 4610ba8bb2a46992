import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { freshDatabase } from '../kit/postgres/database.js';
import { lineTo } from '../kit/postgres/line-to.js';
import { SLOW_MS, serve } from './support/service.js';
import { Cli } from './support/support.js';

/** Long enough for parts of the service to be waiting for the database. */
const HUNG_MS = 1_000;
/** All parts have 15 seconds, late ones one more. The rest is for a slow machine; `compose.yaml` kills after 30. */
const STOPPED_MS = 20_000;

test('reports what was not closed, and ends in time with 0, if interrupted while the database hangs', {
  timeout: SLOW_MS,
}, async () => {
  const [cli, database] = await Promise.all([Cli.open(), freshDatabase({ max: 1 })]);
  const { line, url } = await lineTo(database);
  const { started } = await serve(cli, { DATABASE_URL: url, PERCH_SECRET: 's'.repeat(32) });
  try {
    line.hang();
    await sleep(HUNG_MS);
    const signalled = performance.now();
    started.process.kill('SIGINT');
    const { code, stderr } = await started.end;
    expect(performance.now() - signalled).toBeLessThan(STOPPED_MS);
    expect(code).toBe(0);
    // This part waits on its own connection. Parts that need a new one may have given up, within ten seconds.
    expect(stderr).toMatch(/^perch: not closed: .*changes of keys: still open after \d+ ms/m);
    expect(stderr).toContain('Perch has stopped');
  } finally {
    started.process.kill('SIGKILL');
    await started.end;
    await line.close();
    await cli.close();
    await database.drop();
  }
});
