import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 } from 'uuid';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import { connect, type Sql } from '../../../adapters/postgres/sql.js';
import { openSecrets } from '../../../app/secrets.js';
import { hashKey, keyPrefix, mintKey } from '../../../src/access/key.js';
import type { Mount } from '../../interfaces/graphql/service.js';
import { freshDatabase } from '../../kit/postgres/database.js';
import { manualClock } from '../../kit/time/manual-clock.js';
import { World } from '../calls/world.js';
import { Gate } from './gate.js';
import { Receiver } from './live/receiver.js';
import { Processes } from './processes.js';

/** Credits. Small enough that a fresh page of fifty exceeds it. */
export const DEFAULT_BUDGET = 60;

/** Longer than anything is cached or remembered, tombstones included. */
const FORGET_MS = 15 * 3_600_000;

export interface TestAccount {
  readonly accountId: string;
  readonly walletId: string;
}

export interface TestKey {
  readonly key: string;
  readonly keyId: string;
  readonly accountId: string;
}

interface WatchRow {
  readonly state: 'active' | 'waiting' | 'paused' | 'ended';
  readonly reason: string | null;
  readonly number: number;
  readonly spent: number;
  readonly isHeld: boolean;
  readonly isDelivering: boolean;
}

/** One row of the ledger. */
export interface Row {
  readonly requestId: string;
  /** In thousandths. */
  readonly amount: number;
  readonly items: number;
  readonly keyId: string;
}

/**
 * A service over a network of plain data. All runs use it; each begins with an empty cache and accounts of its own. It
 * is a separate process, and its clock stands still until a test moves it.
 */
export type Bench = Awaited<ReturnType<typeof openBench>>;

