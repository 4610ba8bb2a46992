/** HISTORY_DATABASE_URL: usage is dated if the replica is behind. Whatever it does, no answer is wrong or refused. */
import { afterEach, expect, it, vi } from 'vitest';
import { freePort } from '../../../adapters/cli/workers/free-port.js';
import { Replica } from '../../../adapters/postgres/replica.js';
import { connect } from '../../../adapters/postgres/sql.js';
import { Cli } from '../../cli/support/support.js';
import { createClient } from '../../kit/client.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';
import { freshDatabase } from '../../kit/postgres/database.js';
import { openLine } from '../../kit/postgres/line.js';
import { lineTo } from '../../kit/postgres/line-to.js';
import {
  describeWithReplica,
  type ReplicatedPostgres,
  startReplicated,
} from '../../kit/postgres/replicated-postgres.js';
import { SLOW_MS } from './load.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

await describeWithReplica('history on a replica', (programs) => {
  let postgres: ReplicatedPostgres;
  let metricsPort: number;
  const replicaUrl = () => `postgres://perch@${postgres.hosts.standby}/postgres`;

  const metrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();

  async function start(url = replicaUrl()): Promise<TestPerch> {
    metricsPort = await freePort('127.0.0.1');
    const perch = await startPerch({
      openDatabase: async () => ({ ...postgres.database, drop: async () => {} }),
      env: {
        DATABASE_URL: postgres.url,
        HISTORY_DATABASE_URL: url,
        PERCH_SECRET: 's'.repeat(32),
        PERCH_METRICS_PORT: String(metricsPort),
      },
    });
    ends.push(() => perch.close());
    return perch;
  }

  async function replicated(): Promise<void> {
    postgres = await startReplicated(programs, { synchronous: false });
    ends.push(
      () => postgres.stop(),
      () => postgres.line.close(),
      () => postgres.database.drop(),
    );
    await postgres.database.sql`insert into corpus_users (id, handle, name) values (7, 'gull', 'Gull')`;
    await postgres.caughtUp();
  }

  it('is read there; behind, it dates usage and still finds every receipt', {
    timeout: SLOW_MS,
  }, async () => {
    await replicated();
    const perch = await start();
    const { get } = createClient(perch.url, (await perch.account({ credits: 100 })).key);
    const read = async () => {
      const { status, body } = await get('/v1/users/gull');
      expect(status).toBe(200);
      return body.request_id;
    };
    const usage = async () => {
      const { body } = await get('/v1/usage');
      const { data, as_of: asOf } = body as unknown as { data: { requests: number }[]; as_of?: string };
      return { requests: data[0]?.requests, asOf: Date.parse(asOf ?? '') };
    };
    /** The primary answers for a moment when a look at the replica takes longer than a second. */
    const usageOfReplica = async () => {
      const found = await usage();
      expect(found.asOf).not.toBeNaN();
      return found;
    };
    const fromReplica = () => vi.waitFor(usageOfReplica, { timeout: 20_000 });
    await read();
    await postgres.caughtUp();
    const began = Date.now();
    const first = await fromReplica();
    expect(first.requests).toBe(1);
    expect(Math.abs(first.asOf - began)).toBeLessThan(60_000);

    const up = /^perch_history_replica_up 1$[\s\S]*^perch_history_replica_lag_seconds \d/m;
    await vi.waitFor(async () => expect(await metrics()).toMatch(up), { timeout: 20_000 });

    postgres.replication.hang();
    const behind = await read();
    const late = await fromReplica();
    expect(late.requests).toBe(1);
    expect(late.asOf).toBeLessThanOrEqual(Date.now());
    expect((await get(`/v1/usage/${behind}`)).body).toMatchObject({ data: { request_id: behind } });
    for (let n = 0; n < 5; n += 1) await read();
    expect((await fromReplica()).requests).toBe(1);

    postgres.replication.resume();
    await postgres.caughtUp();
    await vi.waitFor(async () => expect(await usage()).toMatchObject({ requests: 7 }), { timeout: 20_000 });
    expect((await fromReplica()).asOf).toBeGreaterThanOrEqual(late.asOf);

    const cli = await Cli.open();
    ends.push(() => cli.close());
    const env = { DATABASE_URL: postgres.url, HISTORY_DATABASE_URL: replicaUrl(), PERCH_SECRET: 's'.repeat(32) };
    const { checks } = JSON.parse((await cli.start(['doctor', '--json'], { env }).end).stdout) as { checks: object[] };
    expect(checks).toContainEqual({
      name: 'History',
      ok: true,
      detail: expect.stringMatching(/^from the replica at HISTORY_DATABASE_URL, whose newest commit is from 2/),
    });

    // After its promotion it is the primary, and nothing is missing.
    await postgres.failOver();
    await vi.waitFor(async () => expect(await usage()).toEqual({ requests: 7, asOf: Number.NaN }), { timeout: 20_000 });
    await read();
  });

  it('is behind, for perch doctor, only while it lacks something that was committed', {
    timeout: SLOW_MS,
  }, async () => {
    await replicated();
    const looks = connect({ url: replicaUrl() }, { max: 1 });
    ends.push(() => looks.end());
    const { sql: primary } = postgres.database;
    const replica = new Replica({ pool: looks, looks, primary });
    await vi.waitFor(async () => expect(await replica.isBehind()).toBe(false));
    postgres.replication.hang();
    await primary`insert into corpus_users (id, handle, name) values (8, 'tern', 'Tern')`;
    expect(await replica.isBehind()).toBe(true);
  });

  it('falls back to the primary within seconds while it hangs or is stopped, and returns', {
    timeout: SLOW_MS,
  }, async () => {
    await replicated();
    const [host = '', port] = postgres.hosts.standby.split(':');
    const line = await openLine({ host, port: Number(port) });
    ends.push(() => line.close());
    const perch = await start(`postgres://perch@127.0.0.1:${line.port}/postgres`);
    const { get } = createClient(perch.url, (await perch.account({ credits: 100 })).key);
    const { body } = await get('/v1/users/gull');
    const usage = async () => (await get('/v1/usage')).body as object;
    const within = async (ms: number, requests: number) => {
      const began = performance.now();
      const answers = await Promise.all([usage(), usage(), get(`/v1/usage/${body.request_id}`)]);
      expect(performance.now() - began).toBeLessThan(ms);
      expect(answers).toMatchObject([{ data: [{ requests }] }, { data: [{ requests }] }, { status: 200 }]);
      for (const answer of answers) expect(answer).not.toHaveProperty('as_of');
    };
    await postgres.caughtUp();
    await vi.waitFor(async () => expect(await usage()).toHaveProperty('as_of'), { timeout: 20_000 });
    line.hang();
    await within(5_000, 1);
    await within(3_000, 1);
    expect((await get('/v1/users/gull')).status).toBe(200);
    const shown = await metrics();
    expect(shown).toMatch(/^perch_history_replica_up 0$/m);
    expect(shown).not.toMatch(/^perch_history_replica_lag_seconds /m);
    line.resume();
    await vi.waitFor(async () => expect(await usage()).toHaveProperty('as_of'), { timeout: 40_000 });
    await postgres.killStandby();
    await within(3_000, 2);
  });

  it('is refused at the start when it is another database, with what to do', { timeout: SLOW_MS }, async () => {
    await replicated();
    const other = await freshDatabase();
    const { line, url } = await lineTo(other);
    ends.push(other.drop, () => line.close());
    await expect(start(url)).rejects.toThrow(
      /HISTORY_DATABASE_URL \(.*\): it is not a replica of the database at DATABASE_URL\. Point it at a streaming/,
    );
    await expect(start(`${postgres.url}_not_there`)).rejects.toThrow(/HISTORY_DATABASE_URL .*does not exist/);
    // A replica that is down, or is the primary now, does not prevent a start.
    for (const away of ['postgres://perch@127.0.0.1:1/postgres', postgres.url]) {
      const perch = await start(away);
      const { get } = createClient(perch.url, (await perch.account({ credits: 1 })).key);
      expect((await get('/v1/usage')).status).toBe(200);
    }
  });
});
