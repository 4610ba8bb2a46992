import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Sql } from '../../../adapters/postgres/sql.js';
import { openSecrets } from '../../../app/secrets.js';
import { type AccountOptions, type OpenAccount, openAccount } from '../../kit/open-account.js';
import type { Weather } from './network.js';
import type { Done, Order } from './service-process.js';

export type Mount = 'yoga' | 'mercurius';

export type Account = OpenAccount;

/** The service under attack, and what its operator may do to it. */
export interface Service {
  readonly url: string;
  readonly pid: number;
  readonly sql: Sql;
  account(options?: AccountOptions): Promise<Account>;
  /** Thousandths of a credit, as the database has it. */
  balance(account: Account): Promise<number>;
  become(weather: Weather): Promise<void>;
  remove(tweetId: string): Promise<void>;
  /** What it keeps, garbage collected; NaN when it does not answer any more. */
  keptMb(): Promise<number>;
  /** Kills it, as an operator must when it hangs, and starts it anew: `url` and `pid` are new. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

const PROCESS = fileURLToPath(new URL('service-process.ts', import.meta.url));
const START_MS = 90_000;
const ORDER_MS = 5000;
/** Nothing that is cached ends while attacks are on. */
const CACHED_FOR_A_DAY = Object.fromEntries(
  ['PROFILE', 'TWEET', 'FIRST_PAGE', 'DEEPER_PAGE', 'FOLLOWERS'].map((name) => [`PERCH_TTL_${name}_S`, '86400']),
);

/** Over a migrated database. `sql` stays open when the service is closed. */
export async function startService(database: { sql: Sql; url: string }, mount: Mount): Promise<Service> {
  const { sql, url: databaseUrl } = database;
  const home = await mkdtemp(join(tmpdir(), 'perch-hostile-'));
  const secret = randomBytes(32).toString('hex');
  const secrets = await openSecrets(home, secret);
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    PORT: '0',
    PERCH_HOME: home,
    PERCH_SECRET: secret,
    PERCH_DEMO: 'off',
    DATABASE_URL: databaseUrl,
    NODE_ENV: 'production',
    LOG_LEVEL: process.env.PERCH_TEST_LOG ?? 'silent',
    ...CACHED_FOR_A_DAY,
  };
  let running = await startProcess(mount, env);
  let orders = 0;
  const order = (what: Omit<Order, 'id'>): Promise<number> => {
    orders += 1;
    return ordered(running.child, { id: orders, ...what });
  };
  return {
    get url() {
      return running.url;
    },
    get pid() {
      return running.child.pid ?? 0;
    },
    sql,
    account: (options) => openAccount(sql, secrets, options),
    async balance({ walletId }) {
      const [row] = await sql<{ balance: number }[]>`
        select balance_thousandths as balance from wallets where wallet_id = ${walletId}`;
      return Number(row?.balance);
    },
    become: async (weather) => void (await order({ become: weather })),
    remove: async (tweetId) => void (await order({ remove: tweetId })),
    keptMb: () => order({ measure: true }),
    async restart() {
      await end(running.child);
      running = await startProcess(mount, env);
    },
    async close() {
      await end(running.child);
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function startProcess(mount: Mount, env: NodeJS.ProcessEnv): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(PROCESS, [mount], {
    execArgv: ['--import', 'tsx', '--expose-gc'],
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const signal = AbortSignal.timeout(START_MS);
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`the service ended with ${code} before it listened`);
  });
  const told = once(child, 'message', { signal }).then(([message]) => (message as { url: string }).url);
  return { child, url: await Promise.race([told, ended]) };
}

/** Does not wait for a process that hangs: what it keeps is NaN then. */
function ordered(child: ChildProcess, order: Order): Promise<number> {
  return new Promise((resolve) => {
    const finish = (keptMb: number): void => {
      clearTimeout(timer);
      child.off('message', heard);
      resolve(keptMb);
    };
    const heard = (done: Done): void => {
      if (done.id === order.id) finish(done.keptMb ?? Number.NaN);
    };
    const timer = setTimeout(finish, ORDER_MS, Number.NaN);
    child.on('message', heard);
    if (child.connected) child.send(order);
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

const HIT = 500;

/**
 * A past of so many paid reads, over the last thirty days, as the ledger would have them: entries, wallet and key agree. One
 * insert, which whatever is summed up by the database sees like any other.
 */
export async function spendMany(
  sql: Sql,
  { accountId, keyId }: Account,
  charges: number,
  operations = 20,
): Promise<void> {
  const line = JSON.stringify([{ path: 'data', unit: 'profile', cache: 'hit', items: 1, unitPrice: HIT }]);
  await sql.begin(async (sql) => {
    const [wallet] = await sql<{ wallet_id: string; last_seq: number; balance: number }[]>`
      select wallet_id, last_seq, balance_thousandths as balance from wallets where account_id = ${accountId} for update`;
    const [seq, balance] = [Number(wallet?.last_seq), Number(wallet?.balance) + charges * HIT];
    await sql`
      insert into older_entries (account_id, wallet_id, seq, request_id, kind, amount_thousandths, balance_after, reason, at)
      values (${accountId}, ${wallet?.wallet_id ?? ''}, ${seq + 1}, gen_random_uuid(), 'grant', ${charges * HIT}, ${balance},
        'test', now() - interval '31 days')`;
    await sql`
      insert into older_entries (account_id, wallet_id, seq, request_id, kind, amount_thousandths, balance_after, key_id,
        operation, items, cache_hits, lines, at)
      select ${accountId}, ${wallet?.wallet_id ?? ''}, ${seq + 1} + n, gen_random_uuid(), 'debit', ${HIT}::bigint,
        ${balance}::bigint - n * ${HIT}, ${keyId}, 'operation' || n % ${operations}::int, 1, 1, ${line}::text::jsonb,
        now() - interval '30 days' * (1 - n::float / ${charges})
      from generate_series(1, ${charges}::int) as n`;
    await sql`
      update wallets set last_seq = ${seq + 1 + charges}, balance_thousandths = ${balance - charges * HIT}
      where account_id = ${accountId}`;
    await sql`
      update keys set spent_thousandths = spent_thousandths + ${charges * HIT},
        counted_thousandths = spent_thousandths + ${charges * HIT} where key_id = ${keyId}`;
  });
  await sql`analyze older_entries`;
}
