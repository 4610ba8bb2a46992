import { ServiceError } from '../core/errors.js';
import { FairShare, type HeldSlot } from '../core/fair-share.js';
import { counted, figure } from '../core/figures.js';
import type { Clock } from '../ports/clock.js';
import { limitAddress } from './address.js';

/** The holder that work is counted for: an account, or for a call without a key the address (a /64 for IPv6). */
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

/** `work`: a slot for any request being processed; `network`: one for a call that waits for the network as well. */
type SlotClass = 'work' | 'network';

const CLASSES = {
  work: { what: 'in progress', slots: 'slots' },
  network: { what: 'waiting for the network', slots: 'slots for network reads' },
} as const;

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
 * network hangs.
 */
export class WorkSlots {
  readonly #shares: Readonly<Record<SlotClass, FairShare>>;
  readonly #refused = { account_busy: 0, address_busy: 0, overloaded: 0 };

  constructor({ total, deadlineMs, monotonic }: WorkSlotsOptions) {
    const share = (slots: number) => new FairShare({ total: slots, longestMs: deadlineMs, monotonic });
    this.#shares = { work: share(total), network: share(Math.max(1, Math.floor(total / 2))) };
  }

  /** Slots taken now, by class. */
  get taken(): Readonly<Record<SlotClass, number>> {
    return { work: this.#shares.work.taken, network: this.#shares.network.taken };
  }

  /** Requests refused since the start, by reason. */
  get refused(): Readonly<Record<BusyReason | 'overloaded', number>> {
    return this.#refused;
  }

  /** The slot of one request, not taken yet. */
  open(): WorkSlot {
    return new WorkSlot((of, holder) => this.#take(of, holder));
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

type Take = (of: SlotClass, holder: Holder) => HeldSlot | ServiceError;

/** The slot of one request. */
export class WorkSlot {
  readonly #take: Take;
  #holder: Holder | undefined;
  #work: HeldSlot | undefined;
  #network: HeldSlot | undefined;

  constructor(take: Take) {
    this.#take = take;
  }

  /**
   * Counts for `holder` from now on. Returns the refusal if that holder already has its share; the slot is then free.
   */
  countFor(holder: Holder): ServiceError | null {
    if (this.#work && this.#holder?.name === holder.name) return null;
    this.release();
    this.#holder = holder;
    const taken = this.#take('work', holder);
    if (taken instanceof ServiceError) return taken;
    this.#work = taken;
    return null;
  }

  /** Takes a slot for waiting on the network, too. Throws if its holder has its share of those. Idempotent. */
  waitForNetwork(): void {
    if (this.#network || !this.#holder) return;
    const taken = this.#take('network', this.#holder);
    if (taken instanceof ServiceError) throw taken;
    this.#network = taken;
  }

  release(): void {
    this.#network?.release();
    this.#work?.release();
    this.#network = undefined;
    this.#work = undefined;
  }
}
