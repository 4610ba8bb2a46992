import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openDemoHome } from './support/demo-home.js';
import { SLOW_MS, serve, until } from './support/service.js';

/** Less than the 20 reads a second of the demo account. */
const PAUSE_MS = 60;

test('recovers on its own when the database is killed, and charges nothing for failed calls', {
  timeout: SLOW_MS,
}, async () => {
  const cli = await openDemoHome();
  const { url, started } = await serve(cli, { PERCH_DEMO: '', LOG_LEVEL: 'warn' });
  try {
    const key = (await readFile(join(cli.home, 'demo-key'), 'utf8')).trim();
    const statuses: number[] = [];
    let charged = 0;
    let ending = false;
    const reader = (async () => {
      for (; !ending; await sleep(PAUSE_MS)) {
        const answer = await fetch(`${url}/v1/users/harbor_obs`, { headers: { 'x-api-key': key } });
        const body = (await answer.json()) as { credits_charged?: number };
        statuses.push(answer.status);
        if (answer.status === 200 && body.credits_charged) charged++;
      }
    })();
    const goes = (): boolean => statuses.slice(-5).every((status) => status === 200);
    for (let kill = 1; kill <= 2; kill++) {
      await until(() => statuses.length > 10 * kill && goes(), 'reads go through', started);
      const pid = Number((await readFile(join(cli.home, 'postgres/data/postmaster.pid'), 'utf8')).split('\n')[0]);
      process.kill(pid, 'SIGKILL');
      const seen = statuses.length;
      await until(() => statuses.length > seen + 10 && goes(), 'reads go through again', started);
    }
    ending = true;
    await reader;
    expect(statuses.filter((status) => ![200, 500, 503].includes(status))).toEqual([]);
    // The grant, a row for each paid answer, and the wallet of the demo's test key, which is unused.
    expect(await cli.json('ledger', 'check')).toEqual({ ok: true, wallets: 2, entries: 1 + charged });
    started.process.kill('SIGTERM');
    expect((await started.end).code).toBe(0);
  } finally {
    started.process.kill('SIGKILL');
    await started.end;
    await cli.close();
  }
});
