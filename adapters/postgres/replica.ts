import { abortable, abortWith, type Cancellable, cancelOnAbort } from '../../src/lib/abort.js';
import { withTimeout } from '../../src/lib/monotonic.js';
import type { AsOf } from '../../src/ports/ledger.js';
import { newestSchema, schemaOf } from './migrate.js';
import { errorCode, isTimedOut, isTransient } from './retry.js';
import type { Sql } from './sql.js';

/** How long the replica's state is trusted before it is checked again. */
const LOOK_EVERY_MS = 5_000;
/** The longest that a check may take; after that the primary is asked instead. */
const LONGEST_LOOK_MS = 1_000;
/** How often the replica is checked while it runs a query. */
const LOOK_MEANWHILE_MS = 1_000;
/** How far it may lag before readers are told. An idle service still writes something every 5 s. */
const STALE_MS = 15_000;

/** The state of a replica when it was checked. */
export interface ReplicaState {
  /** Why it can't be asked; null: it can. */
  readonly why: string | null;
  /** Whether waiting will not help, because it has other data or refuses the login. */
  readonly isWrong: boolean;
  /** It has everything that was committed up to this time. */
  readonly asOf: Date | null;
}

/** The host name is unknown, the login is refused, or there is no such database. */
const NO_WAY_IN = /^(?:ENOTFOUND|28\w{3}|3D000)$/;

/** A query that was cancelled because it conflicted with replay: it does not mean that the replica is away. */
const CONFLICT = /^40/;

const unusable = (why: string, isWrong = false): ReplicaState => ({ why, isWrong, asOf: null });

export interface ReplicaOptions {
  readonly pool: Sql;
  /** A pool of one connection, so that checks of the replica do not wait behind its queries. */
  readonly looks: Sql;
  readonly primary: Sql;
}

/**
 * A streaming replica that answers queries about the past while it can be reached. It must be a streaming replica,
 * because only that is certain to be this database as it was at a known moment. It may lag, and its answers say by how
 * much.
 */
export class Replica {
  readonly #options: ReplicaOptions;
  #identity: Promise<string> | undefined;
  #found: Promise<ReplicaState> | undefined;
  #lookedAt = 0;
  #why: string | null = null;
  #listener: (why: string | null) => void = () => {};
  /** Fires when the replica is found to be away: queries that still wait for it go to the primary. */
  #away = new AbortController();

  constructor(options: ReplicaOptions) {
    this.#options = options;
  }

  /** Registers the listener for changes: `why` says why the replica can't be asked any more; null: it can again. */
  onChange(listener: (why: string | null) => void): void {
    this.#listener = listener;
  }

  /** The replica's state, at most a few seconds old. */
  look(longestMs = LONGEST_LOOK_MS, trustedMs = LOOK_EVERY_MS): Promise<ReplicaState> {
    if (this.#found === undefined || performance.now() - this.#lookedAt >= trustedMs) {
      this.#lookedAt = performance.now();
      this.#found = this.#lookAgain(longestMs);
    }
    return this.#found;
  }

  /** The time up to which it has everything, if it lags so far that readers should be told; otherwise null. */
  async staleAsOf(nowMs: number): Promise<Date | null> {
    const { asOf } = await this.look();
    return asOf !== null && nowMs - asOf.getTime() > STALE_MS ? asOf : null;
  }

  /** Whether the primary has committed something that it has not replayed. */
  async isBehind(): Promise<boolean> {
    const { looks, primary } = this.#options;
    const [written] = await primary<{ upTo: string }[]>`select pg_current_wal_flush_lsn()::text as "upTo"`;
    const [replayed] = await looks<{ isAll: boolean }[]>`
      select pg_last_wal_replay_lsn() >= ${written?.upTo ?? null}::pg_lsn as "isAll"`;
    return replayed?.isAll !== true;
  }

