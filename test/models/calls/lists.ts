/** Lists, page by page: exactly `count` items while that many remain and are paid for (section 4, M1, C5 to C15). */
import type { Bill, ItemLabel } from './bill.js';
import { HEAD, isFirst, type Kept, type ModelCache, type ModelPage, NotFound, UpstreamFault } from './cache.js';
import { failed, type ListRead, type Nested, type Position, type ReadAnswer, unitOf } from './calls.js';
import { readUnpaid } from './resolve.js';
import { ROWS, whatOf } from './world.js';

/** The most upstream pages that a call may read (C12), and how many passed items a cursor records. */
const MOST_PAGES = 10;
const REMEMBERED = 3;

export function readList(cache: ModelCache, bill: Bill, read: ListRead, fresh: boolean): ReadAnswer {
  const least = fresh ? 'bypass' : 'hit';
  if (bill.charged === 0 && !bill.covers(unitOf(read), least)) return failed('no_credits');
  if (read.byHandle) {
    const code = readUnpaid(cache, read.subject);
    if (code) return failed(code);
  }
  return new Walk(cache, bill, read, fresh).run();
}

/** Lists below the items of others, in the document's order: a field for all items, then the lists below it (G9). */
export function readNested(
  cache: ModelCache,
  bill: Bill,
  fields: readonly Nested[],
  subjects: readonly string[],
  fresh: boolean,
): ReadAnswer[] {
  return fields.flatMap(({ kind, count, below = [] }) => {
    const own = subjects.map((subject) =>
      readList(cache, bill, { read: 'list', kind, subject, count, from: null }, fresh),
    );
    const items = own.flatMap(({ ids }) => ids);
    return [...own, ...readNested(cache, bill, below, items, fresh)];
  });
}

class Walk {
  readonly #ids: string[] = [];
  readonly #taken: (readonly [ItemLabel, string])[] = [];
  #cut: Position | null;
  #place: string;
  #before: string | null;
  #seeking: boolean;
  #upstream = 0;
  #hits = 0;

  constructor(
    private readonly cache: ModelCache,
    private readonly bill: Bill,
    private readonly read: ListRead,
    private readonly fresh: boolean,
  ) {
    this.#cut = read.from;
    this.#place = read.from?.place ?? HEAD;
    this.#before = read.from?.before ?? null;
    this.#seeking = read.from !== null;
  }

  run(): ReadAnswer {
    for (;;) {
      const page = this.#page();
      if ('code' in page) return page;
      const done = this.#takeFrom(page.kept.value, page.label);
      if (done) return done;
      const { next, place } = page.kept.value;
      if (next === null) return this.#end();
      this.#before = place;
      this.#place = next;
    }
  }

  get #isFull(): boolean {
    return this.#ids.length >= this.read.count;
  }

  /** The next page, or the answer if there is no next page. A full answer looks one page ahead (C15). */
  #page(): { readonly kept: Kept<ModelPage>; readonly label: ItemLabel } | ReadAnswer {
    const { kind, subject } = this.read;
    const kept = this.fresh ? undefined : this.cache.page(kind, subject, this.#place);
    if (kept) {
      this.bill.saw('hit', kept.fetchedAt);
      return { kept, label: 'hit' };
    }
    if (this.#upstream >= MOST_PAGES) return this.#sparse();
    const label = this.fresh ? 'bypass' : 'miss';
    if (!this.bill.spending.covers(this.#fullPrice(label)))
      return this.#isFull ? this.#answer(this.#onward) : this.#short();
    try {
      if (!this.fresh && this.cache.isListAbsent(kind, subject)) throw new NotFound();
      const got = this.cache.readPage(kind, subject, this.#place, this.#before);
      this.#upstream += 1;
      this.bill.saw(label, got.fetchedAt);
      return { kept: got, label };
    } catch (error) {
      if (this.#isFull) return this.#answer(this.#onward);
      this.bill.giveBack(unitOf(this.read), this.#taken);
      if (error instanceof NotFound) return failed('not_found');
      if (error instanceof UpstreamFault) return failed(error.message);
      throw error;
    }
  }

  #fullPrice(label: 'miss' | 'bypass'): number {
    const uncached = { object: 1000, edge: 100, id: 20, retweeter: 500 }[unitOf(this.read)];
    return label === 'bypass' ? 2 * uncached : uncached;
  }

  #takeFrom(page: ModelPage, label: ItemLabel): ReadAnswer | null {
    const start = this.#start(page);
    if (start === null) return null;
    for (const [index, id] of page.ids.entries()) {
      if (index < start || this.#wasPassed(id) || this.cache.isGone(this.read.kind, id)) continue;
      if (this.#isFull) return this.#answer(this.#cut);
      const name = `${this.fresh ? 'fresh ' : ''}${this.read.idsOnly ? 'id' : whatOf(this.read.kind)} ${id}`;
      const isPaid = this.bill.has(name);
      if (!this.bill.take(unitOf(this.read), label, name)) return this.#short();
      if (!isPaid) this.#taken.push([label, name]);
      this.#ids.push(id);
      if (label === 'hit') this.#hits += 1;
      const passed = [id, ...(this.#cut?.passed ?? [])].slice(0, REMEMBERED);
      const inside = Math.min(index + 1, REMEMBERED);
      this.#cut = { place: page.place, before: page.before, inside, passed };
    }
    return null;
  }

  #wasPassed(id: string): boolean {
    return this.#ids.includes(id) || (this.read.from?.passed.includes(id) ?? false);
  }

  /**
   * The position after the last passed item that the page still shows, or else after its time; null if neither is in
   * this page (C7, C10).
   */
  #start(page: ModelPage): number | null {
    const { from, kind } = this.read;
    if (!this.#seeking || !from) return 0;
    const start = this.#startAfter(page, from, ROWS[kind].newestFirst);
    if (start !== null) this.#seeking = false;
    return start;
  }

  #startAfter(page: ModelPage, { passed, inside }: Position, newestFirst: boolean): number | null {
    for (const id of passed) {
      const index = page.ids.indexOf(id);
      if (index >= 0) return index + 1;
    }
    const [last] = passed;
    // Tweets with higher ids are newer.
    if (newestFirst && last !== undefined) {
      const index = page.ids.findIndex((id) => Number(id) <= Number(last));
      return index >= 0 ? index : null;
    }
    return inside < REMEMBERED && !isFirst(page.place) ? 0 : null;
  }

  get #onward(): Position {
    return { place: this.#place, before: this.#before, inside: 0, passed: this.#cut?.passed ?? [] };
  }

  #answer(next: Position | null, truncated: string | null = null): ReadAnswer {
    const label = this.fresh ? 'bypass' : this.#upstream > 0 ? 'miss' : 'hit';
    return { ...failed(''), code: null, ids: this.#ids, label, hits: this.#hits, truncated, next };
  }

  #end(): ReadAnswer {
    const { from, kind } = this.read;
    const isLost = this.#seeking && from !== null && from.inside > 0 && !ROWS[kind].newestFirst;
    return isLost ? failed('bad_request') : this.#answer(null);
  }

  #short(): ReadAnswer {
    if (this.#ids.length === 0) return failed('no_credits');
    return this.#answer(this.#cut, this.bill.spending.shortage);
  }

  #sparse(): ReadAnswer {
    if (this.#isFull) return this.#answer(this.#onward);
    if (this.#ids.length > 0) return this.#answer(this.#onward, 'sparse');
    return this.#seeking ? failed('bad_request') : this.#answer(null, 'sparse');
  }
}
