/** A running hash of numbers and texts: two 32-bit numbers, mixed as in cyrb53. */
class RunningHash {
  #one = 0xdeadbeef;
  #other = 0x41c6ce57;
  readonly #float = new Float64Array(1);
  readonly #words = new Uint32Array(this.#float.buffer);

  add(text: string): void {
    let one = this.#one;
    let other = this.#other;
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      one = Math.imul(one ^ unit, 2654435761);
      other = Math.imul(other ^ unit, 1597334677);
    }
    this.#one = one ^ (other >>> 13);
    this.#other = other ^ (one >>> 11);
  }

  /** Adds all bits of a number. Writing it as text would take longer than hashing. */
  addNumber(value: number): void {
    this.#float[0] = value;
    for (let half = 0; half < 2; half += 1) this.addWord(this.#words[half] as number);
  }

  addWord(word: number): void {
    const one = Math.imul(this.#one ^ word, 2654435761);
    const other = Math.imul(this.#other ^ word, 1597334677);
    this.#one = one ^ (other >>> 13);
    this.#other = other ^ (one >>> 11);
  }

  /** Adds everything that another hash was given. */
  addAllOf(hash: RunningHash): void {
    this.addWord(hash.#one);
    this.addWord(hash.#other);
  }

  get hex(): string {
    return [this.#one, this.#other].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
  }
}

export interface TraceOptions {
  readonly now: () => number;
  /** Keeps every line for reading. */
  readonly isKept: boolean;
}

/** What happened in a run, in order. */
export class Trace {
  readonly lines: string[] = [];
  readonly #options: TraceOptions;
  readonly #all = new RunningHash();
  readonly #order = new RunningHash();
  events = 0;

  constructor(options: TraceOptions) {
    this.#options = options;
  }

  /** `what` says who did what with whom; `detail` is anything that a replay must repeat. */
  add(what: string, detail = ''): void {
    this.events += 1;
    const atMs = this.#options.now();
    this.#order.add(what);
    // The hash of the order already covers what has happened.
    this.#all.addAllOf(this.#order);
    this.#all.addNumber(atMs);
    this.#all.add(detail);
    if (this.#options.isKept) this.lines.push(`${atMs.toFixed(1).padStart(9)} ms  ${what} ${detail}`);
  }

  /** The hash of everything, times and results included: the same for each replay of a seed. */
  get hash(): string {
    return this.#all.hex;
  }

  /** The hash of the order of events alone: two runs with the same hash had the same interleaving. */
  get order(): string {
    return this.#order.hex;
  }
}
