/** A set of numbers. Sums them with each number capped, in time logarithmic in the largest (a Fenwick tree). */
export class CappedSums {
  readonly #size: number;
  /** By value, 1 to `largest`: how many there are, and their sum. */
  readonly #counts: Float64Array;
  readonly #sums: Float64Array;
  #count = 0;

  /** A number above `largest` counts as `largest`. */
  constructor(largest: number) {
    this.#size = largest;
    this.#counts = new Float64Array(largest + 1);
    this.#sums = new Float64Array(largest + 1);
  }

  /** Replaces one number by another; 0 means none. */
  change(from: number, to: number): void {
    this.#add(from, -1);
    this.#add(to, 1);
  }

  /** The sum of all numbers, each counted with at most `cap`. */
  sum(cap: number): number {
    let [count, sum] = [0, 0];
    for (let at = Math.min(cap, this.#size); at > 0; at -= at & -at) {
      count += this.#counts[at] ?? 0;
      sum += this.#sums[at] ?? 0;
    }
    return sum + (this.#count - count) * Math.min(cap, this.#size);
  }

  #add(number: number, by: 1 | -1): void {
    const value = Math.min(number, this.#size);
    if (value <= 0) return;
    this.#count += by;
    for (let at = value; at <= this.#size; at += at & -at) {
      this.#counts[at] = (this.#counts[at] ?? 0) + by;
      this.#sums[at] = (this.#sums[at] ?? 0) + by * value;
    }
  }
}
