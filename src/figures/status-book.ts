import type { Family } from '../domain/model.js';
import type { StatusDay, Trouble } from '../domain/status-history.js';
import { MINUTE_MS, utcDay } from '../lib/durations.js';
import type { Clock } from '../ports/clock.js';
import type { BadMinute, StatusHistory } from '../ports/figures.js';
import { SumBuffer } from './sum-buffer.js';

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

/** The share of calls that may fail without counting as trouble, and the least calls in a minute that are judged. */
const TOLERATED = 0.05;
const FEW_CALLS = 3;

/** Most rows of each kind that wait to be written: a day without a database. Further rows are left out. */
const MOST_WAITING = 2 * 1440;

/** Figures of reads for the status page, sampled once a minute and written as sums. Reads themselves are not slowed. */
export class StatusBook {
  readonly #clock: Clock;
  readonly #before = new Map<Family, FamilySample>();
  readonly #sums: SumBuffer<{ days: StatusDay; minutes: BadMinute }>;

  /** `newId` returns a new UUID v7. */
  constructor(history: StatusHistory, clock: Clock, newId: () => string) {
    this.#sums = new SumBuffer<{ days: StatusDay; minutes: BadMinute }>({
      kinds: {
        days: { keyOf: ({ day, family }) => `${day} ${family}`, plus: plusDay },
        minutes: { keyOf: ({ minute, family }) => `${minute} ${family}`, plus: plusMinute },
      },
      ...{ most: MOST_WAITING, newId },
      write: (batchId, { days, minutes }) => history.add(batchId, days, minutes),
    });
    this.#clock = clock;
  }

  /** Takes the counters of each family. Call once a minute. */
  note(samples: readonly FamilySample[]): void {
    const now = this.#clock.now();
    for (const sample of samples) this.#noteFamily(sample, now);
  }

  /** Writes the waiting rows. If that fails, they keep waiting. */
  flush(): Promise<void> {
    return this.#sums.flush();
  }

  #noteFamily(sample: FamilySample, now: number): void {
    const { family, isDown } = sample;
    const before = this.#before.get(family);
    this.#before.set(family, sample);
    const since = (count: keyof Omit<FamilySample, 'family' | 'isDown'>): number =>
      sample[count] - (before?.[count] ?? 0);
    const [calls, failures, cacheHits] = [since('upstreamCalls'), since('failures'), since('cacheHits')];
    const trouble = troubleIn({ isDown, calls, failures });
    this.#sums.add('days', {
      ...{ day: utcDay(now), family, minutes: 1 },
      degraded: trouble === 'degraded' ? 1 : 0,
      down: trouble === 'down' ? 1 : 0,
      ...{ calls, failures, readMs: Math.round(since('readMs')), items: cacheHits + since('read'), cacheHits },
    });
    if (trouble === null) return;
    this.#sums.add('minutes', { minute: now - (now % MINUTE_MS), family, trouble, calls, failures });
  }
}

const plusDay = (before: StatusDay, day: StatusDay): StatusDay => ({
  day: day.day,
  family: day.family,
  minutes: before.minutes + day.minutes,
  degraded: before.degraded + day.degraded,
  down: before.down + day.down,
  calls: before.calls + day.calls,
  failures: before.failures + day.failures,
  readMs: before.readMs + day.readMs,
  items: before.items + day.items,
  cacheHits: before.cacheHits + day.cacheHits,
});

/** Adds another sample of the same minute. */
const plusMinute = (before: BadMinute, minute: BadMinute): BadMinute => ({
  ...(before.trouble === 'down' ? before : minute),
  calls: before.calls + minute.calls,
  failures: before.failures + minute.failures,
});

/** The trouble in a minute, or null if there was none. */
function troubleIn({ isDown, calls, failures }: { isDown: boolean; calls: number; failures: number }): Trouble | null {
  if (isDown || (calls >= FEW_CALLS && failures === calls)) return 'down';
  return calls >= FEW_CALLS && failures > TOLERATED * calls ? 'degraded' : null;
}
