import type { Family } from '../../src/core/model.js';
import type { Clock, Pace } from '../../src/ports.js';
import { createLane, type Lane, type Timers } from './lane.js';

export interface MemoryPace extends Pace {
  /** About how long a call that came now would wait, in milliseconds. */
  waitMs(family: Family): number;
  /** Calls that wait for their turn. */
  waiting(family: Family): number;
}

export interface MemoryPaceOptions {
  readonly clock: Clock;
  /** Calls per second of each family, above zero; null: no pace. */
  readonly perSecond: Readonly<Record<Family, number | null>>;
  readonly timers?: Timers;
}

/** The upstream's pace for one process: each family sends evenly spaced calls, first come, first sent. */
export function createMemoryPace({ clock, perSecond, timers = globalThis }: MemoryPaceOptions): MemoryPace {
  const laneOf = (family: Family): Lane | null => {
    const rate = perSecond[family];
    return rate === null ? null : createLane({ intervalMs: 1000 / rate, clock, timers });
  };
  const lanes: Record<Family, Lane | null> = { fast: laneOf('fast'), slow: laneOf('slow') };

  return {
    async turn(family, signal) {
      signal.throwIfAborted();
      await lanes[family]?.turn(signal);
    },
    waitMs: (family) => lanes[family]?.waitMs() ?? 0,
    waiting: (family) => lanes[family]?.waiting() ?? 0,
  };
}
