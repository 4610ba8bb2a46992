import { type Chance, Urn } from '../../demo/random.js';

const SYLLABLES = 'ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu'.split(' ');
const WORDS = 8000;

/** The word of a rank, 1 being the most frequent. Its share is proportional to `1/rank`, as in any language. */
export function wordOf(rank: number): string {
  let word = '';
  for (let rest = rank + 20 * SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) {
    word += SYLLABLES[rest % SYLLABLES.length] ?? '';
  }
  return word;
}

/** Draws words with the frequency of their rank. */
export class Texts {
  readonly #urn = new Urn(
    Array.from({ length: WORDS }, (_, index) => index + 1),
    (rank) => 1 / rank,
  );
  readonly #chance: Chance;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  word(): string {
    return wordOf(this.#urn.draw(this.#chance));
  }

  sentence(least: number, most: number): string {
    return Array.from({ length: least + this.#chance.int(most - least + 1) }, () => this.word()).join(' ');
  }
}
