import { withTimeout } from '../core/with-timeout.js';
import type { Mail, Message } from '../ports/mail.js';
import type { NoticePercent, Notices, WalletLevel } from '../ports/notices.js';
import { lowBalanceMail } from './low-balance-mail.js';

const PERCENTS: readonly NoticePercent[] = [5, 20, 50];

/** Most accounts remembered between two runs; any others are noticed when they spend again. */
const MOST_ACCOUNTS = 10_000;
const AT_ONCE = 1000;

/** A mail that no server takes is retried at each run, at most this often, and at most this many wait. */
const MOST_TRIES = 20;
const MOST_WAITING = 1000;
/** After this many failures a server is not tried again until the next run. */
const MOST_FAILURES = 3;

const EVERY_MS = 30_000;
/** How long a stop waits for the last mails. */
const CLOSE_MS = 5000;

export interface LowBalanceOptions {
  readonly notices: Notices;
  readonly mail: Mail;
  /** The address of the dashboard, known once the service listens. */
  readonly authUrl: () => string;
  /** Called with a notice that could not be sent, or looked up: for the operator. */
  readonly onFailure: (error: unknown) => void;
  /** Milliseconds between two runs; by default 30 seconds. */
  readonly everyMs?: number;
}

/**
 * Notifies customers by mail when their credits run low: once at 50, 20 and 5 % after each top-up, over all nodes. Each
 * node checks the accounts that spent on it.
 */
export class LowBalance {
  readonly #options: LowBalanceOptions;
  readonly #timer: NodeJS.Timeout;
  #spenders = new Set<string>();
  #waiting: { message: Message; tries: number }[] = [];
  #failures = 0;
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(options: LowBalanceOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.run(), options.everyMs ?? EVERY_MS).unref();
  }

  /** Call for each paid request; costs nothing. */
  spent(accountId: string): void {
    if (this.#spenders.size < MOST_ACCOUNTS) this.#spenders.add(accountId);
  }

  /** Checks every account that spent since the last run. Never rejects; during a run, returns the same promise. */
  run(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /**
   * One last run, for accounts that spent since the one before; then no more mails. Resolves after 5 seconds at the
   * latest.
   */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await withTimeout(CLOSE_MS, this.#lastRun());
    this.#closed = true;
  }

  async #lastRun(): Promise<void> {
    await this.#running;
    if (!this.#closed) await this.run();
  }

  async #run(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#failures = 0;
    for (const { message, tries } of waiting) await this.#send(message, tries);
    const spenders = [...this.#spenders];
    this.#spenders = new Set();
    for (let start = 0; start < spenders.length; start += AT_ONCE) {
      await this.#tell(spenders.slice(start, start + AT_ONCE));
    }
  }

  async #tell(accountIds: readonly string[]): Promise<void> {
    const { notices, authUrl, onFailure } = this.#options;
    try {
      for (const level of await notices.levels(accountIds)) {
        const reached = PERCENTS.filter((percent) => isBelow(level, percent));
        const [lowest] = reached;
        if (this.#closed) return;
        if (lowest === undefined || (level.told !== null && level.told <= lowest)) continue;
        if (!(await notices.claim(level.accountId, level.topupSeq, reached))) continue;
        await this.#send(lowBalanceMail(level, lowest, `${authUrl()}/dashboard/credits`), 0);
      }
    } catch (error) {
      onFailure(error);
      // Notices already sent are not repeated: the store records them.
      for (const accountId of accountIds) this.spent(accountId);
    }
  }

  async #send(message: Message, tries: number): Promise<void> {
    if (this.#closed || this.#failures >= MOST_FAILURES) {
      // Ahead of mails that failed: one address that no server accepts must not hold up the others.
      if (this.#waiting.length < MOST_WAITING) this.#waiting.unshift({ message, tries });
      return;
    }
    try {
      await this.#options.mail.send(message);
    } catch (error) {
      this.#failures++;
      this.#options.onFailure(error);
      const again = tries + 1 < MOST_TRIES && this.#waiting.length < MOST_WAITING;
      if (again) this.#waiting.push({ message, tries: tries + 1 });
    }
  }
}

const isBelow = ({ balance, full }: WalletLevel, percent: NoticePercent): boolean => balance * 100 <= full * percent;
