import type { RedisLink } from './link.js';

const MOST = 10_000;

/** Keys that changed while Redis was away: what it holds of them is out of date, and dropped when it is back. */
export class MissedKeys {
  readonly #keys = new Set<string>();
  readonly #link: RedisLink;

  constructor(link: RedisLink) {
    this.#link = link;
    link.onChange((up) => {
      if (up) void this.#drop();
    });
  }

  add(keys: readonly string[]): void {
    for (const key of keys) this.#keys.add(key);
    for (const oldest of this.#keys) {
      if (this.#keys.size <= MOST) break;
      this.#keys.delete(oldest);
    }
  }

  async #drop(): Promise<void> {
    const keys = [...this.#keys];
    this.#keys.clear();
    await this.#link.run<unknown>(
      (redis) => Promise.all(keys.map((key) => redis.unlink(key))),
      () => this.add(keys),
    );
  }
}
