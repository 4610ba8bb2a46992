import type { Clock } from '../../src/ports/clock.js';
import type { Tombstone, Tombstones } from '../../src/ports/shared.js';

/** Kept for those who begin to follow later. */
const DEFAULT_KEPT = 10_000;

type Listener = (tombstones: readonly Tombstone[]) => void;

/** Tombstones of one process: whoever follows hears of them as they are added. */
export function createMemoryTombstones({ clock, kept = DEFAULT_KEPT }: { clock: Clock; kept?: number }): Tombstones {
  const past: { readonly atMs: number; readonly tombstone: Tombstone }[] = [];
  const listeners = new Set<{ readonly tell: Listener }>();

  return {
    async add(tombstones) {
      if (tombstones.length === 0) return;
      past.push(...tombstones.map((tombstone) => ({ atMs: clock.now(), tombstone })));
      past.splice(0, Math.max(0, past.length - kept));
      for (const { tell } of listeners) tell(tombstones);
    },
    async follow(sinceMs, tell) {
      const fromMs = clock.now() - sinceMs;
      const recent = past.filter(({ atMs }) => atMs >= fromMs).map(({ tombstone }) => tombstone);
      if (recent.length > 0) tell(recent);
      const listener = { tell };
      listeners.add(listener);
      return async () => {
        listeners.delete(listener);
      };
    },
  };
}
