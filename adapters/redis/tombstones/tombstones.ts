import { FairLog } from '../../../src/lib/fair-log.js';
import { Memories } from '../../../src/lib/memories.js';
import { MEMORIES } from '../../../src/lib/memory-table.js';
import type { Tombstone, TombstoneLog } from '../../../src/ports/tombstones.js';
import type { RedisLink } from '../link.js';
import { TombstoneFollower } from './tombstone-follower.js';
import { append } from './tombstone-stream.js';

const MOST_PER_ENTRY = 1000;

export interface RedisTombstoneLog extends TombstoneLog {
  close(): Promise<void>;
}

export interface RedisTombstoneLogOptions {
  readonly link: RedisLink;
  /** What the objects are gone from (see `RedisStoresOptions`). */
  readonly source: string;
  readonly memories?: Memories | undefined;
}

/**
 * A log of tombstones that every node follows. A node that adds one while Redis is away sees it at once, and again in
 * order later.
 */
export function createRedisTombstoneLog(options: RedisTombstoneLogOptions): RedisTombstoneLog {
  const { link, source, memories = new Memories() } = options;
  const unsent = memories.add('tombstones', new FairLog<Tombstone>(MEMORIES.tombstones.limitBytes));
  const followers = new Set<TombstoneFollower>();
  let sending: Promise<void> | undefined;

  /** Sends the tombstones in the order in which they were added; those that wait together go into one entry. */
  async function send(): Promise<void> {
    while (unsent.items.length > 0) {
      const entry = unsent.items.slice(0, MOST_PER_ENTRY);
      const isSent = await link.run(
        (redis) => append(redis, source, entry).then(() => true),
        () => false,
      );
      if (!isSent) break;
      unsent.remove(entry);
    }
    // In the same step as the last check: tombstones added from now on start a new send.
    sending = undefined;
  }

  function flush(): Promise<void> {
    if (unsent.items.length === 0) return sending ?? Promise.resolve();
    sending ??= send();
    return sending;
  }

  link.onChange((up) => {
    if (up) void flush();
  });

  return {
    async add(tombstones) {
      if (tombstones.length === 0) return;
      unsent.add(tombstones);
      await flush();
      if (unsent.items.length > 0) for (const follower of followers) follower.notify(tombstones);
    },
    async follow(sinceMs, notify) {
      const follower = new TombstoneFollower({ link, source, sinceMs, notify });
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
