import { type Thousandths, toCredits } from '../domain/credits.js';
import { counted, figure, formatCredits } from '../domain/figures.js';
import { itemPrice, type Unit } from '../domain/prices.js';
import { utcDay } from '../lib/durations.js';
import { withTimeout } from '../lib/monotonic.js';
import type { AlertStore } from '../ports/alerts.js';
import type { Clock } from '../ports/clock.js';
import type { NoticePercent, Notices, WalletLevel } from '../ports/deliveries.js';
import type { Message } from '../ports/mail.js';
import { alertNotices, pendingCrossing } from './alert-levels.js';
import type { Deliveries } from './deliveries.js';
import { asDelivery } from './mail-delivery.js';

/** `level.balance` is what is left; `topUpAt` is the address of the page where credits are bought. */
export function lowBalanceMail(level: WalletLevel, percent: NoticePercent, topUpAt: string): Message {
  const { email, balance, full } = level;
  return {
    to: email,
    subject: balance === 0 ? 'You have run out of Perch credits' : `Perch: ${formatCredits(balance)} left`,
    text: [
      balance === 0
        ? 'Your Perch wallet is empty: paid requests are refused until you top it up.'
        : `Your Perch wallet is down to ${formatCredits(balance)}: ${percent}% or less of the ${figure(toCredits(full))} it had after the last top-up.`,
      ...(balance === 0 ? [] : ['', buys(balance)]),
      '',
      'Top it up here:',
      topUpAt,
      '',
      'You get this message once at 50%, 20% and 5% after each top-up.',
      '',
    ].join('\n'),
  };
}

function buys(balance: Thousandths): string {
  const most = (unit: Unit): number => Math.floor(balance / itemPrice(unit, 'miss'));
  const [tweets, followers] = [most('tweet'), most('edge_profile')];
  if (followers === 0) return 'That is less than one tweet or profile costs.';
  const fromList = `${counted(followers, 'profile')} from a follower list`;
  if (tweets === 0) return `That buys ${fromList}.`;
  return `That buys ${counted(tweets, 'tweet or profile', 'tweets or profiles')}, or ${fromList}.`;
}

const PERCENTS: readonly NoticePercent[] = [5, 20, 50];

/** Most accounts remembered between two runs; further ones are remembered when they spend again. */
const MOST_ACCOUNTS = 10_000;
const AT_ONCE = 1000;

const EVERY_MS = 30_000;
/** How long a charge may have been on its way when it is noted: it counts towards the day on which it was recorded. */
const LATE_MS = 60_000;
/** How long a stop waits for the last notices. */
const CLOSE_MS = 5000;

export interface SpendingWatchOptions {
  readonly notices: Notices;
  readonly alerts: Pick<AlertStore, 'levels' | 'claim'>;
  readonly deliveries: Pick<Deliveries, 'run'>;
  readonly clock: Clock;
  /** Whether there is a mail server. Without one, notices are sent only by webhook. */
  readonly mail: boolean;
  /** The address of the dashboard, known once the service listens. */
  readonly authUrl: () => string;
  /** Called with the error if a lookup failed; reported to the operator. */
  readonly onFailure: (error: unknown) => void;
  /** Milliseconds between two runs; by default 30 seconds. */
  readonly everyMs?: number;
}

/**
 * Watches the accounts that spend on this node, or lose credits to a refund or dispute that it settles: mails their
 * owners when credits run low, once at 50, 20 and 5 % after each top-up, and raises the alerts that they have set. Each
 * notice is sent once over all nodes.
 */
export class SpendingWatch {
  readonly #options: SpendingWatchOptions;
  readonly #timer: NodeJS.Timeout;
  /** With the time since when each has not been looked at, Unix milliseconds. */
  #spenders = new Map<string, number>();
  /** The first run also checks recent spenders, because a killed process may have left some unchecked. */
  #isFirst = true;
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(options: SpendingWatchOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.run(), options.everyMs ?? EVERY_MS).unref();
  }

  /** Call for each paid request, and when credits were taken back; costs nothing. */
  spent(accountId: string): void {
    if (!this.#spenders.has(accountId)) this.#add(accountId, this.#options.clock.now());
  }

  #add(accountId: string, at: number): void {
    const known = this.#spenders.get(accountId);
    if (known === undefined && this.#spenders.size >= MOST_ACCOUNTS) return;
    this.#spenders.set(accountId, Math.min(at, known ?? at));
  }

  /**
   * Looks at every account that spent since the last run, and delivers what is due. Never rejects; during a run,
   * returns the same promise.
   */
  run(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** One last run, for accounts that spent since the one before. Resolves after 5 seconds at the latest. */
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
    if (this.#isFirst) await this.#remember();
    const spenders = [...this.#spenders];
    this.#spenders = new Map();
    for (let start = 0; start < spenders.length; start += AT_ONCE) {
      await this.#look(spenders.slice(start, start + AT_ONCE));
    }
    await this.#options.deliveries.run();
  }

  async #remember(): Promise<void> {
    const { notices, onFailure } = this.#options;
    try {
      for (const accountId of await notices.recentSpenders(MOST_ACCOUNTS)) this.spent(accountId);
      this.#isFirst = false;
    } catch (error) {
      onFailure(error);
    }
  }

  async #look(spenders: readonly (readonly [accountId: string, at: number])[]): Promise<void> {
    if (this.#closed) return;
    try {
      const accountIds = spenders.map(([accountId]) => accountId);
      if (this.#options.mail) await this.#notify(accountIds);
      const today = utcDay(this.#options.clock.now());
      // What was spent shortly before midnight may have crossed a limit of the day that has ended.
      const dayOf = ([, at]: readonly [string, number]): string => utcDay(at - LATE_MS);
      for (const day of new Set(spenders.map(dayOf).sort())) {
        if (day >= today) continue;
        const ofDay = spenders.filter((spender) => dayOf(spender) === day);
        await this.#raise(
          ofDay.map(([accountId]) => accountId),
          day,
        );
      }
      await this.#raise(accountIds, today);
    } catch (error) {
      this.#options.onFailure(error);
      // Tries all of them again. Notices already sent are not repeated: the store records them.
      for (const [accountId, at] of spenders) this.#add(accountId, at);
    }
  }

  async #notify(accountIds: readonly string[]): Promise<void> {
    const { notices, authUrl, clock } = this.#options;
    for (const level of await notices.levels(accountIds)) {
      const reached = PERCENTS.filter((percent) => isBelow(level, percent));
      const [lowest] = reached;
      if (lowest === undefined || (level.notified !== null && level.notified <= lowest)) continue;
      const message = lowBalanceMail(level, lowest, `${authUrl()}/dashboard/credits`);
      await notices.claim(level, reached, asDelivery(message, clock.now()));
    }
  }

  async #raise(accountIds: readonly string[], day: string): Promise<void> {
    const { alerts, authUrl, clock, mail } = this.#options;
    const nowMs = clock.now();
    for (const level of await alerts.levels(accountIds, day)) {
      const crossing = pendingCrossing(level, day);
      if (crossing === null) continue;
      const context = { nowMs, day, dashboard: `${authUrl()}/dashboard`, mail };
      await alerts.claim(level, crossing, nowMs, alertNotices(level, context));
    }
  }
}

const isBelow = ({ balance, full }: WalletLevel, percent: NoticePercent): boolean => balance * 100 <= full * percent;
