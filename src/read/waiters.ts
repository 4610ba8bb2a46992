import type { CallContext } from './call-context.js';

export interface WaitersListener {
  readonly onJoin: (member: CallContext) => void;
  readonly onLeave: (member: CallContext) => void;
  readonly onEmpty: () => void;
}

/** The calls that wait for one read. The read counts as queued by each of them, and is dropped once all have left. */
export class Waiters {
  readonly #members = new Set<CallContext>();
  #leader: { readonly member: CallContext; readonly as: string } | undefined;
  #onJoin: (member: CallContext) => void = () => {};
  #onLeave: (member: CallContext) => void = () => {};
  #onEmpty: () => void = () => {};

  constructor(first?: CallContext) {
    if (first) this.#members.add(first);
  }

  get members(): ReadonlySet<CallContext> {
    return this.#members;
  }

  /** A call of this account that waits for the read. */
  memberOf(accountId: string): CallContext | undefined {
    for (const member of this.#members) if (member.accountId === accountId) return member;
    return undefined;
  }

  /** The account that the read's findings are attributed to: the first waiter's, or '' once all have left. */
  get accountId(): string {
    const [first] = this.#members;
    return first?.accountId ?? '';
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  /** Notes the call that causes the read, and as what it buys it. */
  lead(member: CallContext, as: string): void {
    this.#leader = { member, as };
  }

  /** Whether this call caused the read to buy the same, whichever of its fields did. */
  isLedBy(member: CallContext, as: string): boolean {
    return this.#leader?.as === as && this.#leader.member.isOfSameCall(member);
  }

  /** The latest deadline of all waiters, monotonic milliseconds. */
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

  /** Reports later arrivals, departures while others stay, and when no waiter is left. Only one listener. */
  watch({ onJoin, onLeave, onEmpty }: WaitersListener): void {
    this.#onJoin = onJoin;
    this.#onLeave = onLeave;
    this.#onEmpty = onEmpty;
  }
}
