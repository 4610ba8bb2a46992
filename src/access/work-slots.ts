import { ServiceError } from '../domain/errors.js';
import { counted, figure } from '../domain/figures.js';
import { FairShare, type HeldSlot } from '../lib/fair-share.js';
import type { Clock } from '../ports/clock.js';
import { limitAddress } from './address.js';

/** The holder that work is counted for: an account or, for a call without a key, the address (a /64 for IPv6). */
export interface Holder {
  readonly kind: 'account' | 'address';
  /** Unique among all holders. */
  readonly name: string;
}

export const accountHolder = (accountId: string): Holder => ({ kind: 'account', name: `account:${accountId}` });

export const addressHolder = (address: string): Holder => ({
  kind: 'address',
  name: `address:${limitAddress(address)}`,
});

/** `reason` of the 503 for a holder that already has its share. */
type BusyReason = 'account_busy' | 'address_busy';

const busyReason = ({ kind }: Holder): BusyReason => (kind === 'account' ? 'account_busy' : 'address_busy');

/** `work`: a slot for any request being processed; `network`: one more for a call that waits for the network. */
type SlotClass = 'work' | 'network';

const CLASSES = {
  work: { what: 'in progress', slots: 'slots' },
  network: { what: 'waiting for the network', slots: 'slots for network reads' },
} as const;

/** A holder may exceed its share while others do not need theirs, but this part of the slots stays free. */
const RESERVED_PART = 1 / 5;

/** At least this many slots stay free; if there are fewer in all, no holder may exceed its share. */
const LEAST_RESERVED = 100;

export interface WorkSlotsOptions {
  /** Requests processed at once, in all. */
  readonly total: number;
  /** How long a call may take. */
  readonly deadlineMs: number;
  readonly monotonic: Clock;
}

/**
 * Slots for requests being processed, one pool for all interfaces and pages, shared fairly (`FairShare`). Calls that
 * wait for the network get at most half of them, so that cached, free and keyless requests are answered even if the
 * network hangs. When several calls of one account wait for the same read, only one holds slots of both kinds; the
 * others wait beside it, at most as many as there are slots (L20).
 */
export class WorkSlots {
  readonly #shares: Readonly<Record<SlotClass, FairShare>>;
  readonly #beside: FairShare;
  readonly #refused = { account_busy: 0, address_busy: 0, overloaded: 0 };
  /** Passed to each request's slot. */
  readonly #slots: Slots = {
    take: (of, holder) => this.#take(of, holder),
    stepBeside: (holder) => this.#beside.take(holder.name),
  };

  constructor({ total, deadlineMs, monotonic }: WorkSlotsOptions) {
    const share = (slots: number) => {
      const reserved = Math.max(LEAST_RESERVED, slots * RESERVED_PART);
      return new FairShare({ total: slots, reserved, longestMs: deadlineMs, monotonic });
    };
    this.#shares = { work: share(total), network: share(Math.max(1, Math.floor(total / 2))) };
    this.#beside = share(total);
  }

  /** Slots taken now, by class. */
  get taken(): Readonly<Record<SlotClass, number>> {
    return { work: this.#shares.work.taken, network: this.#shares.network.taken };
  }

  /** Requests that hold no slot because they wait for a read of another call of their account. */
  get beside(): number {
    return this.#beside.taken;
  }

  /** Requests refused since the start, by reason. */
  get refused(): Readonly<Record<BusyReason | 'overloaded', number>> {
    return this.#refused;
  }

  /** The slot of one request, not taken yet. */
  open(): WorkSlot {
    return new WorkSlot(this.#slots);
  }

  #take(of: SlotClass, holder: Holder): HeldSlot | ServiceError {
    const share = this.#shares[of];
    const taken = share.take(holder.name);
    if (taken !== null) return taken;
    const own = share.countOf(holder.name);
    const reason = own === 0 ? 'overloaded' : busyReason(holder);
    this.#refused[reason] += 1;
    const { what, slots } = CLASSES[of];
    const whose = holder.kind === 'account' ? 'This account' : 'This IP address';
    const message =
      share.taken >= share.total
        ? `All ${figure(share.total)} ${slots} are in use. Try again shortly; nothing was charged.`
        : `${whose} has ${counted(own, 'request')} ${what}, the most it may have while ${figure(share.taken)} of ${figure(share.total)} ${slots} are in use. Wait for one of them to finish; nothing was charged.`;
    const retryAfter = Math.max(1, share.waitMs(holder.name) / 1000);
    return new ServiceError('upstream_rate_limited', message, { reason, retryAfter });
  }
}

interface Slots {
  take(of: SlotClass, holder: Holder): HeldSlot | ServiceError;
  /** A slot for waiting beside those in progress, or null if the holder already has its share of such slots. */
  stepBeside(holder: Holder): HeldSlot | null;
}

/** A slot that several calls hold; the last of them to finish releases it. */
class SharedSlot {
  readonly #slot: HeldSlot;
  #holders = 1;

  constructor(slot: HeldSlot) {
    this.#slot = slot;
  }

  share(): this {
    this.#holders += 1;
    return this;
  }

  release(): void {
    this.#holders -= 1;
    if (this.#holders === 0) this.#slot.release();
  }
}

/** The slot of one request. */
export class WorkSlot {
  readonly #slots: Slots;
  #holder: Holder | undefined;
  /** Its slot among those in progress. While it only waits for another call's read, it has `#beside` instead. */
  #work: HeldSlot | undefined;
  #beside: HeldSlot | undefined;
  #network: SharedSlot | undefined;
  /** Whether the network slot belongs to another call. */
  #isShared = false;

  constructor(slots: Slots) {
    this.#slots = slots;
  }

  /**
   * Counts for `holder` from now on. Returns the refusal if that holder already has its share; the slot is then free.
   */
  countFor(holder: Holder): ServiceError | null {
    if (this.#work && this.#holder?.name === holder.name) return null;
    this.release();
    this.#holder = holder;
    const taken = this.#slots.take('work', holder);
    if (taken instanceof ServiceError) return taken;
    this.#work = taken;
    return null;
  }

  /**
   * Takes a network slot as well. Throws if its holder already has its share of those. `same` is the slot of a call of
   * the same account that waits for the same read: its network slot is then shared, and this call waits beside those in
   * progress. Idempotent.
   */
  waitForNetwork(same?: object): void {
    const holder = this.#holder;
    if (holder === undefined || (this.#network && !this.#isShared)) return;
    const shared = same instanceof WorkSlot ? same.#network : undefined;
    if (shared !== undefined) {
      if (this.#network) return;
      this.#network = shared.share();
      this.#isShared = true;
      this.#stepBeside(holder);
      return;
    }
    const work = this.#work ?? this.#slots.take('work', holder);
    if (work instanceof ServiceError) throw work;
    this.#work = work;
    this.#beside?.release();
    this.#beside = undefined;
    const taken = this.#slots.take('network', holder);
    if (taken instanceof ServiceError) throw taken;
    this.#network?.release();
    this.#network = new SharedSlot(taken);
    this.#isShared = false;
  }

  #stepBeside(holder: Holder): void {
    const beside = this.#slots.stepBeside(holder);
    if (beside === null) return;
    this.#beside = beside;
    this.#work?.release();
    this.#work = undefined;
  }

  release(): void {
    this.#network?.release();
    this.#work?.release();
    this.#beside?.release();
    this.#network = undefined;
    this.#work = undefined;
    this.#beside = undefined;
    this.#isShared = false;
  }
}
