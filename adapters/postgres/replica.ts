import { abortable, type Cancellable, cancelOnAbort } from '../../src/lib/abort.js';
import { withTimeout } from '../../src/lib/monotonic.js';
import type { AsOf } from '../../src/ports/ledger.js';
import { newestSchema, schemaOf } from './migrate.js';
import { isTimedOut, isTransient } from './retry.js';
import type { Sql } from './sql.js';

/** How long it is trusted to be as it was found. */
const LOOK_EVERY_MS = 5_000;
/** For saying how it is, at most: then the primary is asked. */
const LONGEST_LOOK_MS = 1_000;
/** The same while it is asked something: how often it has to say that it is there. */
const LOOK_MEANWHILE_MS = 1_000;
/** What it may be behind without a word: the service writes something every 5 s. */
const STALE_MS = 15_000;

/** What a replica was found to be. */
export interface ReplicaState {
  /** Null: it can be asked. */
  readonly why: string | null;
  /** Whether no time will change that: it has other data, or the login is refused. */
  readonly isWrong: boolean;
  /** What was committed until then is there. */
  readonly asOf: Date | null;
}

/** Nothing has the name, the login is refused, or there is no such database. */
const NO_WAY_IN = /^(?:ENOTFOUND|28\w{3}|3D000)$/;

/** Undone for the sake of replaying what the primary did: it does not mean that the replica is away. */
const CONFLICT = /^40/;

const unusable = (why: string, isWrong = false): ReplicaState => ({ why, isWrong, asOf: null });

export interface ReplicaOptions {
  readonly pool: Sql;
  /** Of one connection: how the replica is must not wait for what it is asked. */
  readonly looks: Sql;
  readonly primary: Sql;
}

/**
 * A streaming replica that queries about the past are asked of, while it is there: nothing else is known for certain to
 * be this database as it was at a moment that it can tell. It may be behind, and says so.
 */
export class Replica {
  readonly #options: ReplicaOptions;
  #identity: Promise<string> | undefined;
  #found: Promise<ReplicaState> | undefined;
  #lookedAt = 0;
  #why: string | null = null;
  #tell: (why: string | null) => void = () => {};
  /** Fires when it is found to be away: what still waits for it is asked of the primary. */
  #away = new AbortController();

  constructor(options: ReplicaOptions) {
    this.#options = options;
  }

  /** From now on: that it can't be asked any more, and why; null once it can again. */
  onChange(tell: (why: string | null) => void): void {
    this.#tell = tell;
  }

  /** How it was found, at most some seconds ago. */
  look(longestMs = LONGEST_LOOK_MS, trustedMs = LOOK_EVERY_MS): Promise<ReplicaState> {
    if (this.#found === undefined || performance.now() - this.#lookedAt >= trustedMs) {
      this.#lookedAt = performance.now();
      this.#found = this.#lookAgain(longestMs);
    }
    return this.#found;
  }

  /** Until when it has everything, if it is so far behind that somebody who reads what it says should know. */
  async staleAsOf(nowMs: number): Promise<Date | null> {
    const { asOf } = await this.look();
    return asOf !== null && nowMs - asOf.getTime() > STALE_MS ? asOf : null;
  }

  /** The rows of one statement. Undefined: to be asked of the primary. Throws what a primary would throw, too. */
  async run<Row>(
    statement: (sql: Sql) => Cancellable<readonly Row[]>,
    statementMs: number,
    signal: AbortSignal,
  ): Promise<AsOf<readonly Row[]> | undefined> {
    if ((await this.look()).why !== null) return undefined;
    const away = this.#away.signal;
    const ends = AbortSignal.any([signal, away]);
    // It may hang, even before it has begun: then no time limit of its own ends that.
    const watch = setInterval(() => void this.look(LONGEST_LOOK_MS, LOOK_MEANWHILE_MS), LOOK_MEANWHILE_MS);
    try {
      return await abortable(ends, this.#once(statement, statementMs, ends));
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (away.aborted) return undefined;
      if (!isTransient(error) || isTimedOut(error)) throw error;
      if (!CONFLICT.test(codeOf(error))) this.#lose(messageOf(error));
      return undefined;
    } finally {
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
    const asked = this.#ask().catch((error: unknown) => unusable(messageOf(error), NO_WAY_IN.test(codeOf(error))));
    const found = (await withTimeout(longestMs, asked)) ?? unusable('it does not answer');
    this.#note(found);
    return found;
  }

  async #ask(): Promise<ReplicaState> {
    const { looks, primary } = this.#options;
    this.#identity ??= identityOf(primary);
    // Asked again where it could not be known.
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
    if ((why === null) !== (this.#why === null)) this.#tell(why);
    this.#why = why;
  }
}

/** The same for a database and its streaming replicas, and for no other. */
async function identityOf(sql: Sql): Promise<string> {
  const [row] = await sql<{ identity: string }[]>`
    select system_identifier || ' ' || (select oid from pg_database where datname = current_database()) as identity
    from pg_control_system()`;
  return row?.identity ?? '';
}

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code);

const messageOf = (error: unknown): string => {
  const { message, code } = error as { message?: string; code?: string };
  return message || String(code);
};