  /** The rows of one statement; undefined: ask the primary. Throws errors that a primary would throw, too. */
  async run<Row>(
    statement: (sql: Sql) => Cancellable<readonly Row[]>,
    statementMs: number,
    signal: AbortSignal,
  ): Promise<AsOf<readonly Row[]> | undefined> {
    if ((await this.look()).why !== null) return undefined;
    const away = this.#away.signal;
    const over = new AbortController();
    const ends = over.signal;
    const leave = [signal, away].map((source) => abortWith(over, source));
    // The replica may hang, even before the statement begins: then the statement's time limit does not end the wait.
    const watch = setInterval(() => void this.look(LONGEST_LOOK_MS, LOOK_MEANWHILE_MS), LOOK_MEANWHILE_MS);
    try {
      return await abortable(ends, this.#once(statement, statementMs, ends));
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (away.aborted) return undefined;
      if (!isTransient(error) || isTimedOut(error)) throw error;
      if (!CONFLICT.test(errorCode(error))) this.#lose(messageOf(error));
      return undefined;
    } finally {
      for (const end of leave) end();
      clearInterval(watch);
    }
  }

  #once<Row>(
    statement: (sql: Sql) => Cancellable<readonly Row[]>,
    statementMs: number,
    ends: AbortSignal,
  ): Promise<AsOf<readonly Row[]> | undefined> {
    return this.#options.pool.begin('read only', async (tx) => {
      ends.throwIfAborted();
      const [state] = await tx<{ isStandby: boolean; asOf: Date | null }[]>`
          select pg_is_in_recovery() as "isStandby", pg_last_xact_replay_timestamp() as "asOf",
            set_config('statement_timeout', ${String(statementMs)}, true)`;
      if (!state?.isStandby || state.asOf === null) return undefined;
      const rows = await cancelOnAbort(statement(tx as unknown as Sql), ends);
      return Object.assign([...rows], { asOf: state.asOf });
    }) as Promise<AsOf<readonly Row[]> | undefined>;
  }

  async #lookAgain(longestMs: number): Promise<ReplicaState> {
    const inspection = this.#inspect().catch((error: unknown) =>
      unusable(messageOf(error), NO_WAY_IN.test(errorCode(error))),
    );
    const found = (await withTimeout(longestMs, inspection)) ?? unusable('it does not answer');
    this.#note(found);
    return found;
  }

  async #inspect(): Promise<ReplicaState> {
    const { looks, primary } = this.#options;
    this.#identity ??= identityOf(primary);
    // Asked again the next time if it failed.
    this.#identity.catch(() => {
      this.#identity = undefined;
    });
    const [own, theirs] = [await this.#identity, await identityOf(looks)];
    if (own !== theirs) return unusable('it is not a replica of the database at DATABASE_URL', true);
    const { version, isStandby } = await schemaOf(looks);
    if (!isStandby) return unusable('it is a primary, not a standby');
    if (version === null || version < newestSchema()) return unusable(`it still has schema ${version ?? 0}`);
    const [row] = await looks<{ asOf: Date | null }[]>`select pg_last_xact_replay_timestamp() as "asOf"`;
    if (!row?.asOf) return unusable('it has replayed nothing since it started');
    return { why: null, isWrong: false, asOf: row.asOf };
  }

  #lose(why: string): void {
    const found = unusable(why);
    this.#lookedAt = performance.now();
    this.#found = Promise.resolve(found);
    this.#note(found);
  }

  #note({ why }: ReplicaState): void {
    if (why !== null) {
      this.#away.abort();
      this.#away = new AbortController();
    }
    if ((why === null) !== (this.#why === null)) this.#listener(why);
    this.#why = why;
  }
}

/** Identifies a database: its streaming replicas have the same identity, and no other database does. */
export async function identityOf(sql: Sql): Promise<string> {
  const [row] = await sql<{ identity: string }[]>`
    select system_identifier || ' ' || (select oid from pg_database where datname = current_database()) as identity
    from pg_control_system()`;
  return row?.identity ?? '';
}

const messageOf = (error: unknown): string => {
  const { message, code } = error as { message?: string; code?: string };
  return message || String(code);
};
