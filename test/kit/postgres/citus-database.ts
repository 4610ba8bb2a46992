import { randomBytes } from 'node:crypto';
import { migrate } from '../../../adapters/postgres/migrate.js';
import { DISTRIBUTING, distribute } from '../../../adapters/postgres/shards/distribute.js';
import { ShardServers, serverAt } from '../../../adapters/postgres/shards/shard-servers.js';
import { connect, type Sql, type Target } from '../../../adapters/postgres/sql.js';
import { databaseOf } from '../global-setup.js';
import type { FreshDatabase } from './database.js';

/** A database on a coordinator with workers and the extension. Tests make databases of their own next to it. */
export const CITUS_URL = process.env.TEST_CITUS_URL;

/**
 * Gives every test a distributed database instead of one on the run's own server. Run by hand, on tests meant for it.
 */
export const IS_ON_CITUS = Boolean(process.env.TEST_ON_CITUS);

/** A database on the coordinator of TEST_CITUS_URL and all its workers. */
export interface FreshCitus extends FreshDatabase {
  /** The addresses of this database on the workers. */
  readonly workers: readonly string[];
}

interface Node {
  readonly host: string;
  readonly port: number;
}

/** A migrated, empty database. It is distributed unless `isLeft` leaves that to the test. */
export async function freshCitus({ shards = 4, isLeft = false, max = 8 } = {}): Promise<FreshCitus> {
  const url = CITUS_URL ?? '';
  const name = `perch_citus_${randomBytes(5).toString('hex')}`;
  const nodes = await withAdmin(url, (admin) => nodesOf(admin, url));
  const addresses = nodes.map((node) => addressOf(url, node));
  for (const address of addresses) {
    await withAdmin(address, (admin) => admin`create database ${admin(name)}`);
    await withAdmin(urlOf(address, name), (admin) => admin`create extension citus`);
  }
  const target = { url: urlOf(url, name) };
  const [coordinator, ...workers] = nodes;
  await withAdmin(target.url, async (admin) => {
    await admin`select citus_set_coordinator_host(${coordinator?.host ?? ''}, ${coordinator?.port ?? 0}::int)`;
    for (const { host, port } of workers) await admin`select citus_add_node(${host}, ${port}::int)`;
    await migrate(admin);
  });
  if (!isLeft) {
    const two = connect(target, { max: 2, name: DISTRIBUTING });
    await distribute(two, { shards, onProgress: () => {} }).finally(() => two.end());
  }
  const sql = connect(target, { max });
  return {
    sql,
    target,
    workers: addresses.slice(1).map((address) => urlOf(address, name)),
    async drop() {
      await sql.end({ timeout: 1 });
      for (const address of addresses)
        await withAdmin(address, (admin) => admin`drop database if exists ${admin(name)} with (force)`);
    },
  };
}

/** The workers, each with a pool of its own, from which its shards are read directly. */
export function serversOf(target: Target, coordinator: Sql, max: number, looks = coordinator): ShardServers {
  return new ShardServers({ coordinator, looks, open: (host) => connect(serverAt(target, host), { max }) });
}

/** All nodes, the coordinator first. */
async function nodesOf(admin: Sql, url: string): Promise<Node[]> {
  const workers = await admin<Node[]>`
    select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 order by nodeport`;
  const { hostname: host, port } = new URL(url);
  return [{ host, port: Number(port || 5432) }, ...workers];
}

function addressOf(url: string, { host, port }: Node): string {
  const address = new URL(url);
  address.hostname = host;
  address.port = String(port);
  return address.href;
}

function urlOf(url: string, database: string): string {
  const target = databaseOf({ url }, database);
  return 'url' in target ? target.url : '';
}

export async function withAdmin<T>(url: string, run: (admin: Sql) => Promise<T>): Promise<T> {
  const admin = connect({ url }, { max: 1, name: 'test' });
  try {
    return await run(admin);
  } finally {
    await admin.end();
  }
}
