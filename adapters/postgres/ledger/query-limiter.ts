import { ServiceError } from '../../../src/domain/errors.js';
import { counted } from '../../../src/domain/figures.js';
import { type Cancellable, cancelOnAbort, signalWithTimeout } from '../../../src/lib/abort.js';
import { FairShare, type HeldSlot } from '../../../src/lib/fair-share.js';
import type { AsOf } from '../../../src/ports/ledger.js';
import type { Replica } from '../replica.js';
import { errorCode, isHitByCancel } from '../retry.js';
import type { Sql } from '../sql.js';

/** Connections in the pool that is reserved for free queries. */
export const QUERY_CONNECTIONS = 4;

/** What free queries may use of a process. */
export interface QueryLimits {
  /** Concurrent queries of one account, and the most that wait behind them. */
  readonly perAccount: number;
  readonly waiting: number;
  /** Over all accounts, running and waiting: shared fairly, so that a new account always finds a slot. */
  readonly total: number;
  /** The longest that a statement runs, in milliseconds: its database ends it. */
  readonly statementMs: number;
  /** The longest that a query takes including all its waiting, in milliseconds. */
  readonly totalMs: number;
}

const LIMITS: QueryLimits = { perAccount: 2, waiting: 16, total: 200, statementMs: 3_000, totalMs: 10_000 };

/** Starts a query; returns its pending rows, as a template of the pool does. */
type Statement<Row> = (sql: Sql) => Cancellable<readonly Row[]>;

/** Whether a replica's answer is good enough. */
type IsEnough = (rows: readonly unknown[]) => boolean;

interface Account {
  atWork: number;
  /** Each function starts its query. */
  readonly waiting: (() => void)[];
}

/**
 * Free queries of past usage, in their own pool of connections: a customer's many or slow queries take nothing from
 * paid reads, and little from other customers' queries, because an account's second query starts only while a
 * connection is free. A query is cancelled in the database when its caller leaves, and keeps its slot until the
 * database has finished with it. Where there is a replica, it is asked first; the pool serves what the replica can't
 * answer.
 */
export class QueryLimiter {
  readonly #pool: Sql;
  readonly #replica: Replica | null;
  readonly #limits: QueryLimits;
  readonly #accounts = new Map<string, Account>();
  readonly #share: FairShare;
  /** Queries given to the pool, of all accounts. */
  #atWork = 0;

  constructor(pool: Sql, limits: Partial<QueryLimits> = {}, replica: Replica | null = null) {
    this.#pool = pool;
    this.#replica = replica;
    this.#limits = { ...LIMITS, ...limits };
    const { total, totalMs } = this.#limits;
    this.#share = new FairShare({ total, longestMs: totalMs, monotonic: performance });
  }

  /**
   * The rows of one statement. Throws `upstream_rate_limited` with the reason `questions` at once when the account has
   * too many running and waiting, `upstream_error` with the reason `question_time` when it takes too long, and the
   * signal's reason when that fires.
   */
  run<Row>(accountId: string, statement: Statement<Row>, signal?: AbortSignal): Promise<AsOf<readonly Row[]>> {
    return this.#admit(accountId, statement, signal);
  }

  /** The same for rows that are found by their id: asks the primary if the replica does not have them yet. */
  find<Row>(accountId: string, statement: Statement<Row>, signal?: AbortSignal): Promise<readonly Row[]> {
    return this.#admit(accountId, statement, signal, ({ length }) => length > 0);
  }

