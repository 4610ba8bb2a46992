import type { Timers } from '../ports/clock.js';

/** How often a list is read at most and at least, milliseconds. */
export const SHORTEST_MS = 5_000;
const LONGEST_MS = 10 * 60_000;

/** What share of the time since the newest item one waits before the list is read again. */
const PART_OF_QUIET = 10;

/** How often a list is read: more often the shorter it has been quiet, and the more follow it. Milliseconds. */
export function intervalOf(quietMs: number, followers: number): number {
  const wanted = quietMs / PART_OF_QUIET / (1 + Math.log10(Math.max(1, followers)));
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, wanted));
}

/** What a follower that waited does next: read the list, or take what another has just read. */
export type Turn = 'read' | 'take';

interface Waiting {
  readonly go: (turn: Turn) => void;
}

export interface FeedOptions {
  readonly timers: Timers;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Milliseconds until the network may be asked for such a list once more, `wantedMs` at least. */
  readonly slot: (wantedMs: number) => number;
}

/**
 * Those who follow the same list in this process: one of them reads it for all, each in turn. What it read is cached, so
 * that the others take it without asking the network, and each pays for what it gets.
 */
export class Feed {
  readonly #options: FeedOptions;
  /** In the order in which they began to wait. */
  readonly #waiting = new Set<Waiting>();
  #cancel: (() => void) | null = null;
  #isRead = false;
  #newestAt: number | null = null;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** Milliseconds between two reads, as it is now, if the network has time for all. */
  get intervalMs(): number {
    const quietMs = this.#newestAt === null ? LONGEST_MS * PART_OF_QUIET : this.#options.now() - this.#newestAt;
    return intervalOf(Math.max(0, quietMs), this.#waiting.size);
  }

  /** Waits for its turn; undefined once the signal is aborted. */
  wait(signal: AbortSignal): Promise<Turn | undefined> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(undefined);
      const leave = (turn?: Turn): void => {
        this.#waiting.delete(waiting);
        signal.removeEventListener('abort', abort);
        if (this.#waiting.size === 0) this.#stop();
        resolve(turn);
      };
      const abort = (): void => leave();
      const waiting: Waiting = { go: leave };
      this.#waiting.add(waiting);
      signal.addEventListener('abort', abort);
      this.#start();
    });
  }

  /** Called by the follower whose turn it was to read, however that ended: with the newest item that it saw. */
  wasRead(found: { readonly items: number; readonly newestAt: number | null } | null): void {
    this.#isRead = false;
    if (found?.newestAt != null) this.#newestAt = found.newestAt;
    if (found !== null && found.items > 0) for (const { go } of [...this.#waiting]) go('take');
    this.#start();
  }

  /** Notes what a follower saw that did not read for the others. */
  saw(newestAt: number | null): void {
    if (newestAt !== null) this.#newestAt = Math.max(this.#newestAt ?? 0, newestAt);
  }

  #start(): void {
    if (this.#cancel !== null || this.#isRead || this.#waiting.size === 0) return;
    const { timers, slot } = this.#options;
    this.#cancel = timers.after(slot(this.intervalMs), () => {
      this.#cancel = null;
      const [first] = this.#waiting;
      if (first === undefined) return;
      this.#isRead = true;
      first.go('read');
    });
  }

  #stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
