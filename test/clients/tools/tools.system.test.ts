/** Third-party tools, used as in their own documentation, against the running service. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../adapters/cli/workers/free-port.js';
import { demoDatabase } from '../../kit/demo.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';
import { record } from './results.js';
import { ROWS } from './rows.js';
import { openWorkshop, versionOf } from './suite.js';

/** `npm run clients:suite` runs all tools, and may keep what it installs; tests run those that install quickly. */
const { CLIENTS_ONLY: only = '', CLIENTS_ALL: all, CLIENTS_HOME: home, CLIENTS_WRITE: write } = process.env;

/** On a busy machine, sending twenty requests may take more than a second, and then none is refused. */
const TRIES = 3;

const wanted = only.split(',');
const rows = ROWS.filter(
  ({ name, room }) => wanted.some((text) => name.includes(text)) && (all !== undefined || room === '.'),
);
const here = rows.filter((row) => versionOf(row) !== undefined);
const workshop = await openWorkshop(here, home);
const missing = workshop ? '' : " (left out: npm's registry can't be reached)";

describe.runIf(workshop !== undefined)(`the suite of clients${missing}`, () => {
  let perch: TestPerch;
  let ids: readonly string[];
  beforeAll(async () => {
    perch = await startPerch({
      openDatabase: demoDatabase,
      env: { PERCH_METRICS_PORT: `${await freePort('127.0.0.1')}` },
    });
    await workshop?.prepare(perch, here);
    const { key } = await perch.account();
    const answer = await fetch(`${perch.url}/v1/users/harbor_obs/tweets?count=6`, { headers: { 'x-api-key': key } });
    ids = ((await answer.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
  }, 600_000);
  afterAll(async () => {
    expect((await perch.ledger.check()).faults).toEqual([]);
    await perch.close();
    await workshop?.remove();
  });

  for (const row of rows) {
    const { name, waits, reads, says } = row;
    const leftOut = here.includes(row) ? '' : ' (left out: it is not on this machine)';
    it.runIf(leftOut === '').concurrent(
      `${name} reads, pages, reports a refusal${waits ? ', waits for a 429' : ''}${leftOut}`,
      async ({ onTestFinished, task }) => {
        if (write) onTestFinished(() => record(row, versionOf(row) ?? '', task.result?.state === 'pass'));
        expect(workshop?.faultsOf(row)).toEqual([]);
        const common = { handle: 'harbor_obs', ids, refusal: 'not_found', ...(waits && { waited: 20 }) };
        let hasWaited = false;
        for (let round = 1; round <= (waits ? TRIES : 1) && !hasWaited; round += 1) {
          const { said, statuses } = (await workshop?.use(row, perch)) ?? {};
          expect(said).toEqual({ ...(reads && common), ...says });
          hasWaited = statuses?.includes(429) ?? false;
        }
        expect(hasWaited).toBe(waits);
      },
      120_000,
    );
  }
});
