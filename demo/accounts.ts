/** The 2,000 accounts. They depend only on the seed, so that handles and ids are the same at every start. */

import type { DemoAccount, Voice } from './account.js';
import { phrase } from './phrase.js';
import type { Chance } from './random.js';
import { snowflake } from './snowflake.js';
import {
  ASIDES,
  CURATED,
  type Curated,
  FIRST_NAMES,
  KINDS,
  LANGUAGES,
  requireKind,
  SHORT_TOWNS,
  SURNAMES,
  TOWNS,
} from './vocabulary.js';

/** The youngest account is older than the oldest tweet. */
const OLDEST_MS = Date.UTC(2014, 4, 1);
const YOUNGEST_MS = Date.UTC(2024, 1, 1);
const VERIFIED = 120;
const PROTECTED = 24;
const PLACES = [
  'by the water',
  'Brindle Coast',
  'on the ferry',
  'the islands',
  'somewhere with tea',
  'upstairs, at the back',
];

type Person = Pick<DemoAccount, 'handle' | 'name' | 'calledBy' | 'town' | 'createdMs' | 'bio'>;

/** Members that are described only by their kind. */
class Census {
  private readonly handles: Handles;
  private readonly takenMs = new Set<number>();

  constructor(private readonly chance: Chance) {
    this.handles = new Handles(chance);
    for (const { handle } of CURATED) this.handles.reserve(handle);
  }

  member(kind: string, position: number): Person {
    const spec = requireKind(kind);
    const town = spec.institution
      ? (TOWNS[(position + kind.length * 3) % TOWNS.length] ?? '')
      : this.chance.pick(TOWNS);
    const say = (template: string): string =>
      phrase(template, {
        chance: this.chance,
        season: 'summer',
        bound: new Map(),
        now: { town },
        handleOf: () => 'harbor_obs',
      });
    const aside = !spec.institution && this.chance.happens(0.6) ? ` ${this.chance.pick(ASIDES)}` : '';
    const bio = say(this.chance.pick(spec.bios)) + aside;
    const createdMs = this.birth(spec.institution);
    if (spec.institution) {
      const name = say(this.chance.pick(spec.names));
      return { handle: this.handles.ofHouse(town, spec.handles), name, calledBy: name, town, createdMs, bio };
    }
    const [first, last] = [this.chance.pick(FIRST_NAMES), this.chance.pick(SURNAMES)];
    const name = this.chance.happens(0.12) ? first : `${first} ${last}`;
    return { handle: this.handles.ofPerson(first, last, spec.handles), name, calledBy: first, town, createdMs, bio };
  }

  voice(institution: boolean): Voice {
    const foreign = !institution && this.chance.happens(0.1);
    return {
      lang: foreign ? this.chance.pick(LANGUAGES) : 'en',
      lower: !institution && this.chance.happens(0.06),
      emoji: this.chance.happens(0.4) ? this.chance.between(0.1, 0.6) : 0.02,
      tags: this.chance.between(0, institution ? 0.5 : 0.3),
    };
  }

  private birth(early: boolean): number {
    for (;;) {
      const share = early ? this.chance.unit() ** 1.6 : this.chance.unit();
      const ms = Math.floor(OLDEST_MS + share * (YOUNGEST_MS - OLDEST_MS));
      if (this.takenMs.has(ms)) continue;
      this.takenMs.add(ms);
      return ms;
    }
  }
}

const curatedPerson = (curated: Curated): Person => ({
  ...curated,
  calledBy: requireKind(curated.kind).institution ? curated.name : (curated.name.split(' ')[0] ?? curated.name),
  createdMs: Date.parse(curated.createdAt),
});

function complete(person: Person, kind: string, index: number, census: Census, chance: Chance): DemoAccount {
  const spec = requireKind(kind);
  const curated = CURATED.find(({ handle }) => handle === person.handle);
  const { institution } = spec;
  return {
    ...person,
    index,
    kind,
    institution,
    id: snowflake(person.createdMs),
    protected: curated?.protected ?? false,
    verified: curated !== undefined && curated.protected === undefined,
    location: chance.happens(0.75)
      ? person.town
      : chance.happens(0.5)
        ? `${person.town}, Brindle Coast`
        : chance.pick(PLACES),
    voice: curated === undefined ? census.voice(institution) : { lang: 'en', lower: false, emoji: 0.15, tags: 0.3 },
    activity: curated?.activity ?? spec.activity * chance.skewed(-0.4, 0.9),
    fame: curated === undefined ? spec.fame * chance.skewed(-0.6, 1.1) : 0,
    reach: curated?.reach ?? null,
    likesCount: Math.floor(chance.skewed(5.6, 1.3)),
    hasUrl: institution || chance.happens(0.15),
    hasBanner: chance.happens(0.6),
  };
}

/** 120 verified, most of them institutions; a few people are private. */
function withBadges(accounts: readonly DemoAccount[], chance: Chance): DemoAccount[] {
  const plain = chance.shuffled(accounts.filter(({ reach }) => reach === null));
  const known = accounts.filter(({ verified }) => verified).length;
  const badges = new Set(plain.filter(({ institution }) => institution).slice(0, VERIFIED - known));
  const closed = new Set(plain.filter(({ institution }) => !institution).slice(0, PROTECTED));
  return accounts.map((account) => ({
    ...account,
    verified: account.verified || badges.has(account),
    protected: account.protected || closed.has(account),
  }));
}

export function makeAccounts(seed: Chance): DemoAccount[] {
  const chance = seed.fork('accounts');
  const census = new Census(chance);
  const accounts: DemoAccount[] = [];
  for (const curated of CURATED)
    accounts.push(complete(curatedPerson(curated), curated.kind, accounts.length, census, chance));
  for (const [kind, { count }] of KINDS) {
    const already = CURATED.filter((curated) => curated.kind === kind).length;
    for (let position = 0; position < count - already; position += 1)
      accounts.push(complete(census.member(kind, position), kind, accounts.length, census, chance));
  }
  return withBadges(accounts, chance);
}

const LONGEST = 15;

/** Handles that are still free, ignoring case. */
class Handles {
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
