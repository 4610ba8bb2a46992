import { dayOf, MINUTE_MS } from '../core/durations.js';
import type { Family } from '../core/model.js';
import type { FamilySums, StatusDay, Trouble } from '../core/status-history.js';
import type { Clock } from '../ports/clock.js';
import type { BadMinute, StatusHistory } from '../ports/status-history.js';

/** A family's counters since the start of the process, and whether it can be read at all. */
export interface FamilySample {
  readonly family: Family;
  readonly isDown: boolean;
  readonly upstreamCalls: number;
  readonly failures: number;
  readonly readMs: number;
  readonly cacheHits: number;
  readonly read: number;
}

/** A single failure in many calls is no trouble, and of a few calls none is until all of them fail. */
const TOLERATED = 0.05;
const FEW_CALLS = 3;

/** Most rows of each kind that wait to be written: a day without a database. What comes on top is left out. */
const MOST_WAITING = 2 * 1440;

const NO_SUMS: FamilySums = {
  minutes: 0,
  degraded: 0,
  down: 0,
  calls: 0,
  failures: 0,
  readMs: 0,
  items: 0,
  cacheHits: 0,
};

/** What reads did, for the status page: looked at once a minute, and written as sums. Nothing is in the path of a read. */
export class StatusBook {
  readonly #history: StatusHistory;
  readonly #clock: Clock;
  readonly #before = new Map<Family, FamilySample>();
  #days = new Map<string, StatusDay>();
  #minutes: BadMinute[] = [];

  constructor(history: StatusHistory, clock: Clock) {
    this.#history = history;
    this.#clock = clock;
  }

  /** Takes a minute's counters of each family; to be called once a minute. */
  note(samples: readonly FamilySample[]): void {
    const now = this.#clock.now();
    for (const sample of samples) this.#noteFamily(sample, now);
  }

  /** Writes what waits. If that fails, it goes on waiting. */
  async flush(): Promise<void> {
    const [days, minutes] = [this.#days, this.#minutes];
    if (days.size === 0) return;
    [this.#days, this.#minutes] = [new Map(), []];
    try {
      await this.#history.add([...days.values()], minutes);
    } catch (error) {
      for (const day of days.values()) this.#addDay(day, day);
      this.#minutes = [...minutes, ...this.#minutes].slice(0, MOST_WAITING);
      throw error;
    }
  }

  #noteFamily(sample: FamilySample, now: number): void {
    const { family, isDown } = sample;
    const before = this.#before.get(family);
    this.#before.set(family, sample);
    const since = (count: keyof Omit<FamilySample, 'family' | 'isDown'>): number =>
      sample[count] - (before?.[count] ?? 0);
    const [calls, failures, cacheHits] = [since('upstreamCalls'), since('failures'), since('cacheHits')];
    const trouble = troubleOf({ isDown, calls, failures });
    this.#addDay(
      { day: dayOf(now), family },
      {
        minutes: 1,
        degraded: trouble === 'degraded' ? 1 : 0,
        down: trouble === 'down' ? 1 : 0,
        ...{ calls, failures, readMs: Math.round(since('readMs')), items: cacheHits + since('read'), cacheHits },
      },
    );
    if (trouble === null || this.#minutes.length >= MOST_WAITING) return;
    this.#minutes.push({ minute: now - (now % MINUTE_MS), family, trouble, calls, failures });
  }

  #addDay({ day, family }: Pick<StatusDay, 'day' | 'family'>, sums: FamilySums): void {
    const key = `${day} ${family}`;
    const before = this.#days.get(key) ?? NO_SUMS;
    const names = Object.keys(NO_SUMS) as (keyof FamilySums)[];
    const added = Object.fromEntries(names.map((name) => [name, before[name] + sums[name]]));
    this.#days.set(key, { day, family, ...(added as unknown as FamilySums) });
  }
}

/** Null: a minute as it should be. */
function troubleOf({ isDown, calls, failures }: { isDown: boolean; calls: number; failures: number }): Trouble | null {
  if (isDown || (calls >= FEW_CALLS && failures === calls)) return 'down';
  return calls >= FEW_CALLS && failures > TOLERATED * calls ? 'degraded' : null;
}
