import type { RedisLink } from './link.js';

/** Wakes those who wait for a message on a channel, or a limited time: a message may be lost. */
export class Notifier {
  readonly #link: RedisLink;
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(link: RedisLink, channel: string) {
    this.#link = link;
    link.subscribe(channel, (word) => {
      for (const wake of this.#waiting.get(word) ?? []) wake();
    });
  }

  wait(word: string, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(word) ?? new Set();
      this.#waiting.set(word, waiting);
      const wake = () => {
        cancel();
        waiting.delete(wake);
        if (waiting.size === 0) this.#waiting.delete(word);
        resolve();
      };
      const cancel = this.#link.time.timers.after(ms, wake);
      waiting.add(wake);
    });
  }
}
