import type { Thousandths } from '../domain/credits.js';
import { utcDay } from '../lib/durations.js';

/** What a stream has spent so far. */
export interface Spent {
  readonly inAll: Thousandths;
  /** The UTC day on which it last spent something: `2026-11-21`. */
  readonly day: string;
  readonly onDay: Thousandths;
}

export const NOTHING_SPENT: Spent = { inAll: 0, day: '', onDay: 0 };

const spentOn = (spent: Spent, day: string): Thousandths => (spent.day === day ? spent.onDay : 0);

export function spentMore(spent: Spent, amount: Thousandths, nowMs: number): Spent {
  if (amount === 0) return spent;
  const day = utcDay(nowMs);
  return { inAll: spent.inAll + amount, day, onDay: spentOn(spent, day) + amount };
}

export interface LiveLimits {
  /** For everything that is followed; null: as much as the caller has. */
  readonly inAll?: Thousandths | null;
  /** For each UTC day; null: no limit of its own. */
  readonly perDay?: Thousandths | null;
  /** What was already spent. */
  readonly spent?: Spent;
}

/** The part of a budget that a call in progress uses. */
export interface Share {
  readonly left: Thousandths;
  /** A negative amount takes a plan back. */
  readonly plan: (amount: Thousandths) => void;
  /** The call has ended, and was charged this. What it had planned beyond that is free again. */
  readonly close: (charged: Thousandths) => void;
}

/** What a stream or a watch may still spend, shared by all lists that it follows. */
export class LiveBudget {
  readonly #inAll: Thousandths | null;
  readonly #perDay: Thousandths | null;
  #spent: Spent;
  /** What calls in progress are about to spend. */
  #planned: Thousandths = 0;
  #freed = 0;
  #waiting: (() => void)[] = [];

  constructor({ inAll = null, perDay = null, spent = NOTHING_SPENT }: LiveLimits = {}) {
    this.#inAll = inAll;
    this.#perDay = perDay;
    this.#spent = spent;
  }

  /** Null: no limit of its own. */
  left(nowMs: number): Thousandths | null {
    const limits = [
      ...(this.#inAll === null ? [] : [this.#inAll - this.#spent.inAll]),
      ...(this.#perDay === null ? [] : [this.#perDay - spentOn(this.#spent, utcDay(nowMs))]),
    ];
    return limits.length === 0 ? null : Math.max(0, Math.min(...limits) - this.#planned);
  }

  spend(amount: Thousandths, nowMs: number): void {
    this.#spent = spentMore(this.#spent, amount, nowMs);
  }

  /** How often a call ended that had planned more than it was charged. */
  get freed(): number {
    return this.#freed;
  }

  /** For a call that begins now. Calls of several lists may run at the same time: none spends what another has planned. */
  open(now: () => number): Share {
    let own = 0;
    const left = (): Thousandths => this.left(now()) ?? Number.POSITIVE_INFINITY;
    return {
      get left() {
        return left();
      },
      plan: (amount) => {
        own += amount;
        this.#planned += amount;
      },
      close: (charged) => {
        if (own > charged) this.#freed += 1;
        this.#planned -= own;
        own = 0;
        this.spend(charged, now());
        for (const resume of this.#waiting.splice(0)) resume();
      },
    };
  }

  /** Resolves once a call has ended that had planned something; null if there is none. */
  untilFreed(): Promise<void> | null {
    return this.#planned === 0 ? null : new Promise((resolve) => this.#waiting.push(resolve));
  }
}
