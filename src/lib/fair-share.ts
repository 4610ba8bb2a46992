import { BriefMap, type Link, LinkedSet } from './brief-collections.js';

/** A taken slot. Releasing it twice is harmless. */
export interface HeldSlot {
  release(): void;
}

export interface FairShareOptions {
  /** Slots for all holders together. */
  readonly total: number;
  /**
   * How many slots a holder must leave free when it takes more than its share because no other holder needs them. By
   * default it never takes more.
   */
  readonly reserved?: number;
  /**
   * A holder has its share once it has the number of free slots divided by this; 3 by default. A lower number leaves
   * fewer slots free for newcomers.
   */
  readonly freePerHeld?: number;
  /** Longest that a slot is taken, milliseconds. */
  readonly longestMs: number;
  readonly monotonic: { now(): number };
}

interface HolderState {
  /** When each slot was taken (monotonic milliseconds), the oldest first. */
  readonly slots: LinkedSet<number>;
  /** How long its slower slots were held; null until one is released. */
  usualMs: number | null;
}

/**
 * Slots shared by a dynamic threshold (Choudhury and Hahne; used for buffers of switches). Each of n holders gets one in
 * n + `freePerHeld` of them, a single holder usually a quarter, and a newcomer always finds one while any is free. A
 * holder that is above its share when others arrive keeps its slots but gets no more. With `reserved`, a holder may
 * exceed its share while all others together have fewer slots than one of them could get (L19). Keeps no state for
 * holders without a slot.
 */
export class FairShare {
  readonly total: number;
  readonly #reserved: number;
  readonly #freePerHeld: number;
  readonly #longestMs: number;
  readonly #monotonic: FairShareOptions['monotonic'];
  readonly #holders = new BriefMap<HolderState>();
  #taken = 0;
  #usualMs: number | null = null;

  constructor({ total, reserved = total, freePerHeld = 3, longestMs, monotonic }: FairShareOptions) {
    this.total = total;
    this.#reserved = reserved;
    this.#freePerHeld = freePerHeld;
    this.#longestMs = longestMs;
    this.#monotonic = monotonic;
  }

  /** Slots taken, by all holders. */
  get taken(): number {
    return this.#taken;
  }

  countOf(holder: string): number {
    return this.#holders.get(holder)?.slots.size ?? 0;
  }

  /** Whether the holder may take a slot: it does not have its share, and one is free. */
  hasRoomFor(holder: string): boolean {
    const own = this.countOf(holder);
    const free = this.total - this.#taken;
    return this.#freePerHeld * own < free || (free > this.#reserved && !this.#othersNeed(own));
  }

  /** A slot, or null if the holder has its share or none is free. */
  take(holder: string): HeldSlot | null {
    if (!this.hasRoomFor(holder)) return null;
    const state = this.#stateOf(holder);
    const slot = state.slots.add(this.#monotonic.now());
    this.#taken += 1;
    return { release: () => this.#release(holder, state, slot) };
  }

  /** Whether the other holders together have a full share of slots, so that one of them could be refused the next. */
  #othersNeed(own: number): boolean {
    return this.#freePerHeld * (this.#taken - own) >= this.total - this.#taken;
  }

  #stateOf(holder: string): HolderState {
    let state = this.#holders.get(holder);
    if (state === undefined) {
      state = { slots: new LinkedSet(), usualMs: null };
      this.#holders.set(holder, state);
    }
    return state;
  }

  /**
   * Estimated milliseconds until the holder can have another slot if no other holder takes more: until enough of its
   * own are released, judging by how long they are usually held. Slots that were already held longer count until their
   * latest end.
   */
  waitMs(holder: string): number {
    const state = this.#holders.get(holder);
    if (state === undefined) return Math.min(this.#usualMs ?? this.#longestMs, this.#longestMs);
    const now = this.#monotonic.now();
    const usualMs = state.usualMs ?? this.#usualMs ?? this.#longestMs;
    const [own, free] = [state.slots.size, this.total - this.#taken];
    const ofShare = releasesNeeded(own, free, this.#freePerHeld);
    const needed = this.#othersNeed(own) ? ofShare : Math.min(ofShare, Math.max(1, this.#reserved - free + 1));
    // In the order in which they should end. Slots held longer than usual come last, because their end is unknown.
    const [usual, late]: [number[], number[]] = [[], []];
    for (const atMs of state.slots) {
      if (usual.length === needed) break;
      const endsInMs = atMs + usualMs - now;
      if (endsInMs > 0) usual.push(endsInMs);
      else if (late.length < needed) late.push(atMs + this.#longestMs - now);
    }
    const last = [...usual, ...late][needed - 1] ?? this.#longestMs;
    return Math.min(this.#longestMs, Math.max(0, last));
  }

  /**
   * Estimated milliseconds between the moments at which the holder can have another slot, judging by the one that it has
   * had for longest; 0 while it can have one.
   */
  spacingMs(holder: string): number {
    const state = this.#holders.get(holder);
    if (state === undefined || this.hasRoomFor(holder)) return 0;
    const [oldestAtMs = 0] = state.slots;
    return (this.#monotonic.now() - oldestAtMs) / state.slots.size;
  }

  #release(holder: string, state: HolderState, slot: Link<number>): void {
    if (!state.slots.remove(slot)) return;
    this.#taken -= 1;
    const tookMs = this.#monotonic.now() - slot.value;
    state.usualMs = slowDecay(state.usualMs, tookMs);
    this.#usualMs = this.#usualMs === null ? tookMs : 0.95 * this.#usualMs + 0.05 * tookMs;
    if (state.slots.size === 0) this.#holders.delete(holder);
  }
}

/**
 * How many of `held` slots must be released until one can be taken: the smallest k with freePerHeld * (held - k) <
 * free + k.
 */
const releasesNeeded = (held: number, free: number, freePerHeld: number): number =>
  Math.max(1, Math.min(held, Math.floor((freePerHeld * held - free) / (freePerHeld + 1)) + 1));

/** Rises at once and falls slowly, so that most later slots take no longer than this. */
const slowDecay = (usualMs: number | null, tookMs: number): number =>
  usualMs === null || tookMs > usualMs ? tookMs : 0.9 * usualMs + 0.1 * tookMs;
