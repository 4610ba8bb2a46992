import type { Chance } from './random.js';
import { SHORT_TOWNS } from './vocabulary/names.js';

const LONGEST = 15;

/** Handles that are still free, ignoring case. */
export class Handles {
  private readonly taken = new Set<string>();

  constructor(private readonly chance: Chance) {}

  reserve(handle: string): string {
    this.taken.add(handle.toLowerCase());
    return handle;
  }

  /** The town's name and the kind's ending, if the result fits. */
  ofHouse(town: string, endings: readonly string[]): string {
    const short = SHORT_TOWNS[town] ?? town.toLowerCase();
    const whole = endings.map((ending) => town.toLowerCase() + ending);
    const cut = endings.map((ending) => short + ending);
    return this.first([...whole, ...cut], short);
  }

  /** A person's handle: names, initials, or an interest. */
  ofPerson(first: string, last: string, words: readonly string[]): string {
    const [given, family] = [first.toLowerCase(), last.toLowerCase()];
    const word = this.chance.pick(words);
    const forms = [
      given + family,
      `${given}_${family}`,
      `${given}_${word}`,
      given + word,
      `${given.charAt(0)}${family}`,
      `${given}_${family.charAt(0)}`,
      `${word}_${given}`,
    ];
    return this.first(this.chance.shuffled(forms), given);
  }

  private first(candidates: readonly string[], stem: string): string {
    const free = candidates.find((handle) => handle.length <= LONGEST && !this.taken.has(handle));
    if (free !== undefined) return this.reserve(free);
    for (;;) {
      const numbered = `${stem.slice(0, 11)}${10 + this.chance.int(990)}`;
      if (!this.taken.has(numbered)) return this.reserve(numbered);
    }
  }
}
