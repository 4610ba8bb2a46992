import type { Tombstone, Tombstones } from '../../src/ports/shared.js';
import type { RedisLink } from './link.js';
import { TombstoneFollower } from './tombstone-follower.js';
import { append } from './tombstone-stream.js';

/** Tombstones kept while Redis is away; the oldest are dropped. */
const MOST_UNSENT = 10_000;
const MOST_PER_ENTRY = 1000;

export interface RedisTombstones extends Tombstones {
  close(): Promise<void>;
}

/** A log of tombstones that every node follows. Whoever adds while Redis is away hears of it at once, and again in order later. */
export function createRedisTombstones(link: RedisLink): RedisTombstones {
  const unsent: Tombstone[] = [];
  const followers = new Set<TombstoneFollower>();
  let sending: Promise<void> | undefined;

  /** In the order of adding, what waits together in one entry. */
  async function send(): Promise<void> {
    while (unsent.length > 0) {
      const entry = unsent.slice(0, MOST_PER_ENTRY);
      const isSent = await link.run(
        (redis) => append(redis, entry).then(() => true),
        () => false,
      );
      if (!isSent) break;
      unsent.splice(0, entry.length);
    }
    unsent.splice(0, Math.max(0, unsent.length - MOST_UNSENT));
    // In the same step as the last look: what is added from now on is sent anew.
    sending = undefined;
  }

  function flush(): Promise<void> {
    if (unsent.length === 0) return sending ?? Promise.resolve();
    sending ??= send();
    return sending;
  }

  link.onChange((up) => {
    if (up) void flush();
  });

  return {
    async add(tombstones) {
      if (tombstones.length === 0) return;
      unsent.push(...tombstones);
      await flush();
      if (unsent.length > 0) for (const follower of followers) follower.tell(tombstones);
    },
    async follow(sinceMs, tell) {
      const follower = new TombstoneFollower(link, sinceMs, tell);
      followers.add(follower);
      await follower.look();
      return async () => {
        followers.delete(follower);
        await follower.close();
      };
    },
    async close() {
      await Promise.all([...followers].map((follower) => follower.close()));
      followers.clear();
    },
  };
}
