/** Several hosts in DATABASE_URL: the primary is found anywhere in the list, and standbys are refused. */
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { connect } from '../../../adapters/postgres/sql.js';
import { Cli } from '../../cli/support/support.js';
import {
  describeWithReplica,
  type ReplicatedPostgres,
  startReplicated,
} from '../../kit/postgres/replicated-postgres.js';
import { SLOW_MS } from './load.js';

const NOBODY = '127.0.0.1:1';

async function end({ database, line, stop }: ReplicatedPostgres): Promise<void> {
  await database.drop();
  await line.close();
  await stop();
}

await describeWithReplica('an address of several hosts', (programs) => {
  let postgres: ReplicatedPostgres;
  let cli: Cli;
  beforeAll(async () => {
    postgres = await startReplicated(programs, { synchronous: false });
    cli = await Cli.open();
  }, SLOW_MS);
  afterAll(async () => {
    await cli?.close();
    if (postgres) await end(postgres);
  }, SLOW_MS);

  const run = (command: string[], hosts: string[], query = '?target_session_attrs=primary') =>
    cli.start(command, {
      env: { DATABASE_URL: `postgres://perch:hush@${hosts.join()}/postgres${query}`, PERCH_SECRET: 's'.repeat(32) },
    }).end;
  const check = (hosts: string[], query?: string) => run(['ledger', 'check', '--json'], hosts, query);

  /** The row of `perch doctor` about hosts. */
  async function hostsRow(hosts: string[]): Promise<{ ok: boolean; detail: string } | undefined> {
    const { stdout } = await run(['doctor', '--json'], hosts);
    const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean; detail: string }[] };
    return checks.find(({ name }) => name === 'Hosts');
  }

  it('leads to the primary, before or after a standby or a host that is down', { timeout: SLOW_MS }, async () => {
    const { primary, standby } = postgres.hosts;
    for (const hosts of [
      [standby, primary],
      [primary, standby],
      [NOBODY, standby, primary],
    ]) {
      expect(await check(hosts)).toMatchObject({ code: 0, stdout: expect.stringContaining('"ok":true') });
    }
  });

  it('is refused with its hosts and without its password while none of them is a primary', {
    timeout: SLOW_MS,
  }, async () => {
    const { standby } = postgres.hosts;
    for (const hosts of [[standby], [standby, NOBODY], [NOBODY, standby]]) {
      const { code, stderr } = await check(hosts);
      expect(code).toBe(1);
      expect(stderr).toContain(`(postgres://…@${hosts.join()}/postgres): none of its hosts is a primary`);
      expect(stderr).not.toContain('hush');
    }
  });

  it('is refused when its only host is a standby, with what to do', { timeout: SLOW_MS }, async () => {
    const { code, stderr } = await check([postgres.hosts.standby], '');
    expect(code).toBe(1);
    expect(stderr).toMatch(/The database is a standby, which accepts no writes\. Point DATABASE_URL at the primary/);
  });

  it('is checked host by host by `perch doctor`', { timeout: SLOW_MS }, async () => {
    const { primary, standby } = postgres.hosts;
    const asynchronous = 'commits do not wait for a standby, so a fail-over loses the latest ones';
    expect(await hostsRow([standby, primary])).toMatchObject({
      ok: true,
      detail: `${standby} standby, ${primary} primary; ${asynchronous}`,
    });
    expect(await hostsRow([primary, NOBODY])).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/primary, 127\.0\.0\.1:1 unreachable \(.*ECONNREFUSED/),
    });
    expect(await hostsRow([standby, NOBODY])).toMatchObject({
      ok: false,
      detail: expect.stringContaining('none of them is a primary'),
    });
    expect(await hostsRow([primary, primary])).toMatchObject({
      ok: false,
      detail: expect.stringContaining('2 primaries: stop all but the right one'),
    });
    expect(await hostsRow([primary])).toBeUndefined();
  });
});

await describeWithReplica('several hosts of which the primary dies', (programs) => {
  it('never lead to a standby, and every query ends', { timeout: SLOW_MS }, async () => {
    const postgres = await startReplicated(programs, { synchronous: false });
    onTestFinished(() => end(postgres));
    const { primary, standby } = postgres.hosts;
    const url = `postgres://perch@${standby},${primary},${standby}/postgres?target_session_attrs=primary`;
    const sql = connect({ url }, { max: 4 });
    const running = Array.from({ length: 4 }, () => sql`select pg_sleep(30)`.catch(() => null));
    await vi.waitFor(
      async () => {
        const [row] = await postgres.database
          .sql`select count(*)::int as n from pg_stat_activity where query ~ '^select pg_sleep'`;
        expect(row?.n).toBe(4);
      },
      { timeout: 10_000 },
    );
    await postgres.killPrimary();
    // No query waits forever.
    await Promise.all(running);
    for (let n = 0; n < 20; n += 1) {
      const all = await Promise.allSettled(Array.from({ length: 4 }, () => sql`select pg_is_in_recovery() as standby`));
      expect(all.filter(({ status }) => status === 'fulfilled')).toEqual([]);
    }
    await sql.end({ timeout: 0 });
  });
});