  async #admit<Row>(
    accountId: string,
    statement: Statement<Row>,
    signal: AbortSignal = NEVER,
    isEnough: IsEnough = () => true,
  ): Promise<AsOf<readonly Row[]>> {
    signal.throwIfAborted();
    const { account, slot } = this.#enter(accountId);
    const { signal: ends, end } = signalWithTimeout(signal, this.#limits.totalMs);
    try {
      await this.#turn(account, ends);
    } catch {
      end();
      slot.release();
      throw signal.aborted ? signal.reason : this.#late();
    }
    const work = this.#run(statement, ends, isEnough).finally(() => {
      end();
      slot.release();
      account.atWork -= 1;
      this.#atWork -= 1;
      this.#beginNext();
    });
    try {
      return await until(ends, work);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (ends.aborted) throw this.#late();
      throw isCancelled(error) ? this.#tooLong() : error;
    }
  }

  #enter(accountId: string): { account: Account; slot: HeldSlot } {
    const { perAccount, waiting, total } = this.#limits;
    const account = this.#accounts.get(accountId) ?? { atWork: 0, waiting: [] };
    const slot = account.waiting.length >= waiting ? null : this.#share.take(accountId);
    if (slot === null && this.#share.countOf(accountId) === 0) {
      throw refused(
        `${counted(total, ...QUERY)} can run or wait at a time, and that many do now. Try again in a moment; nothing was charged.`,
      );
    }
    if (slot === null) {
      throw refused(
        `This account has ${counted(account.atWork, ...QUERY)} running and ${account.waiting.length} waiting. The maximum is ${perAccount} and ${waiting}, and fewer while other accounts have queries. Try again when one has finished; nothing was charged.`,
      );
    }
    this.#accounts.set(accountId, account);
    return { account, slot };
  }

  /** Resolves when the account may start; a caller who leaves before that gives up the turn. */
  #turn(account: Account, signal: AbortSignal): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        account.waiting.splice(account.waiting.indexOf(begin), 1);
        reject(signal.reason);
        this.#beginNext();
      };
      const begin = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      account.waiting.push(begin);
      signal.addEventListener('abort', leave, { once: true });
      this.#beginNext();
    });
  }

  /**
   * Starts every query that may start now, and forgets accounts without any. An account that has just started one goes
   * behind the others.
   */
  #beginNext(): void {
    for (const [accountId, account] of [...this.#accounts]) {
      let hasBegun = false;
      while (this.#mayBegin(account)) {
        account.atWork += 1;
        this.#atWork += 1;
        account.waiting.shift()?.();
        hasBegun = true;
      }
      if (!hasBegun && account.atWork > 0) continue;
      if (hasBegun || account.waiting.length === 0) this.#accounts.delete(accountId);
      if (hasBegun) this.#accounts.set(accountId, account);
    }
  }

  #mayBegin({ atWork, waiting }: Account): boolean {
    if (waiting.length === 0) return false;
    return atWork === 0 || (atWork < this.#limits.perAccount && this.#atWork < QUERY_CONNECTIONS);
  }

  async #run<Row>(statement: Statement<Row>, signal: AbortSignal, isEnough: IsEnough): Promise<AsOf<readonly Row[]>> {
    const once = async (): Promise<AsOf<readonly Row[]>> => {
      const rows = await this.#replica?.run(statement, this.#limits.statementMs, signal);
      return rows !== undefined && isEnough(rows) ? rows : this.#onPrimary(statement, signal);
    };
    try {
      return await once();
    } catch (error) {
      if (signal.aborted || !isHitByCancel(error)) throw error;
      return once();
    }
  }

  /** The database enforces the time limit as well, because this process may be gone by then. */
  #onPrimary<Row>(statement: Statement<Row>, signal: AbortSignal): Promise<readonly Row[]> {
    return this.#pool.begin('read only', async (tx) => {
      signal.throwIfAborted();
      await tx`select set_config('statement_timeout', ${String(this.#limits.statementMs)}, true)`;
      return cancelOnAbort(statement(tx as unknown as Sql), signal);
    }) as Promise<readonly Row[]>;
  }

  #tooLong(): ServiceError {
    const most = this.#limits.statementMs / 1000;
    return timedOut(`This query took longer than ${most} s and was cancelled. Request fewer days or fewer groups`);
  }

  #late(): ServiceError {
    const most = this.#limits.totalMs / 1000;
    return timedOut(`This query did not finish within ${most} s, most of which it spent waiting for others. Try again`);
  }
}

const QUERY = ['history query', 'history queries'] as const;

const NEVER = new AbortController().signal;

const refused = (message: string): ServiceError =>
  new ServiceError('upstream_rate_limited', message, { reason: 'questions', retryAfter: 1 });

const timedOut = (message: string): ServiceError =>
  new ServiceError('upstream_error', `${message}; nothing was charged.`, { reason: 'question_time', retryAfter: 5 });

const isCancelled = (error: unknown): boolean => errorCode(error) === '57014';

/**
 * Settles as the work does, or rejects with the signal's reason as soon as that fires: the work may still be waiting
 * for a connection.
 */
function until<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
