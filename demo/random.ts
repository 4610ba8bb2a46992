import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/**
 * Random values from a seed. The generator is pure-rand's: its algorithms are fixed by name, so the same seed gives the
 * same network under every release of Node and of the library. Steps that must not affect each other `fork` under a
 * label.
 */
export class Chance {
  private readonly generator;

  constructor(private readonly seed: number) {
    this.generator = xoroshiro128plus(seed | 0);
  }

  fork(label: string): Chance {
    let hash = this.seed | 0;
    for (const char of label) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
    return new Chance(hash);
  }

  /** A whole number from 0 to `below - 1`. */
  int(below: number): number {
    return uniformInt(this.generator, 0, below - 1);
  }

  /** From 0 (included) to 1 (not included). */
  unit(): number {
    return this.int(0x4000_0000) / 0x4000_0000;
  }

  between(low: number, high: number): number {
    return low + this.unit() * (high - low);
  }

  happens(probability: number): boolean {
    return this.unit() < probability;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.int(items.length)];
    if (item === undefined) throw new RangeError('Nothing to pick from.');
    return item;
  }

  /** Around e^mean, with a long tail upwards. */
  skewed(mean: number, deviation: number): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.unit())) * Math.cos(2 * Math.PI * this.unit());
    return Math.exp(mean + deviation * normal);
  }

  shuffled<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, key: this.unit() }))
      .sort((a, b) => a.key - b.key)
      .map(({ item }) => item);
  }
}

/** Draws items in proportion to their weights. */
export class Urn<T> {
  private readonly sums: number[] = [];
  private total = 0;

  constructor(
    private readonly items: readonly T[],
    weight: (item: T) => number,
  ) {
    for (const item of items) {
      this.total += weight(item);
      this.sums.push(this.total);
    }
  }

  draw(chance: Chance): T {
    const mark = chance.unit() * this.total;
    let low = 0;
    let high = this.sums.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.sums[middle] ?? 0) > mark) high = middle;
      else low = middle + 1;
    }
    const item = this.items[low];
    if (item === undefined) throw new RangeError('Nothing to draw from.');
    return item;
  }
}
