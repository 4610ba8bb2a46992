import { addressOf } from '../../../src/lib/database-address.js';
import { mayHaveCommitted } from '../retry.js';
import type { Sql, Target } from '../sql.js';
import { FIRST } from './table-servers.js';

/** How long a lookup of placements is trusted, and how long a worker that failed is left alone. */
const LOOK_EVERY_MS = 5_000;

export interface ShardServersOptions {
  /** Takes every statement, and forwards those for another server. */
  readonly coordinator: Sql;
  /** Another pool of the coordinator: a lookup of placements must not wait behind charges. */
  readonly looks: Sql;
  /** Opens a pool of another server, by its host and port. */
  readonly open: (host: string) => Sql;
}

/**
 * Sends statements straight to the worker that holds their shard, which spares the coordinator, or to the coordinator while that
 * worker cannot be used. The result does not depend on the choice: a worker that a shard has left forwards its statements.
 */
export class ShardServers {
  readonly #options: ShardServersOptions;
  readonly #pools = new Map<string, Sql>();
  /** Of each shard, as `hostsOfShards` found them. */
  #hosts: readonly (string | null)[] = [];
  readonly #usable = new Set<string>();
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;
  #isEnded = false;

  constructor(options: ShardServersOptions) {
    this.#options = options;
  }

  /** Runs a statement on the server of a shard, by its number; on the coordinator if it is known that the server did nothing. */
  async run<T>(shard: number, statement: (sql: Sql) => Promise<T>): Promise<T> {
    if (performance.now() - this.#lookedAtMs >= LOOK_EVERY_MS) void this.look();
    const { coordinator } = this.#options;
    const host = this.#hosts[shard] ?? null;
    const pool = host !== null && this.#usable.has(host) ? this.#pools.get(host) : undefined;
    if (host === null || pool === undefined) return statement(coordinator);
    try {
      return await statement(pool);
    } catch (error) {
      if (isOfStatement(error)) throw error;
      this.#usable.delete(host);
      if (mayHaveCommitted(error)) throw error;
      return statement(coordinator);
    }
  }

  /** Finds out where shards are, and which of their servers can be asked. A server that was replaced may still answer. */
  look(): Promise<void> {
    this.#looking ??= this.#lookAgain()
      .catch(() => {
        this.#hosts = [];
      })
      .finally(() => {
        this.#lookedAtMs = performance.now();
        this.#looking = undefined;
      });
    return this.#looking;
  }

  async end(options: { timeout: number }): Promise<void> {
    this.#isEnded = true;
    await Promise.all([...this.#pools.values()].map((pool) => pool.end(options)));
    await this.#looking;
  }

  async #lookAgain(): Promise<void> {
    this.#hosts = await hostsOfShards(this.#options.looks);
    await Promise.all([...new Set(this.#hosts)].map((host) => host !== null && this.#check(host)));
  }

  async #check(host: string): Promise<void> {
    if (this.#usable.has(host) || this.#isEnded) return;
    const pool = this.#pools.get(host) ?? this.#options.open(host);
    this.#pools.set(host, pool);
    if ((await whyNotAsked(this.#options.looks, pool, host)) === null) this.#usable.add(host);
  }
}

/** Errors of the statement itself, which it has on every server: of its data, of rows beside it, or of its time. */
const OF_STATEMENT = /^(?:2[23]|40|55P03|57014|P0)/;

/** Those without a code are of this process. */
const isOfStatement = (error: unknown): boolean => {
  const { code } = error as { code?: unknown };
  return typeof code !== 'string' || OF_STATEMENT.test(code);
};

/** The same database on another server, by its host and port, with the same login and TLS. No embedded server has others. */
export function serverAt(target: Target, at: string): Target {
  if (!('url' in target)) return target;
  const colon = at.lastIndexOf(':');
  const [host, port] = [at.slice(0, colon), at.slice(colon + 1)];
  return { url: addressOf(target.url, `${host.includes(':') ? `[${host}]` : host}:${port}`) };
}

/** Where each shard is, in the order of their ranges; null: on the coordinator, in several places, or on no worker that is ready. */
async function hostsOfShards(sql: Sql): Promise<(string | null)[]> {
  const rows = await sql<{ host: string | null }[]>`
    select case when count(*) = 1 then min(n.nodename || ':' || n.nodeport) end as host
    from pg_dist_shard s join pg_dist_placement p using (shardid)
      left join pg_dist_node n on n.groupid = p.groupid and n.groupid <> 0 and n.noderole = 'primary' and n.isactive
        and n.hasmetadata and n.metadatasynced
    where s.logicalrelid = ${FIRST}::text::regclass group by shardid, shardmaxvalue order by shardmaxvalue::int`;
  return rows.map(({ host }) => host);
}

/** The same for all connections to a server until it is started again, and for no other server, nor a copy of it. */
const IDENTITY = `select concat(system_identifier, ' ', extract(epoch from pg_postmaster_start_time())) as identity
  from pg_control_system()`;

/**
 * Why a server of shards can't be asked itself; null: it can. The coordinator's name for it may lead somewhere else from here, or
 * nowhere.
 */
export async function whyNotAsked(coordinator: Sql, server: Sql, host: string): Promise<string | null> {
  try {
    const [own] = await server.unsafe<{ identity: string }[]>(IDENTITY);
    const [theirs] = await coordinator<{ identity: string }[]>`
      select r.result as identity from pg_dist_node n, master_run_on_worker(
        array[n.nodename], array[n.nodeport], array[${IDENTITY}::text], false) r
      where n.nodename || ':' || n.nodeport = ${host}`;
    return own?.identity === theirs?.identity ? null : 'another server has that address';
  } catch (error) {
    const { message, code } = error as { message?: string; code?: string };
    return message || String(code);
  }
}
