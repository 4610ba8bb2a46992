import { randomBytes } from 'node:crypto';
import { openSecrets, type Secrets } from '../../../app/secrets.js';
import { Cli, type Started } from '../../cli/support/support.js';
import { type AccountOptions, type OpenAccount, openAccount } from '../../kit/open-account.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';
import type { Line } from '../../kit/postgres/line.js';
import { lineTo } from '../../kit/postgres/line-to.js';

export interface Node {
  readonly url: string;
  readonly started: Started;
}

/** Several processes of the service as on several machines: one Postgres, one Redis, one secret; folders of their own. */
export interface Fleet {
  readonly nodes: readonly Node[];
  readonly database: FreshDatabase;
  readonly secrets: Secrets;
  /** The line to Postgres. */
  readonly line: Line;
  account(options?: AccountOptions): Promise<OpenAccount>;
  cli(...args: readonly string[]): Promise<void>;
  /** The node of this index anew, on another port. */
  restart(index: number): Promise<Node>;
  /** Every invariant of the ledger, by the command that operators use. */
  ledgerCheck(): Promise<{ ok: boolean }>;
  close(): Promise<void>;
}

export interface FleetDatabase {
  readonly database: FreshDatabase;
  readonly line: Line;
  readonly url: string;
}

/** A fresh database, behind a line. */
export async function openOwnDatabase(): Promise<FleetDatabase> {
  const database = await freshDatabase();
  return { database, ...(await lineTo(database)) };
}

export interface FleetOptions {
  readonly nodes?: number;
  readonly redisUrl: string | null;
  readonly env?: Readonly<Record<string, string>>;
  /** Instead of a fresh database of this run's server: another one, and the address that nodes and commands get. */
  readonly openDatabase?: () => Promise<FleetDatabase>;
  /** Further settings of one node. */
  readonly envOf?: (index: number, url: string) => Readonly<Record<string, string>>;
  readonly prepare?: (database: FreshDatabase) => Promise<void>;
}

export async function openFleet(options: FleetOptions): Promise<Fleet> {
  const { redisUrl, prepare, nodes: count = 3 } = options;
  const { database, line, url } = await (options.openDatabase ?? openOwnDatabase)();
  await prepare?.(database);
  const secret = randomBytes(32).toString('hex');
  const env = {
    DATABASE_URL: url,
    PERCH_SECRET: secret,
    PERCH_DRAIN_MS: '0',
    PORT: '0',
    LOG_FORMAT: 'json',
    LOG_LEVEL: 'warn',
    ...(redisUrl !== null && { REDIS_URL: redisUrl }),
    ...options.env,
  };
  const folders = await Promise.all(Array.from({ length: count }, () => Cli.open()));

  const start = async (folder: Cli, index: number): Promise<Node> => {
    const started = folder.start(['serve'], { env: { ...env, ...options.envOf?.(index, url) } });
    await started.says('Ctrl-C stops it.');
    const [address = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(started.said.stdout) ?? [];
    return { url: address, started };
  };
  const nodes = await Promise.all(folders.map(start));
  const secrets = await openSecrets('', secret);

  async function json<T>(...args: readonly string[]): Promise<T> {
    const ran = await folders[0]?.start([...args, '--json'], { env }).end;
    if (ran?.code !== 0) throw new Error(`${args.join(' ')}: ${ran?.stderr}`);
    return JSON.parse(ran.stdout) as T;
  }

  return {
    nodes,
    database,
    secrets,
    line,
    account: (options) => openAccount(database.sql, secrets, { credits: 100_000, ...options }),
    async cli(...args) {
      const ran = await folders[0]?.start(args, { env }).end;
      if (ran?.code !== 0) throw new Error(`${args.join(' ')}: ${ran?.stderr}`);
    },
    async restart(index) {
      const folder = folders[index];
      if (folder === undefined) throw new Error(`There is no node ${index}.`);
      nodes[index] = await start(folder, index);
      return nodes[index];
    },
    ledgerCheck: () => json<{ ok: boolean }>('ledger', 'check'),
    async close() {
      for (const { started } of nodes) started.process.kill('SIGKILL');
      await Promise.all(nodes.map(({ started }) => started.end));
      await line.close();
      await Promise.all(folders.map((folder) => folder.close()));
      await database.drop();
    },
  };
}
