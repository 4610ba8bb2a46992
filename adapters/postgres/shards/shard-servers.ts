import { addressOf } from '../../../src/lib/database-address.js';
import { mayHaveCommitted } from '../retry.js';
import type { Sql, Target } from '../sql.js';
import { FIRST } from './table-servers.js';

/** How long a lookup of placements is trusted, and how long a failed worker gets no statements. */
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
 * Sends statements straight to the worker that holds their shard, which saves the coordinator work; or to the
 * coordinator, while that worker cannot be used. The result is the same: a worker that no longer holds a shard forwards
 * its statements.
 */
export class ShardServers {
  readonly #options: ShardServersOptions;
  readonly #pools = new Map<string, Sql>();
  /** The host of each shard, as `hostsOfShards` found them. */
  #hosts: readonly (string | null)[] = [];
  readonly #usable = new Set<string>();
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;
  #isEnded = false;

  constructor(options: ShardServersOptions) {
    this.#options = options;
  }

  /**
   * Runs a statement on the server of a shard. If that fails, and is known to have done nothing, on the coordinator.
   */
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

  /**
   * Finds out where shards are, and which of their servers can be asked. Checks identities: a replaced server may
   * answer.
   */
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
    if ((await whyUnusable(this.#options.looks, pool, host)) === null) this.#usable.add(host);
  }
}

/**
 * Errors of the statement itself, which it would have on every server: its data, conflicts with others, or its time.
 */
const OF_STATEMENT = /^(?:2[23]|40|55P03|57014|P0)/;

/** Errors without a code come from this process. */
const isOfStatement = (error: unknown): boolean => {
  const { code } = error as { code?: unknown };
  return typeof code !== 'string' || OF_STATEMENT.test(code);
};

/**
 * The address of the same database on another server, by its host and port, with the same login and TLS. An embedded
 * server has no others.
 */
export function serverAt(target: Target, at: string): Target {
  if (!('url' in target)) return target;
  const colon = at.lastIndexOf(':');
  const [host, port] = [at.slice(0, colon), at.slice(colon + 1)];
  return { url: addressOf(target.url, `${host.includes(':') ? `[${host}]` : host}:${port}`) };
}

/**
 * The host of each shard, in the order of their ranges; null: it is on the coordinator, in several places, or on no
 * worker that is ready.
 */
async function hostsOfShards(sql: Sql): Promise<(string | null)[]> {
  const rows = await sql<{ host: string | null }[]>`
    select case when count(*) = 1 then min(n.nodename || ':' || n.nodeport) end as host
    from pg_dist_shard s join pg_dist_placement p using (shardid)
      left join pg_dist_node n on n.groupid = p.groupid and n.groupid <> 0 and n.noderole = 'primary' and n.isactive
        and n.hasmetadata and n.metadatasynced
    where s.logicalrelid = ${FIRST}::text::regclass group by shardid, shardmaxvalue order by shardmaxvalue::int`;
  return rows.map(({ host }) => host);
}

/** Identifies a server until it restarts: all its connections give the same, and no other server or copy of it does. */
const IDENTITY = `select concat(system_identifier, ' ', extract(epoch from pg_postmaster_start_time())) as identity
  from pg_control_system()`;

/**
 * Why a server of shards can't be asked directly; null: it can. From here, the coordinator's name for it may lead to
 * another server, or nowhere.
 */
export async function whyUnusable(coordinator: Sql, server: Sql, host: string): Promise<string | null> {
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
