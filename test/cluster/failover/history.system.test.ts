/** HISTORY_DATABASE_URL: a replica that is behind says so, and whatever it does, nothing is wrong and nothing is refused. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createClient } from '../../kit/client.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';
import { freshDatabase } from '../../kit/postgres/database.js';
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
  const replicaUrl = () => `postgres://perch@${postgres.hosts.standby}/postgres`;

  async function start(url = replicaUrl()): Promise<TestPerch> {
    const perch = await startPerch({
      openDatabase: async () => ({ ...postgres.database, drop: async () => {} }),
      env: { DATABASE_URL: postgres.url, HISTORY_DATABASE_URL: url },
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

  it('is read there; when it falls behind it says as of when, and knows every receipt', {
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
      const { body } = await get('/v1/usage?group=');
      const { data, as_of: asOf } = body as unknown as { data: { requests: number }[]; as_of?: string };
      return { requests: data[0]?.requests, asOf: Date.parse(asOf ?? '') };
    };
    await read();
    await postgres.caughtUp();
    const began = Date.now();
    await vi.waitFor(async () => expect(await usage()).toMatchObject({ requests: 1, asOf: expect.any(Number) }));
    expect(Math.abs((await usage()).asOf - began)).toBeLessThan(60_000);

    postgres.replication.hang();
    const behind = await read();
    const late = await usage();
    expect(late.requests).toBe(1);
    expect(late.asOf).toBeLessThanOrEqual(Date.now());
    expect((await get(`/v1/usage/${behind}`)).body).toMatchObject({ data: { request_id: behind } });
    for (let n = 0; n < 5; n += 1) await read();
    expect((await usage()).requests).toBe(1);

    postgres.replication.resume();
    await postgres.caughtUp();
    await vi.waitFor(async () => expect(await usage()).toMatchObject({ requests: 7 }), { timeout: 20_000 });
    expect((await usage()).asOf).toBeGreaterThanOrEqual(late.asOf);
  });

  it('is read on the primary within seconds when it is gone, and on it again when it is promoted', {
    timeout: SLOW_MS,
  }, async () => {
    await replicated();
    const perch = await start();
    const { get } = createClient(perch.url, (await perch.account({ credits: 100 })).key);
    const { body } = await get('/v1/users/gull');
    await postgres.caughtUp();
    await postgres.killStandby();
    const began = performance.now();
    const usage = await get('/v1/usage?group=');
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(usage.body).toMatchObject({ data: [{ requests: 1 }] });
    expect(usage.body).not.toHaveProperty('as_of');
    expect((await get(`/v1/usage/${body.request_id}`)).status).toBe(200);
    expect((await get('/v1/users/gull')).status).toBe(200);
  });

  describe('at the start', () => {
    it('is refused when it is another database, with what to do', { timeout: SLOW_MS }, async () => {
      await replicated();
      const other = await freshDatabase();
      const { line, url } = await lineTo(other);
      ends.push(other.drop, () => line.close());
      await expect(start(url)).rejects.toThrow(
        /HISTORY_DATABASE_URL \(.*\): it is not a replica of the database at DATABASE_URL\. Point it at a streaming/,
      );
      await expect(start(`${postgres.url}_not_there`)).rejects.toThrow(/HISTORY_DATABASE_URL .*does not exist/);
      // What is away, or is the primary at the moment, stops nobody.
      for (const away of ['postgres://perch@127.0.0.1:1/postgres', postgres.url]) {
        const perch = await start(away);
        const { get } = createClient(perch.url, (await perch.account({ credits: 1 })).key);
        expect((await get('/v1/usage')).status).toBe(200);
      }
    });
  });
});
