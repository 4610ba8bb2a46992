import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import type { Sql } from '../../../adapters/postgres/sql.js';
import { openSecrets } from '../../../app/secrets.js';
import { type AccountOptions, type OpenAccount, openAccount } from '../../kit/open-account.js';
import { addPastDebits } from '../../kit/postgres/past-debits.js';
import type { Weather } from './network.js';
import type { Done, Order } from './service-process.js';

export type Mount = 'yoga' | 'mercurius';

export type Account = OpenAccount;

/** The service under attack, and what its operator can do to it. */
export interface Service {
  readonly url: string;
  readonly pid: number;
  readonly sql: Sql;
  account(options?: AccountOptions): Promise<Account>;
  /** Thousandths of a credit, from the database. */
  balance(account: Account): Promise<number>;
  become(weather: Weather): Promise<void>;
  remove(tweetId: string): Promise<void>;
  /** The memory it keeps, after collecting garbage until that is little enough; NaN if it no longer answers. */
  keptMb(enoughMb?: number): Promise<number>;
  /** Kills it, as an operator must if it hangs, and starts it again with a new `url` and `pid`. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

const PROCESS = fileURLToPath(new URL('service-process.ts', import.meta.url));
const START_MS = 90_000;
const ORDER_MS = 5000;
/** Nothing cached expires during attacks. */
const CACHED_FOR_A_DAY = Object.fromEntries(
  ['PROFILE', 'TWEET', 'FIRST_PAGE', 'DEEPER_PAGE', 'FOLLOWERS'].map((name) => [`PERCH_TTL_${name}_S`, '86400']),
);

/** Starts it over a migrated database. `sql` stays open after the service is closed. */
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
    keptMb: (enoughMb = 0) => order({ measure: { enoughMb } }),
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
  const listening = once(child, 'message', { signal }).then(([message]) => (message as { url: string }).url);
  return { child, url: await Promise.race([listening, ended]) };
}

/** Does not wait for a hung process, whose memory is then NaN. */
function ordered(child: ChildProcess, order: Order): Promise<number> {
  return new Promise((resolve) => {
    const finish = (keptMb: number): void => {
      clearTimeout(timer);
      child.off('message', onMessage);
      resolve(keptMb);
    };
    const onMessage = (done: Done): void => {
      if (done.id === order.id) finish(done.keptMb ?? Number.NaN);
    };
    const timer = setTimeout(finish, ORDER_MS, Number.NaN);
    child.on('message', onMessage);
    if (child.connected) child.send(order);
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

const HIT = 500;

/** Writes this many paid reads over the last thirty days, after granting the account the credits for them. */
export async function spendMany(sql: Sql, account: Account, charges: number, operations = 20): Promise<void> {
  const { accountId } = account;
  await createLedger(sql).grant({ requestId: randomUUID(), accountId, amount: charges * HIT, reason: 'test' });
  await addPastDebits(sql, account, { count: charges, days: 30, amount: HIT, operations });
  await sql`analyze debits`;
}
