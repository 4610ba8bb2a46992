import { repeat } from '../../../src/lib/poll.js';
import type { Tombstone } from '../../../src/ports/tombstones.js';
import type { RedisLink } from '../link.js';
import { ADDED_CHANNEL, readAfter, startId } from './tombstone-stream.js';

const LOOK_EVERY_MS = 1000;
/** Enough for more entries than the stream holds. */
const MOST_READS = 200;

type Listener = (tombstones: readonly Tombstone[]) => void;

export interface TombstoneFollowerOptions {
  readonly link: RedisLink;
  readonly source: string;
  readonly sinceMs: number;
  readonly notify: Listener;
}

/** Reads the stream on from its last position: when notified, every second, and as soon as Redis is back. */
export class TombstoneFollower {
  readonly notify: Listener;
  readonly #link: RedisLink;
  readonly #source: string;
  readonly #sinceMs: number;
  readonly #startedAt: number;
  readonly #stops: (() => void)[];
  #last: string | undefined;
  #looking: Promise<void> | undefined;
  #isNews = false;
  #isClosed = false;

  constructor({ link, source, sinceMs, notify }: TombstoneFollowerOptions) {
    this.#link = link;
    this.#source = source;
    this.#sinceMs = sinceMs;
    this.notify = notify;
    const { monotonic, timers } = link.time;
    this.#startedAt = monotonic.now();
    this.#stops = [
      repeat(timers, LOOK_EVERY_MS, () => void this.look()),
      link.subscribe(ADDED_CHANNEL, () => void this.look()),
      link.onChange((up) => {
        if (up) void this.look();
      }),
    ];
  }

  /** Runs one look at a time; a call during a look causes another one after it. */
  look(): Promise<void> {
    this.#isNews = true;
    this.#looking ??= this.#lookOn().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    await this.#looking;
  }

  async #lookOn(): Promise<void> {
    while (this.#isNews && !this.#isClosed) {
      this.#isNews = false;
      for (let reads = 0; reads < MOST_READS; reads += 1) if (!(await this.#read())) break;
    }
  }

  /** True when there may be more. */
  async #read(): Promise<boolean> {
    const found = await this.#link.run(
      async (redis) => {
        this.#last ??= await startId(redis, this.#sinceMs + this.#link.time.monotonic.now() - this.#startedAt);
        return readAfter(redis, this.#source, this.#last);
      },
      () => undefined,
    );
    if (found === undefined || this.#isClosed) return false;
    this.#last = found.last;
    if (found.tombstones.length > 0) this.notify(found.tombstones);
    return !found.isAll;
  }
}
