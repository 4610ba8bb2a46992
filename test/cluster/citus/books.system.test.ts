/**
 * The books of a real Citus under load, where TEST_CITUS_URL is the address of a coordinator with two workers or more. If
 * TEST_CITUS_STANDBY_URL is the address of a synchronous standby of the first worker, that takes over at the end: then the
 * servers have to be set up again before the next run.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archiveBefore, restoreArchive } from '../../../adapters/cli/archive/archive.js';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import { divideNextMonth } from '../../../adapters/postgres/ledger/maintenance.js';
import { sumAllDebits } from '../../../adapters/postgres/ledger/sums.js';
import { DISTRIBUTING, distribute } from '../../../adapters/postgres/shards/distribute.js';
import { rebalance } from '../../../adapters/postgres/shards/rebalance.js';
import { ShardServers } from '../../../adapters/postgres/shards/shard-servers.js';
import { leftOut, readShards, readWorkers } from '../../../adapters/postgres/shards/shards.js';
import { connect, type Sql } from '../../../adapters/postgres/sql.js';
import type { Debit, Ledger } from '../../../src/ports/ledger.js';
import { debitOf, lookedUp, type Payer } from '../../engine/ports/suites/ledger.suite.js';
import { CITUS_URL, type FreshCitus, freshCitus, serversOf, withAdmin } from '../../kit/postgres/citus-database.js';
import { holdLocks } from '../../kit/postgres/hold-locks.js';
import { until } from '../../kit/time/until.js';

const SHARDS = 4;
const ACCOUNTS = 40;
const CALLERS = 64;
const GRANTED = 1_000_000_000;
const PRICE = 500;
const STANDBY_URL = process.env.TEST_CITUS_STANDBY_URL;

describe.skipIf(CITUS_URL === undefined)(
  `Citus${CITUS_URL === undefined ? ' [left out: no TEST_CITUS_URL]' : ''}`,
  { shuffle: false },
  () => {
    let database: FreshCitus;
    let sql: Sql;
    let settling: Sql;
    let servers: ShardServers;
    let ledger: Ledger;
    const payers: Payer[] = [];
    beforeAll(async () => {
      // The tables have accounts and debits of one server when they are distributed.
      database = await freshCitus({ isLeft: true });
      sql = connect(database.target, { max: 4 * SHARDS + 4 });
      const accounts = createAccounts(sql);
      const before = createLedger(sql);
      for (let nth = 0; nth < ACCOUNTS; nth += 1) {
        const account = await accounts.create({ name: 'a', email: null, paidUsd: 0, qpsOverride: null });
        await before.grant({ requestId: randomUUID(), accountId: account.accountId, amount: GRANTED, reason: 'test' });
        const hash = Buffer.from(v7().padEnd(32).slice(0, 32));
        const { keyId, prefix } = await accounts.addKey({
          ...account,
          hash,
          prefix: 'perch_live_abcdef',
          name: 'k',
          cap: null,
        });
        const payer = await lookedUp(accounts, { ...account, keyId, prefix, hash });
        payers.push(payer);
        expect(await before.post(debitOf(payer, PRICE))).toMatchObject({ ok: true });
      }
    }, 120_000);
    afterAll(async () => {
      await servers?.end({ timeout: 1 });
      await settling?.end();
      await sql?.end();
      // Not if its worker was replaced for good.
      if (STANDBY_URL === undefined) await database?.drop();
    });

    it('is refused while a process is connected, and distributes what there is, step by step', async () => {
      await sql.end();
      await database.sql.end();
      const nosy = connect(database.target, { max: 1 });
      await nosy`select 1`;
      const two = connect(database.target, { max: 2, name: DISTRIBUTING });
      const steps: string[] = [];
      const options = { shards: SHARDS, onProgress: (step: string) => void steps.push(step) };
      await expect(distribute(two, options)).rejects.toThrow(
        'Perch is running on this database (1 connection): stop all',
      );
      await nosy.end();
      const interrupted = (step: string) => {
        if (step.startsWith('Distributing usage_hours')) throw new Error('interrupted');
      };
      await expect(distribute(two, { ...options, onProgress: interrupted })).rejects.toThrow('interrupted');
      await expect(readShards(two)).rejects.toThrow('not wholly distributed');
      const done = await distribute(two, options);
      expect(done).toEqual(steps);
      expect(done[0]).toMatch(/^Distributing usage_hours/);
      expect(await distribute(two, options)).toEqual([]);
      expect(await leftOut(two)).toEqual([]);
      await two.end();
      sql = connect(database.target, { max: 4 * SHARDS + 4 });
      const shards = await readShards(sql);
      expect(shards?.count).toBe(SHARDS);
      settling = connect(database.target, { max: 4 * SHARDS, name: 'through the coordinator' });
      servers = serversOf(database.target, settling, 4 * SHARDS, sql);
      await servers.look();
      ledger = createLedger(sql, { shards, servers });
      expect(await ledger.check()).toEqual({ wallets: ACCOUNTS, entries: 2 * ACCOUNTS, faults: [] });
    });

    it('refuses changes of the ledger on every shard', async () => {
      await expect(sql`update debits set balance_after = 0`).rejects.toThrow('append only');
      await expect(sql`delete from statement_entries where account_id = ${payers[0]?.accountId ?? ''}`).rejects.toThrow(
        'append only',
      );
    });

    it('posts to the workers themselves, and nothing through the coordinator', async () => {
      const load = begin();
      await sleep(1_000);
      const result = await load.end();
      expect(result.failed).toEqual({});
      expect(await sql`select from pg_stat_activity where application_name = 'through the coordinator'`).toHaveLength(
        0,
      );
      await expectBooks(result);
    });

    it('posts through the coordinator where an address leads to another server, or nowhere', async () => {
      const [one = '', other = ''] = database.workers;
      const nowhere = 'postgres://perch@127.0.0.1:1/perch';
      const leads = new Map([
        [new URL(one).host, other],
        [new URL(other).host, nowhere],
      ]);
      const open = (host: string) => connect({ url: leads.get(host) ?? '' }, { max: 4 });
      const astray = new ShardServers({ coordinator: settling, looks: sql, open });
      await astray.look();
      const { post } = createLedger(sql, { shards: await readShards(sql), servers: astray });
      for (const payer of payers) {
        const debit = debitOf(payer, PRICE);
        known.add(debit.requestId);
        expect(await post(debit)).toMatchObject({ ok: true });
      }
      await astray.end({ timeout: 1 });
      await expectBooks({ charges: [], doubtful: new Set() });
    });

    it('loses and repeats no charge while a shard moves to another worker, and one back to balance', async () => {
      const load = begin();
      await sleep(1_000);
      await moveOne();
      // The remains of the shard would keep it from moving back.
      while ((await sql`select from pg_dist_cleanup`).length > 0) {
        await sql`call citus_cleanup_orphaned_resources()`;
        await sleep(100);
      }
      const sinceMs = performance.now();
      const two = connect(database.target, { max: 2 });
      const moves: string[] = [];
      expect(await rebalance(two, (move) => void moves.push(move))).toBe(1);
      expect(moves).toEqual([expect.stringMatching(/^Moving shard \d+ from [\d.]+:\d+ to [\d.]+:\d+: 1 of 1$/)]);
      expect(await rebalance(two, () => {})).toBe(0);
      await two.end();
      const result = await load.end();
      expect(result.failed).toEqual({});
      await expectBooks(result);
      const byHand = result.charges.filter(({ atMs }) => atMs < sinceMs);
      const rest = result.charges.filter(({ atMs }) => atMs >= sinceMs);
      console.log(
        `moved: ${result.charges.length} charges confirmed, all found; the slowest took ${slowest(byHand)} ms while a shard was moved by hand,`,
        `${slowest(rest)} ms while the shards were balanced`,
      );
    }, 120_000);

    it('survives a process that began before the database was distributed', async () => {
      const { post } = createLedger(sql);
      const [payer] = payers as [Payer];
      const debit = debitOf(payer, PRICE);
      known.add(debit.requestId);
      expect(await post(debit)).toMatchObject({ ok: true });
      await expect(post(debitOf(payer, PRICE, { uncapped: null }))).rejects.toThrow();
      await expect(post(debitOf(payer, 2 * GRANTED))).rejects.toThrow();
      await expectBooks({ charges: [], doubtful: new Set() });
    });

    it('loses and repeats no charge while a worker crashes, and lets only its accounts wait', async () => {
      const [address = ''] = database.workers;
      const dead = await accountsOn(Number(new URL(address).port));
      const load = begin();
      await sleep(1_000);
      // Killing this process crashes the whole server, which then recovers.
      await withAdmin(address, (admin) => admin`copy (select 1) to program 'kill -9 $PPID'`).catch(() => {});
      const sinceMs = performance.now();
      while (!(await withAdmin(address, async (admin) => admin`select 1`).then(Boolean, () => false))) await sleep(20);
      const untilMs = performance.now();
      await sleep(3_000);
      const result = await load.end();
      await expectBooks(result);
      const meanwhile = result.charges.filter(({ atMs }) => atMs > sinceMs && atMs < untilMs);
      const others = meanwhile.filter(({ accountId }) => !dead.has(accountId));
      console.log(
        `crashed: away for ${Math.round(untilMs - sinceMs)} ms, ${result.charges.length} charges confirmed, all found;`,
        `of others ${others.length} meanwhile, the slowest in ${slowest(others)} ms; of its accounts`,
        `${meanwhile.length - others.length}, the slowest in ${slowest(result.charges)} ms; failed: ${JSON.stringify(result.failed)}`,
      );
      expect(dead.size).toBeGreaterThan(0);
      expect(new Set(others.map(({ accountId }) => accountId)).size).toBe(ACCOUNTS - dead.size);
      expect(meanwhile.length - others.length).toBeLessThan(others.length / 10);
      expect((await readWorkers(sql)).every(({ answers }) => answers)).toBe(true);
    }, 120_000);

    it('sums up, waits for the lock of a busy wallet, and leaves one that stays locked to the next run', async () => {
      const shards = await readShards(sql);
      const [busy] = payers as [Payer];
      for (const payer of payers) {
        const debit = debitOf(payer, PRICE);
        known.add(debit.requestId);
        expect(await ledger.post(debit)).toMatchObject({ ok: true });
      }
      const [{ settled } = { settled: '' }] = await sql`select first_id_at(now() + interval '1 second') as settled`;
      const run = (patienceMs: number) => sumAllDebits((work) => sql.begin(work) as never, settled, shards, patienceMs);
      const waiting = async () =>
        (await sql`select account_id from wallets where last_seq > summed_seq`).map((row) => row.account_id);
      const release = await holdLocks(
        sql,
        (tx) => tx`select from wallets where account_id = ${busy.accountId} for update`,
      );
      await run(10);
      expect(await waiting()).toEqual([busy.accountId]);
      const running = run(30_000);
      await sleep(500);
      await release();
      await running;
      expect(await waiting()).toEqual([]);
      expect((await ledger.check()).faults).toEqual([]);
    });

    it('finds a wallet that was changed', async () => {
      await ledger.runMaintenance();
      const [{ accountId } = { accountId: '' }] = payers;
      expect((await ledger.check()).faults).toEqual([]);
      await sql`update wallets set balance_thousandths = balance_thousandths + 1 where account_id = ${accountId}`;
      expect((await ledger.check()).faults.map(({ invariant }) => invariant)).toContain('wallet_sum');
      await sql`update wallets set balance_thousandths = balance_thousandths - 1 where account_id = ${accountId}`;
    });

    it('loses and repeats no charge while months are archived, restored and divided, and answers receipts of them', async () => {
      const shards = await readShards(sql);
      const [payer] = payers as [Payer];
      await sql`select open_span(span) from unnest(${['2025-01', '2025-02-w1']}::text[]) as span`;
      const past: Debit[] = [];
      for (const day of ['2025-01-03', '2025-01-31', '2025-02-07'])
        for (const who of payers) past.push(debitOf(who, PRICE, { requestId: v7({ msecs: Date.parse(day) }) }));
      for (const debit of past) {
        known.add(debit.requestId);
        expect(await ledger.post(debit)).toMatchObject({ ok: true });
      }
      await ledger.runMaintenance();
      const folder = await mkdtemp(join(tmpdir(), 'perch-citus-'));
      const load = begin(8);
      const archived = await archiveBefore(sql, '2025-03', folder, { format: 'parquet' });
      const beside = createLedger(sql, { shards, archiveFolder: folder });
      expect(archived.map(({ month, rows, amount }) => [month, rows, amount])).toEqual([
        ['2025-01', 2 * ACCOUNTS, String(2 * ACCOUNTS * PRICE)],
        ['2025-02-w1', ACCOUNTS, String(ACCOUNTS * PRICE)],
      ]);
      expect(await archiveBefore(sql, '2025-03', folder)).toEqual([]);
      const [first] = past as [Debit];
      expect(await beside.receipt(payer.accountId, first.requestId)).toMatchObject({ amount: PRICE });
      expect(await sql`select from debits where request_id < first_id_at('2025-03-01')`).toHaveLength(0);
      const lines = await mkdtemp(join(tmpdir(), 'perch-citus-'));
      for (const { month, sha256 } of archived) {
        await restoreArchive(sql, join(folder, `debits-${month}.json`));
        expect(await archiveBefore(sql, '2025-03', folder, { format: 'parquet' })).toMatchObject([{ month, sha256 }]);
        await restoreArchive(sql, join(folder, `debits-${month}.json`));
        expect(await archiveBefore(sql, '2025-03', lines)).toMatchObject([{ month }]);
      }
      for (const { month } of archived) await restoreArchive(sql, join(lines, `debits-${month}.json`));
      await expect
        .poll(() => sql.begin((tx) => divideNextMonth(tx, { mostBytes: 1, before: '40 days', until: '0 s', shards })), {
          ...{ timeout: 60_000, interval: 1 },
        })
        .toBe(false);
      const days = await sql`
        select from debit_spans where length(span) = 10
          and left(span, 7) = to_char(date_trunc('month', now() at time zone 'UTC') + interval '1 month', 'YYYY-MM')`;
      expect(days.length).toBeGreaterThan(27);
      const result = await load.end();
      for (const each of [folder, lines]) await rm(each, { recursive: true });
      expect(result.failed).toEqual({});
      await expectBooks(result);
      console.log(
        `archived: ${result.charges.length} charges confirmed, all found, the slowest in ${slowest(result.charges)} ms;`,
        `paused for ${Math.round(Math.max(...archived.map(({ pauseMs }) => pauseMs)))} ms at most`,
      );
    }, 240_000);

    it.skipIf(STANDBY_URL === undefined)(
      'loses and repeats no charge when the standby of a dead worker takes over',
      async () => {
        const [address = ''] = database.workers;
        const standby = new URL(STANDBY_URL ?? '');
        const coordinator = 'url' in database.target ? database.target.url : '';
        const dead = await accountsOn(Number(new URL(address).port));
        const load = begin();
        await sleep(1_000);
        const sinceMs = performance.now();
        // An immediate shutdown: the server stays away.
        const stop = `read pid < postmaster.pid; kill -QUIT $pid`;
        await withAdmin(address, (admin) => admin.unsafe(`copy (select 1) to program '${stop}'`)).catch(() => {});
        await withAdmin(standby.href, (admin) => admin`select pg_promote()`);
        await withAdmin(coordinator, async (admin) => {
          const { port } = new URL(address);
          const [node] = await admin<{ id: number }[]>`
            select nodeid as id from pg_dist_node where nodeport = ${port}::int`;
          await admin`select citus_update_node(${node?.id ?? 0}::int, ${standby.hostname}, ${standby.port}::int)`;
        });
        const untilMs = performance.now();
        await until('an account of the dead worker is charged again', () =>
          load.charges.some(({ accountId, atMs }) => dead.has(accountId) && atMs > untilMs),
        );
        await sleep(3_000);
        const result = await load.end();
        await expectBooks(result);
        const others = result.charges.filter(({ accountId, atMs }) => !dead.has(accountId) && atMs > sinceMs);
        console.log(
          `replaced: took ${Math.round(untilMs - sinceMs)} ms, ${result.charges.length} charges confirmed, all found;`,
          `of others ${others.length} since, the slowest in ${slowest(others)} ms; the slowest of its accounts took`,
          `${slowest(result.charges)} ms; failed: ${JSON.stringify(result.failed)}`,
        );
        expect(new Set(others.map(({ accountId }) => accountId)).size).toBe(ACCOUNTS - dead.size);
      },
      120_000,
    );

    interface Charge {
      readonly accountId: string;
      readonly requestId: string;
      readonly atMs: number;
      readonly tookMs: number;
    }

    const slowest = (charges: readonly Charge[]) =>
      Math.round(charges.reduce((most, { tookMs }) => Math.max(most, tookMs), 0));

    interface LoadResult {
      /** Charges that were confirmed to callers. */
      readonly charges: readonly Charge[];
      /** Failed charges that may nevertheless be in the ledger. */
      readonly doubtful: ReadonlySet<string>;
      readonly failed: Readonly<Record<string, number>>;
    }

    /** Keeps charging, one account per caller, until it is ended. */
    function begin(callersAtOnce = CALLERS): { readonly charges: readonly Charge[]; end(): Promise<LoadResult> } {
      const charges: Charge[] = [];
      const doubtful = new Set<string>();
      const failed: Record<string, number> = {};
      let isOpen = true;
      const callers = Array.from({ length: callersAtOnce }, async (_, caller) => {
        const payer = payers[caller % payers.length] as Payer;
        while (isOpen) {
          const debit = debitOf(payer, PRICE);
          const { accountId, requestId } = debit;
          const sinceMs = performance.now();
          try {
            const { ok } = await ledger.post(debit);
            const atMs = performance.now();
            if (ok) charges.push({ accountId, requestId, atMs, tookMs: atMs - sinceMs });
          } catch (error) {
            doubtful.add(requestId);
            const { name } = error as Error;
            failed[name] = (failed[name] ?? 0) + 1;
            await sleep(10);
          }
        }
      });
      return {
        charges,
        async end() {
          isOpen = false;
          await Promise.all(callers);
          return { charges, doubtful, failed };
        },
      };
    }

    /** Checks that every reported charge is there once, and that all others are in doubt or from before. */
    async function expectBooks({ charges, doubtful }: Pick<LoadResult, 'charges' | 'doubtful'>): Promise<void> {
      const rows = await sql<{ id: string }[]>`select request_id::text as id from debits`;
      const found = new Set(rows.map(({ id }) => id));
      expect(found.size).toBe(rows.length);
      expect(charges.filter(({ requestId }) => !found.has(requestId))).toEqual([]);
      for (const { requestId } of charges) known.add(requestId);
      for (const id of doubtful) known.add(id);
      expect(rows.filter(({ id }) => !known.has(id)).length).toBe(ACCOUNTS);
      expect((await ledger.check()).faults).toEqual([]);
    }
    const known = new Set<string>();

    /** The accounts of a worker. */
    async function accountsOn(port: number): Promise<ReadonlySet<string>> {
      const rows = await sql<{ id: string }[]>`
        select id::text from unnest(${payers.map(({ accountId }) => accountId)}::uuid[]) as id
          join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('wallets', id)
          join pg_dist_node n on n.groupid = p.groupid
        where n.nodeport = ${port}`;
      return new Set(rows.map(({ id }) => id));
    }

    async function moveOne(): Promise<void> {
      const [shard] = await sql<{ id: number; host: string; port: number; toHost: string; toPort: number }[]>`
      select s.shardid as id, s.nodename as host, s.nodeport as port, n.nodename as "toHost", n.nodeport as "toPort"
      from citus_shards s join pg_dist_node n on n.groupid <> 0 and n.nodeport <> s.nodeport
      where s.table_name = 'wallets'::regclass order by 1 limit 1`;
      if (shard === undefined) throw new Error('no shard to move');
      await sql`
      select citus_move_shard_placement(${shard.id}, ${shard.host}, ${shard.port}::int, ${shard.toHost}, ${shard.toPort}::int,
        'force_logical')`;
    }
  },
);
