import type { Errand } from './errand.js';

export interface PartyListener {
  readonly onJoin: (member: Errand) => void;
  readonly onLeave: (member: Errand) => void;
  readonly onEmpty: () => void;
}

/** Those who wait for one read: it is on the turn of each of them, and is not worth making once all have left. */
export class Party {
  readonly #members = new Set<Errand>();
  #onJoin: (member: Errand) => void = () => {};
  #onLeave: (member: Errand) => void = () => {};
  #onEmpty: () => void = () => {};

  constructor(first?: Errand) {
    if (first) this.#members.add(first);
  }

  get members(): ReadonlySet<Errand> {
    return this.#members;
  }

  /** On whose account what the read brings is remembered: of those who wait, whoever came first; nobody's once all have left. */
  get accountId(): string {
    const [first] = this.#members;
    return first?.accountId ?? '';
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
    if (!this.#members.delete(member)) return;
    if (this.isEmpty) this.#onEmpty();
    else this.#onLeave(member);
  }

  /** Tells of who comes later, of who leaves while others stay, and when nobody is left; one listener. */
  watch({ onJoin, onLeave, onEmpty }: PartyListener): void {
    this.#onJoin = onJoin;
    this.#onLeave = onLeave;
    this.#onEmpty = onEmpty;
  }
}