export async function openBench(mount: Mount) {
  const clock = manualClock();
  const gate = new Gate(new World());
  const receiver = await Receiver.open();
  const database = await freshDatabase();
  // Its name tells this connection from those of the service.
  const sql = connect(database.target, { name: 'the books' });
  const secret = randomBytes(32).toString('hex');
  const { pepper } = await openSecrets('', secret);
  const accounts = createAccounts(sql);
  const ledger = createLedger(sql);
  const settings = {
    PORT: '0',
    PERCH_DEMO: 'off',
    PERCH_SECRET: secret,
    PERCH_MAX_OPERATION_CREDITS: String(DEFAULT_BUDGET),
    LOG_LEVEL: process.env.PERCH_TEST_LOG ?? 'fatal',
  };
  const processes = await Processes.open((question) => gate.answer(question));
  const start = () => processes.start({ mount, database: database.target, settings, nowMs: clock.now() });
  let service = await start();

  const advance = (ms: number): Promise<void> => {
    clock.advance(ms);
    return service.setTime(clock.now());
  };

  const minted = () => {
    const key = mintKey(randomBytes);
    return { key, hash: hashKey(key, pepper), prefix: keyPrefix(key) };
  };

  /**
   * Waits until every lookup knows of it (A9). These calls use up some of the rate limit, which is full again after a
   * second.
   */
  async function untilRefused(key: string): Promise<void> {
    for (;;) {
      const { status } = await fetch(`${service.url}/v1/me`, { headers: { 'x-api-key': key } });
      if (status === 401) return advance(1000);
    }
  }

  /** Whether the service has a session of this name at all, or one that waits for a lock. */
  async function hasSession(name: string, isWaiting: boolean): Promise<boolean> {
    const rows = await sql`
      select 1 from pg_stat_activity where datname = current_database() and application_name like ${name}
        and (not ${isWaiting} or wait_event_type = 'Lock')`;
    return rows.length > 0;
  }

  /** Holds a lock until released. `waited` resolves when such a session waits for the lock, or when `until` settles. */
  async function lockFor(name: string, take: (connection: Sql) => Promise<unknown>) {
    const connection = await sql.reserve();
    await connection`begin`;
    await take(connection);
    return {
      async waited(until: Promise<unknown>): Promise<void> {
        let isOver = false;
        const over = (): void => {
          isOver = true;
        };
        until.then(over, over);
        while (!isOver && !(await hasSession(name, true))) await sleep(1);
      },
      release(): void {
        void connection`rollback`.then(() => connection.release());
      },
    };
  }

  return {
    gate,
    receiver,
    get url() {
      return service.url;
    },
    now: clock.now,
    advance,
    async begin(): Promise<World> {
      await advance(FORGET_MS);
      gate.world = new World();
      gate.reset();
      // Removes what a failed run left.
      receiver.reset();
      await sql`update watches set state = 'ended', reason = null, due_at = null where state <> 'ended'`;
      return gate.world;
    },
    /** `meanwhile` is called after its death and before the next process starts, for instance to release a lock. */
    async kill(meanwhile: () => void = () => {}, restMs = 0): Promise<void> {
      await service.kill();
      meanwhile();
      // Once its sessions are gone, all it sent is done or never will be.
      while (await hasSession('perch%', false)) await sleep(1);
      clock.advance(restMs);
      service = await start();
    },
    async account({ credits, paidUsd }: { credits: number; paidUsd: number }): Promise<TestAccount> {
      const account = await accounts.create({ name: 'model', email: null, paidUsd, qpsOverride: null });
      const { accountId } = account;
      await ledger.grant({ requestId: v7(), accountId, amount: Math.round(credits * 1000), reason: 'model' });
      return account;
    },
    async addKey(accountId: string, cap: number | null): Promise<TestKey> {
      const { key, hash, prefix } = minted();
      const limit = cap === null ? null : ({ amount: cap, period: 'total' } as const);
      const { keyId } = await accounts.addKey({ accountId, hash, prefix, name: 'model', cap: limit });
      return { key, keyId, accountId };
    },
    async rotate(old: TestKey): Promise<TestKey> {
      const { key, hash, prefix } = minted();
      const { keyId } = await accounts.rotateKey(old, { hash, prefix, expiresAt: null }, null);
      await untilRefused(old.key);
      return { key, keyId, accountId: old.accountId };
    },
    async revoke(old: TestKey): Promise<void> {
      await accounts.revokeKey(old);
      await untilRefused(old.key);
    },
    async grant(accountId: string, thousandths: number): Promise<void> {
      await ledger.grant({ requestId: v7(), accountId, amount: thousandths, reason: 'model' });
    },
    /** In thousandths, from the database. */
    async balance({ walletId }: TestAccount): Promise<number> {
      const [row] = await sql<{ balance: string }[]>`
        select balance_thousandths as balance from wallets where wallet_id = ${walletId}`;
      return Number(row?.balance);
    },
    async debits({ accountId }: TestAccount): Promise<Row[]> {
      const rows = await sql<Row[]>`
        select request_id as "requestId", amount_thousandths as amount, items, key_id as "keyId" from ledger_entries
        where account_id = ${accountId} and kind = 'debit'`;
      return rows.map((row) => ({ ...row, amount: Number(row.amount), items: Number(row.items) }));
    },
    /** A watch's state, and its sums in thousandths. */
    async watch(watchId: string) {
      const [row] = await sql<WatchRow[]>`
        select state, reason, number::int, spent_thousandths::int as spent, holder is not null as "isHeld",
          exists (select from deliveries d where d.watch_id = w.watch_id and due_at is not null) as "isDelivering"
        from watches w where watch_id = ${watchId}`;
      if (row === undefined) throw new Error('There is no such watch.');
      return row;
    },
    /** Blocks every debit of the wallet until released. */
    lock: ({ walletId }: TestAccount) =>
      lockFor('perch settling', (tx) => tx`select 1 from wallets where wallet_id = ${walletId} for update`),
    /** Blocks the writing of deliveries until released. */
    lockDeliveries: () => lockFor('perch%', (tx) => tx`lock table deliveries in share mode`),
    async close(): Promise<void> {
      const { faults } = await ledger.check();
      await service.kill();
      await processes.close();
      await receiver.close();
      await sql.end();
      await database.drop();
      if (faults.length > 0) throw new Error(`The ledger is wrong: ${JSON.stringify(faults)}`);
    },
  };
}
