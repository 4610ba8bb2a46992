import type { Errand } from './errand.js';

/** Those who wait for one read: it is on the turn of each of them, and is not worth making once all have left. */
export class Party {
  readonly #members = new Set<Errand>();
  #onJoin: (member: Errand) => void = () => {};
  #onEmpty: () => void = () => {};

  constructor(first?: Errand) {
    if (first) this.#members.add(first);
  }

  get members(): ReadonlySet<Errand> {
    return this.#members;
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  /** Until when somebody is going to wait: milliseconds of the monotonic clock. */
  get deadlineAtMs(): number {
    let latest = 0;
    for (const { deadlineAtMs } of this.#members) latest = Math.max(latest, deadlineAtMs);
    return latest;
  }

  join(member: Errand): void {
    this.#members.add(member);
    this.#onJoin(member);
  }

  leave(member: Errand): void {
    if (this.#members.delete(member) && this.isEmpty) this.#onEmpty();
  }

  /** Tells of who comes later, and when nobody is left; one listener. */
  watch(onJoin: (member: Errand) => void, onEmpty: () => void): void {
    this.#onJoin = onJoin;
    this.#onEmpty = onEmpty;
  }
}
