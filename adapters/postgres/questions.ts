import { type Cancellable, cancelledBy } from '../../src/core/cancelled-by.js';
import { ServiceError } from '../../src/core/errors.js';
import type { Sql } from './sql.js';

/** Connections of the pool that free questions have for themselves. */
export const QUESTION_CONNECTIONS = 4;

/** What free questions may take of a process. */
export interface QuestionLimits {
  /** Questions of one account at work at the same time, and behind them. */
  readonly perAccount: number;
  readonly waiting: number;
  /** Of all accounts, at work and waiting. */
  readonly inAll: number;
  /** Longest that a statement runs, milliseconds: its database ends it. */
  readonly statementMs: number;
  /** Longest that a question takes with all its waiting, milliseconds. */
  readonly totalMs: number;
}

const LIMITS: QuestionLimits = { perAccount: 2, waiting: 16, inAll: 200, statementMs: 3_000, totalMs: 10_000 };

/** Rows on their way, as a template of the pool gives them. */
type Pending<Row> = Cancellable<readonly Row[]>;

interface Account {
  atWork: number;
  readonly waiting: (() => void)[];
}

/**
 * Free questions about the past, in a pool of connections of their own: a customer's many or slow ones take nothing from paid
 * reads, and little from other customers' questions. A question is cancelled in the database when its caller leaves.
 */
export class Questions {
  readonly #pool: Sql;
  readonly #limits: QuestionLimits;
  readonly #accounts = new Map<string, Account>();
  #inAll = 0;

  constructor(pool: Sql, limits: Partial<QuestionLimits> = {}) {
    this.#pool = pool;
    this.#limits = { ...LIMITS, ...limits };
  }

  /**
   * The rows of one statement. Throws `upstream_rate_limited` with the reason `questions` at once when the account has too many
   * at work and waiting, `upstream_error` with the reason `question_time` when it takes too long, and the signal's reason when
   * that fires.
   */
  async ask<Row>(
    accountId: string,
    statement: (sql: Sql) => Pending<Row>,
    signal: AbortSignal = NEVER,
  ): Promise<readonly Row[]> {
    signal.throwIfAborted();
    const account = this.#enter(accountId);
    const ends = AbortSignal.any([signal, AbortSignal.timeout(this.#limits.totalMs)]);
    try {
      await this.#turn(account, ends);
      try {
        return await until(ends, this.#run(statement, ends));
      } finally {
        account.atWork -= 1;
        account.waiting.shift()?.();
      }
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (ends.aborted || isCancelled(error)) throw this.#tooLong();
      throw error;
    } finally {
      this.#inAll -= 1;
      if (account.atWork === 0 && account.waiting.length === 0) this.#accounts.delete(accountId);
    }
  }

  #enter(accountId: string): Account {
    const { perAccount, waiting, inAll } = this.#limits;
    const account = this.#accounts.get(accountId) ?? { atWork: 0, waiting: [] };
    if (account.atWork >= perAccount && account.waiting.length >= waiting) {
      throw refused(
        `This account has ${perAccount} history queries running and ${waiting} waiting, the maximum. Try again when one has finished; nothing was charged.`,
      );
    }
    if (this.#inAll >= inAll) {
      throw refused(`${inAll} history queries are running, the maximum. Try again in a moment.`);
    }
    this.#inAll += 1;
    this.#accounts.set(accountId, account);
    return account;
  }

  /** Resolves when the account has a place; whoever leaves before gives its turn away. */
  async #turn(account: Account, signal: AbortSignal): Promise<void> {
    while (account.atWork >= this.#limits.perAccount) {
      await new Promise<void>((resolve, reject) => {
        const leave = (): void => {
          account.waiting.splice(account.waiting.indexOf(go), 1);
          reject(signal.reason);
        };
        const go = (): void => {
          signal.removeEventListener('abort', leave);
          resolve();
        };
        account.waiting.push(go);
        signal.addEventListener('abort', leave, { once: true });
      });
    }
    account.atWork += 1;
  }

  /** Bounded by the database as well: this process may be gone when it is late. */
  async #run<Row>(statement: (sql: Sql) => Pending<Row>, signal: AbortSignal): Promise<readonly Row[]> {
    const once = () =>
      this.#pool.begin('read only', async (tx) => {
        signal.throwIfAborted();
        await tx`select set_config('statement_timeout', ${String(this.#limits.statementMs)}, true)`;
        return cancelledBy(statement(tx as unknown as Sql), signal);
      }) as Promise<readonly Row[]>;
    try {
      return await once();
    } catch (error) {
      // A cancel that was meant for the connection's statement before, and came late.
      if (signal.aborted || !isCancelled(error) || !/user request/.test(String(error))) throw error;
      return once();
    }
  }

  #tooLong(): ServiceError {
    const most = this.#limits.statementMs / 1000;
    const message = `This query took longer than ${most} s and was cancelled. Request fewer days or fewer groups; nothing was charged.`;
    return new ServiceError('upstream_error', message, { reason: 'question_time', retryAfter: 5 });
  }
}

const NEVER = new AbortController().signal;

const refused = (message: string): ServiceError =>
  new ServiceError('upstream_rate_limited', message, { reason: 'questions', retryAfter: 1 });

const isCancelled = (error: unknown): boolean => (error as { code?: unknown }).code === '57014';

/** As the work ends, or with the signal's reason as soon as that fires: the work may still wait for a connection. */
function until<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
