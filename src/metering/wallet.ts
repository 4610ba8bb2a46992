import type { Thousandths } from '../domain/credits.js';
import { LinkedSet } from '../lib/brief-collections.js';
import type { Posted } from '../ports/ledger.js';

/** A balance, and the number of the wallet entry after which it was read: the higher, the newer. */
interface Figure {
  readonly balance: Thousandths;
  readonly seq: number;
}

/**
 * This process's view of one wallet: a balance read from the ledger, and the amount that calls in flight here are about
 * to spend (M5).
 *
 * A post is durable before this process learns of it. A balance read in between already has its amount subtracted,
 * which must not be subtracted again for the call in flight. So a lower balance is adopted only once all posts that it
 * may include are booked; the entry number of each then shows whether it was included.
 */
export class Wallet {
  #balance: Thousandths;
  #seq = -1;
  #knownAtMs = Number.NEGATIVE_INFINITY;
  #inFlight: Thousandths = 0;
  /** Posts in flight; each resolves when it is booked, and never rejects. */
  readonly #posting = new LinkedSet<Promise<void>>();
  /** The newest of all posts booked since the current figure. */
  #newest: Figure | null = null;
  /** Posts booked while figures are being read: a figure may be older than these posts. */
  #booked: { readonly seq: number; readonly amount: Thousandths }[] = [];
  #readings = 0;

  constructor(balance: Thousandths = 0) {
    this.#balance = balance;
  }

  /** The balance less what calls in flight are about to spend. */
  get left(): Thousandths {
    return this.#balance - this.#inFlight;
  }

  /** Whether the last figure, however old, does not cover the amount; false if there was none yet. */
  isShortOf(amount: Thousandths): boolean {
    return this.#seq >= 0 && this.left < amount;
  }

  /** When the ledger last confirmed the balance, by the caller's clock. */
  get knownAtMs(): number {
    return this.#knownAtMs;
  }

  /** A call is about to spend this amount; a negative amount takes a plan back. */
  plan(amount: Thousandths): void {
    this.#inFlight += amount;
  }

  /** `amount`, a part of what was planned, is being posted. It counts as planned until the outcome is known. */
  post(posting: Promise<Posted>, planned: Thousandths, amount: Thousandths, clock: { now(): number }): void {
    const end = (): void => {
      this.#posting.remove(link);
      this.#inFlight -= planned;
    };
    const booked: Promise<void> = posting.then(
      (posted) => {
        end();
        if (posted.ok) this.#book(posted, amount, clock.now());
        else this.invalidate();
      },
      () => {
        end();
        this.invalidate();
      },
    );
    const link = this.#posting.add(booked);
  }

  #book({ balance, seq }: Figure, amount: Thousandths, nowMs: number): void {
    if (this.#newest === null || seq > this.#newest.seq) this.#newest = { balance, seq };
    if (seq > this.#seq) {
      this.#balance -= amount;
      if (this.#readings > 0) this.#booked.push({ seq, amount });
    }
    // If no post of this process is in flight, the newest figure is exact. If it is not lower than what was computed
    // from the last one, the two agree, or credits were added.
    if (this.#posting.size === 0 || this.#newest.balance >= this.#balance) this.#adopt(this.#newest, nowMs);
  }

  /**
   * Reads a figure that covers `need`, or is exact. Resolves with it at once if it is enough whatever else is being
   * posted; otherwise once every post in flight is booked.
   */
  async learn<F extends Figure>(read: () => Promise<F>, need: Thousandths, clock: { now(): number }): Promise<F> {
    this.#readings += 1;
    let settled: Promise<unknown> | null = null;
    try {
      const figure = await read();
      if (this.#posting.size === 0) {
        this.#adopt(figure, clock.now());
        return figure;
      }
      // Assumes that the figure contains none of the posts in flight: the balance can only be higher.
      const least = figure.balance - this.#bookedAfter(figure.seq) - this.#inFlight;
      if (least >= this.left) this.#adopt(figure, clock.now());
      else settled = Promise.all(this.#posting).then(() => this.#adopt(figure, clock.now()));
      if (least < need) await (settled ?? Promise.all(this.#posting));
      else this.#knownAtMs = clock.now();
      return figure;
    } finally {
      if (settled === null) this.#endReading();
      else void settled.then(() => this.#endReading());
    }
  }

  /** The ledger refused what this balance allowed, or the outcome is unknown: read the balance again next time. */
  invalidate(): void {
    this.#knownAtMs = Number.NEGATIVE_INFINITY;
  }

  #adopt({ balance, seq }: Figure, nowMs: number): void {
    if (seq < this.#seq) return;
    this.#balance = balance - this.#bookedAfter(seq);
    this.#seq = seq;
    this.#knownAtMs = nowMs;
    this.#booked = this.#booked.filter((one) => one.seq > seq);
  }

  #bookedAfter(seq: number): Thousandths {
    return this.#booked.reduce((sum, one) => (one.seq > seq ? sum + one.amount : sum), 0);
  }

  #endReading(): void {
    this.#readings -= 1;
    if (this.#readings === 0) this.#booked = [];
  }
}
