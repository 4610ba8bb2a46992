/**
 * Makes a sentence of a template: `[this|that]` is a choice, `{slot}` a word that stays the same throughout a
 * conversation (`{slot2}` a second, different one), `{^slot}` the word with a capital, `{a slot}` with its article,
 * `{@kind}` the handle of an account of that kind.
 */
import type { Chance } from './random.js';
import { type Season, SLOTS } from './vocabulary.js';

export interface Scope {
  readonly chance: Chance;
  readonly season: Season;
  /** Words already chosen in this conversation. */
  readonly bound: Map<string, string>;
  /** Words that depend on the speaker and the time; they are not kept. */
  readonly now: Readonly<Record<string, string>>;
  /** The handle of an account of that kind, near the speaker. */
  readonly handleOf: (kind: string) => string;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const article = (text: string): string => `${/^[aeiou]/i.test(text) ? 'an' : 'a'} ${text}`;

function wordFor(slot: string, scope: Scope): string {
  const given = scope.now[slot] ?? scope.bound.get(slot);
  if (given !== undefined) return given;
  const base = slot.replace(/\d$/, '');
  const words = SLOTS[base];
  if (words === undefined) throw new RangeError(`No such slot: ${slot}`);
  const list = 'winter' in words ? words[scope.season] : words;
  const taken = new Set([base, `${base}2`, `${base}3`].map((name) => scope.bound.get(name)));
  const free = list.filter((word) => !taken.has(word));
  const word = scope.chance.pick(free.length > 0 ? free : list);
  scope.bound.set(slot, word);
  return word;
}

function fill(slot: string, scope: Scope): string {
  if (slot.startsWith('@')) {
    const kept = scope.bound.get(slot) ?? `@${scope.handleOf(slot.slice(1))}`;
    scope.bound.set(slot, kept);
    return kept;
  }
  if (slot.startsWith('^')) return capital(fill(slot.slice(1), scope));
  if (slot.startsWith('a ')) return article(wordFor(slot.slice(2), scope));
  return wordFor(slot, scope);
}

/** Sentences begin with a capital, whatever slot is first; addresses are left alone. */
const capitalised = (text: string): string =>
  text.replace(/(^|[.!?:] )(?!https?:)(\p{Ll})/gu, (found, lead: string, letter: string) =>
    lead.startsWith(':') ? found : lead + letter.toUpperCase(),
  );

export function phrase(template: string, scope: Scope): string {
  const chosen = template.replace(/\[([^[\]]*)\]/g, (_, choices: string) => scope.chance.pick(choices.split('|')));
  return capitalised(chosen.replace(/\{([^{}]+)\}/g, (_, slot: string) => fill(slot, scope)));
}
