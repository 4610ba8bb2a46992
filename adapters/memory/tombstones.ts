import { FairLog } from '../../src/lib/fair-log.js';
import { Memories } from '../../src/lib/memories.js';
import { MEMORIES } from '../../src/lib/memory-table.js';
import type { Clock } from '../../src/ports/clock.js';
import type { Tombstone, TombstoneLog } from '../../src/ports/tombstones.js';

type Listener = (tombstones: readonly Tombstone[]) => void;

interface LoggedTombstone extends Tombstone {
  readonly atMs: number;
}

export interface MemoryTombstoneLogOptions {
  readonly clock: Clock;
  /** Counts the tombstones that are kept for followers that begin later. */
  readonly memories?: Memories;
  readonly maxBytes?: number;
}

/** Tombstones of one process: followers receive them as they are added. */
export function createMemoryTombstoneLog(options: MemoryTombstoneLogOptions): TombstoneLog {
  const { clock, memories = new Memories(), maxBytes = MEMORIES.tombstones.limitBytes } = options;
  const past = memories.add('tombstones', new FairLog<LoggedTombstone>(maxBytes));
  const listeners = new Set<{ readonly notify: Listener }>();

  return {
    async add(tombstones) {
      if (tombstones.length === 0) return;
      past.add(tombstones.map((tombstone) => ({ ...tombstone, atMs: clock.now() })));
      for (const { notify } of listeners) notify(tombstones);
    },
    async follow(sinceMs, notify) {
      const fromMs = clock.now() - sinceMs;
      const recent = past.items.filter(({ atMs }) => atMs >= fromMs).map(({ atMs: _, ...tombstone }) => tombstone);
      if (recent.length > 0) notify(recent);
      const listener = { notify };
      listeners.add(listener);
      return async () => {
        listeners.delete(listener);
      };
    },
  };
}
