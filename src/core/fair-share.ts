/** A place that was taken. Leaving it twice does no harm. */
export interface Taken {
  leave(): void;
}

export interface FairShareOptions {
  /** Places for everybody together. */
  readonly total: number;
  /** Milliseconds after which a place is left at the latest. */
  readonly longestMs: number;
  readonly monotonic: { now(): number };
}

interface Holding {
  /** When each place was taken, the oldest first. */
  readonly places: Set<{ readonly atMs: number }>;
  /** How long the slower of its places were taken; null while none was left. */
  usualMs: number | null;
}

/** A holder may take another place as long as it has fewer than one in so many of those still free. */
const PART = 3;

/**
 * Places shared by the dynamic threshold (Choudhury and Hahne, as switches share a buffer): whoever is alone gets a quarter of
 * them, each of n holders one in n + 3, and a newcomer always finds one while any is free. Who has more than its share when
 * others come keeps what it has and gets no more. Holds nothing of those who have no place.
 */
export class FairShare {
  readonly total: number;
  readonly #longestMs: number;
  readonly #monotonic: FairShareOptions['monotonic'];
  readonly #holdings = new Map<string, Holding>();
  #taken = 0;
  #usualMs: number | null = null;

  constructor({ total, longestMs, monotonic }: FairShareOptions) {
    this.total = total;
    this.#longestMs = longestMs;
    this.#monotonic = monotonic;
  }

  /** Places taken, by everybody. */
  get taken(): number {
    return this.#taken;
  }

  heldBy(holder: string): number {
    return this.#holdings.get(holder)?.places.size ?? 0;
  }

  /** A place, or null where the holder has its share or none is free. */
  take(holder: string): Taken | null {
    if (PART * this.heldBy(holder) >= this.total - this.#taken) return null;
    const holding = this.#holdings.get(holder) ?? { places: new Set(), usualMs: null };
    const place = { atMs: this.#monotonic.now() };
    holding.places.add(place);
    this.#holdings.set(holder, holding);
    this.#taken += 1;
    return { leave: () => this.#leave(holder, holding, place) };
  }

  /**
   * Milliseconds until the holder can have another place if nobody else takes more: when enough of its own are left, by how long
   * its places are usually taken, and where those at work have taken longer already, at the latest.
   */
  waitMs(holder: string): number {
    const holding = this.#holdings.get(holder);
    if (holding === undefined) return Math.min(this.#usualMs ?? this.#longestMs, this.#longestMs);
    const now = this.#monotonic.now();
    const usualMs = holding.usualMs ?? this.#usualMs ?? this.#longestMs;
    const needed = leavings(holding.places.size, this.total - this.#taken);
    // In the order in which they end: those that took longer than usual end last, for nobody knows when.
    const [usual, late]: [number[], number[]] = [[], []];
    for (const { atMs } of holding.places) {
      if (usual.length === needed) break;
      const endsInMs = atMs + usualMs - now;
      if (endsInMs > 0) usual.push(endsInMs);
      else if (late.length < needed) late.push(atMs + this.#longestMs - now);
    }
    const last = [...usual, ...late][needed - 1] ?? this.#longestMs;
    return Math.min(this.#longestMs, Math.max(0, last));
  }

  #leave(holder: string, holding: Holding, place: { readonly atMs: number }): void {
    if (!holding.places.delete(place)) return;
    this.#taken -= 1;
    const tookMs = this.#monotonic.now() - place.atMs;
    holding.usualMs = slower(holding.usualMs, tookMs);
    this.#usualMs = this.#usualMs === null ? tookMs : 0.95 * this.#usualMs + 0.05 * tookMs;
    if (holding.places.size === 0) this.#holdings.delete(holder);
  }
}

/** How many of `held` places must be left until one can be taken: the least k with PART * (held - k) < free + k. */
const leavings = (held: number, free: number): number =>
  Math.max(1, Math.min(held, Math.floor((PART * held - free) / (PART + 1)) + 1));

/** Rises at once and falls slowly, so that most of what comes next is no slower. */
const slower = (usualMs: number | null, tookMs: number): number =>
  usualMs === null || tookMs > usualMs ? tookMs : 0.9 * usualMs + 0.1 * tookMs;
