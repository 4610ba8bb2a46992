import type { Thousandths } from '../domain/credits.js';
import { utcDay } from '../lib/durations.js';

export interface LiveLimits {
  /** For everything that is followed; null: as much as the caller has. */
  readonly inAll?: Thousandths | null;
  /** For each UTC day; null: no limit of its own. */
  readonly perDay?: Thousandths | null;
  /** What was already spent on a UTC day. */
  readonly spent?: { readonly day: string; readonly amount: Thousandths } | null;
}

/** What a stream or a watch may still spend, shared by all lists that it follows. */
export class LiveBudget {
  readonly #perDay: Thousandths | null;
  #inAll: Thousandths | null;
  #day: string;
  #spentThatDay: Thousandths;

  constructor({ inAll = null, perDay = null, spent = null }: LiveLimits = {}) {
    this.#inAll = inAll;
    this.#perDay = perDay;
    this.#day = spent?.day ?? '';
    this.#spentThatDay = spent?.amount ?? 0;
  }

  /** Null: no limit of its own. */
  left(nowMs: number): Thousandths | null {
    const today = this.#perDay === null ? null : Math.max(0, this.#perDay - this.#spentOn(utcDay(nowMs)));
    if (today === null || this.#inAll === null) return today ?? this.#inAll;
    return Math.min(today, this.#inAll);
  }

  spend(amount: Thousandths, nowMs: number): void {
    if (this.#inAll !== null) this.#inAll -= amount;
    const day = utcDay(nowMs);
    this.#spentThatDay = this.#spentOn(day) + amount;
    this.#day = day;
  }

  #spentOn(day: string): Thousandths {
    return day === this.#day ? this.#spentThatDay : 0;
  }
}
