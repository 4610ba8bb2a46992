/**
 * What the accounts are called and what they say: read from `vocabulary/`, whose formats demo/README.md explains. All
 * places, works, comets and people are invented.
 */
import { readFileSync } from 'node:fs';

export type Season = 'winter' | 'spring' | 'summer' | 'autumn';
export type Words = readonly string[] | Readonly<Record<Season, readonly string[]>>;

/** A kind of account: a library, a teacher. */
export interface KindSpec {
  /** The number of accounts. */
  readonly count: number;
  readonly institution: boolean;
  /** Files of `vocabulary/subjects`: what they post about. */
  readonly subjects: readonly string[];
  /** Display names (institutions); people have first names and surnames. */
  readonly names: readonly string[];
  /** What a handle ends with (institutions; the shortest leaves room for a town's first letters), or has in it. */
  readonly handles: readonly string[];
  readonly bios: readonly string[];
  /** Local hours during which most of their posts are written; the end may be past midnight (26 is 2 am). */
  readonly hours: readonly [number, number];
  /** How much more than others they post and are followed. */
  readonly activity: number;
  readonly fame: number;
}

/** An account that everybody follows. */
export interface Curated {
  readonly handle: string;
  readonly name: string;
  readonly kind: string;
  readonly town: string;
  readonly bio: string;
  /** The share of all accounts that follow it. */
  readonly reach: number;
  /** When the account was opened (RFC 3339); fixed, so that the id is too. */
  readonly createdAt: string;
  readonly protected?: true;
  /** How many posts to write, relative to others of the kind. */
  readonly activity: number;
}

export const readText = (file: string): string =>
  readFileSync(new URL(`./vocabulary/${file}`, import.meta.url), 'utf8');

const readJson = <T>(file: string): T => JSON.parse(readText(file)) as T;

/** Lines of `name: word; word`, or of `name (season): word; word` where the time of year matters. */
function readLists(text: string): Record<string, Words> {
  const lists: Record<string, Words> = {};
  for (const line of text.trim().split('\n')) {
    const [, name = '', season, words = ''] = /^([a-z ]+?)(?: \(([a-z]+)\))?: (.+)$/.exec(line) ?? [];
    const list = words.split('; ');
    lists[name] = season === undefined ? list : ({ ...lists[name], [season]: list } as Words);
  }
  return lists;
}

/** Words that fill the texts, by the name of their slot. */
export const SLOTS: Readonly<Record<string, Words>> = readLists(readText('lists.txt'));

function slotWords(name: string): readonly string[] {
  const words = SLOTS[name];
  if (words === undefined || 'winter' in words) throw new RangeError(`No such list: ${name}`);
  return words;
}

export const TOWNS = slotWords('town');
/** One of them is in the sky at a time, each for a quarter of a year. */
export const COMETS = slotWords('comet');
/** No pair of them names a real person. */
export const FIRST_NAMES = slotWords('first name');
export const SURNAMES = slotWords('surname');

/** How a long town name is shortened in a handle, and what people add to their own introduction. */
export const { shortTowns: SHORT_TOWNS, asides: ASIDES } = readJson<{
  readonly shortTowns: Readonly<Record<string, string>>;
  readonly asides: readonly string[];
}>('names.json');

export const KINDS: ReadonlyMap<string, KindSpec> = new Map(
  Object.entries(readJson<Record<string, KindSpec>>('kinds.json')),
);

export function requireKind(name: string): KindSpec {
  const kind = KINDS.get(name);
  if (kind === undefined) throw new RangeError(`No such kind: ${name}`);
  return kind;
}

export const CURATED = readJson<readonly Curated[]>('curated.json');

/** Lines that fit nearly anything: joining in, agreeing, passing something on. */
export const CHORUS =
  readJson<Readonly<Record<'joinQuestion' | 'joinRemark' | 'coda' | 'applause' | 'quotes', readonly string[]>>>(
    'chorus.json',
  );

/** The picture that went viral. A reply is `reader / observatory / reader`; each is used once. */
export const CELEBRATED = readJson<{
  readonly text: string;
  readonly replies: readonly string[];
  readonly quotes: readonly string[];
}>('celebrated.json');

/** The languages in which some neighbors and visitors write. Each has a file of subjects. */
export const LANGUAGES = ['fr', 'es', 'de', 'pt'];
