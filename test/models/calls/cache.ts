/** Everything that was read and is still cached, with its age, and everything known to be gone. */
import { CACHED_MS } from './prices.js';
import { type Kind, ROWS, type What, type World, whatOf } from './world.js';

export interface ModelPage {
  /** The network's token. For calls that page on from a first page, a copy of it has a name of its own. */
  readonly place: string;
  readonly ids: readonly string[];
  readonly next: string | null;
  readonly before: string | null;
}

export interface Kept<T> {
  readonly value: T;
  readonly fetchedAt: number;
}

/** The place at which calls without a cursor begin. */
export const HEAD = '';
export const isFirst = (place: string): boolean => place === HEAD || place.startsWith('@');

export class UpstreamFault extends Error {}
export class NotFound extends Error {}

/** A profile is cached by its id and its handle, a tweet by its id. */
const namesOf = (what: What, id: string): string[] =>
  what === 'user' ? [`user:${id}`, `handle:user${id}`] : [`tweet:${id}`];

/** The name that a single read uses; profiles are requested by handle. */
export const nameRead = (what: What, id: string): string => (what === 'user' ? `handle:user${id}` : `tweet:${id}`);

const listName = (kind: Kind, subject: string): string => `list:${kind}:${subject}`;

export class ModelCache {
  nowMs: number;
  readonly #world: World;
  readonly #objects = new Map<string, Kept<string>>();
  readonly #pages = new Map<string, Kept<ModelPage> & { readonly untilMs: number }>();
  readonly #absent = new Map<string, number>();
  readonly #tombstones = new Set<string>();

  constructor(world: World, nowMs: number) {
    this.#world = world;
    this.nowMs = nowMs;
  }

  object(name: string): Kept<string> | undefined {
    const kept = this.#live(name);
    return this.#tombstones.has(name) ? undefined : kept;
  }

  #live(name: string): Kept<string> | undefined {
    const kept = this.#objects.get(name);
    return kept && this.nowMs < kept.fetchedAt + CACHED_MS.object ? kept : undefined;
  }

  /** A 404 is remembered for a minute (M24). */
  isAbsent(name: string): boolean {
    const at = this.#absent.get(name);
    return at !== undefined && this.nowMs < at + CACHED_MS.absent;
  }

  /** Reads a single object from the network. */
  readObject(what: What, id: string): void {
    if (this.#world.fault) throw new UpstreamFault(this.#world.fault);
    const name = nameRead(what, id);
    if (this.#world.has(what, id)) {
      this.#keepObject(what, id);
      this.#absent.delete(name);
      return;
    }
    this.#withdraw(what, id, name);
    this.#absent.set(name, this.nowMs);
    throw new NotFound();
  }

  /** A deleted object leaves every cache at once (M25), under each name of a cached copy. */
  #withdraw(what: What, id: string, name: string): void {
    const names = this.#live(name) ? namesOf(what, id) : [name];
    for (const each of names) {
      this.#objects.delete(each);
      this.#tombstones.add(each);
    }
  }

  #keepObject(what: What, id: string): void {
    for (const name of namesOf(what, id)) {
      this.#objects.set(name, { value: id, fetchedAt: this.nowMs });
      this.#tombstones.delete(name);
    }
  }

  isGone(kind: Kind, id: string): boolean {
    return namesOf(whatOf(kind), id).some((name) => this.#tombstones.has(name));
  }

  /** A cached page, unless its list or the list's subject is known to be gone. */
  page(kind: Kind, subject: string, place: string): Kept<ModelPage> | undefined {
    if (this.#namesOfList(kind, subject).some((name) => this.#tombstones.has(name))) return undefined;
    return this.#pageAt(kind, subject, place);
  }

  #pageAt(kind: Kind, subject: string, place: string): Kept<ModelPage> | undefined {
    const at = (where: string): Kept<ModelPage> | undefined => {
      const kept = this.#pages.get(`${listName(kind, subject)} ${where}`);
      return kept && this.nowMs < kept.untilMs ? kept : undefined;
    };
    // A chain whose own first page has expired continues in the newest one (C7).
    return at(place) ?? (place.startsWith('@') ? at(HEAD) : undefined);
  }

  isListAbsent(kind: Kind, subject: string): boolean {
    return this.isAbsent(listName(kind, subject));
  }

  readPage(kind: Kind, subject: string, place: string, before: string | null): Kept<ModelPage> {
    if (this.#world.fault) throw new UpstreamFault(this.#world.fault);
    const first = isFirst(place);
    const got = this.#world.page(kind, subject, first ? null : place);
    const name = listName(kind, subject);
    if (!got) {
      this.#tombstones.add(name);
      // The lists of an account go with it.
      if (ROWS[kind].of === 'user') this.#withdraw('user', subject, `user:${subject}`);
      this.#absent.set(name, this.nowMs);
      throw new NotFound();
    }
    for (const each of this.#namesOfList(kind, subject)) this.#tombstones.delete(each);
    this.#absent.delete(name);
    const what = whatOf(kind);
    const known = this.#earlierIds(kind, subject, first ? null : before);
    const page: ModelPage = {
      place: first ? `@${this.nowMs}` : place,
      ids: got.ids.filter((id) => !known.has(id)),
      next: got.next,
      before: first ? null : before,
    };
    // A list also caches its objects (M13).
    for (const id of got.ids) this.#keepObject(what, id);
    const kept = { value: page, fetchedAt: this.nowMs };
    this.#pages.set(`${name} ${page.place}`, { ...kept, untilMs: this.nowMs + pageMs(kind, false) });
    if (first) this.#pages.set(`${name} ${HEAD}`, { ...kept, untilMs: this.nowMs + pageMs(kind, true) });
    return kept;
  }

  /** The ids on earlier pages of the chain that are still cached: no id appears twice in a chain (C11). */
  #earlierIds(kind: Kind, subject: string, before: string | null): Set<string> {
    const ids = new Set<string>();
    for (let place = before; place !== null; ) {
      const kept = this.#pageAt(kind, subject, place);
      if (!kept) break;
      for (const id of kept.value.ids) ids.add(id);
      place = kept.value.before;
    }
    return ids;
  }

  #namesOfList(kind: Kind, subject: string): string[] {
    const own = listName(kind, subject);
    const { of, emptyWithout } = ROWS[kind];
    return emptyWithout ? [own] : [own, `${of}:${subject}`];
  }
}

function pageMs(kind: Kind, head: boolean): number {
  if (kind === 'followers' || kind === 'following') return CACHED_MS.follows;
  return head ? CACHED_MS.firstPage : CACHED_MS.deeperPage;
}
