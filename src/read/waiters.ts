import type { CallContext } from './call-context.js';

export interface WaitersListener {
  readonly onJoin: (member: CallContext) => void;
  readonly onLeave: (member: CallContext) => void;
  readonly onEmpty: () => void;
}

/** Those who wait for one read: it is on the turn of each of them, and is not worth making once all have left. */
export class Waiters {
  readonly #members = new Set<CallContext>();
  #onJoin: (member: CallContext) => void = () => {};
  #onLeave: (member: CallContext) => void = () => {};
  #onEmpty: () => void = () => {};

  constructor(first?: CallContext) {
    if (first) this.#members.add(first);
  }

  get members(): ReadonlySet<CallContext> {
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

  join(member: CallContext): void {
    this.#members.add(member);
    this.#onJoin(member);
  }

  leave(member: CallContext): void {
    if (!this.#members.delete(member)) return;
    if (this.isEmpty) this.#onEmpty();
    else this.#onLeave(member);
  }

  /** Tells of who comes later, of who leaves while others stay, and when nobody is left; one listener. */
  watch({ onJoin, onLeave, onEmpty }: WaitersListener): void {
    this.#onJoin = onJoin;
    this.#onLeave = onLeave;
    this.#onEmpty = onEmpty;
  }
}
