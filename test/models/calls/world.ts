/**
 * What the network holds, as plain data. The model knows from it what can be read, and the scripted network answers
 * from it.
 */

export type What = 'user' | 'tweet';
export type Kind = 'timeline' | 'followers' | 'following' | 'replies' | 'quotes' | 'retweeters' | 'search' | 'people';

/** The subject of the main list of each kind: a user, a tweet or a query. */
export const SUBJECTS: Readonly<Record<Kind, string>> = {
  timeline: '1',
  followers: '1',
  following: '1',
  replies: '900',
  quotes: '900',
  retweeters: '900',
  search: 'harbour light',
  people: 'harbour light',
};

export const KINDS = Object.keys(SUBJECTS) as readonly Kind[];

export interface KindRow {
  readonly items: 'tweets' | 'users';
  readonly of: What | 'query';
  /** Ordered by time, newest first. */
  readonly newestFirst: boolean;
  /** T6: whether the list of a missing subject is empty rather than 404. */
  readonly emptyWithout: boolean;
}

export const ROWS: Readonly<Record<Kind, KindRow>> = {
  timeline: { items: 'tweets', of: 'user', newestFirst: true, emptyWithout: false },
  followers: { items: 'users', of: 'user', newestFirst: false, emptyWithout: false },
  following: { items: 'users', of: 'user', newestFirst: false, emptyWithout: false },
  replies: { items: 'tweets', of: 'tweet', newestFirst: false, emptyWithout: false },
  quotes: { items: 'tweets', of: 'tweet', newestFirst: true, emptyWithout: true },
  retweeters: { items: 'users', of: 'tweet', newestFirst: false, emptyWithout: true },
  search: { items: 'tweets', of: 'query', newestFirst: true, emptyWithout: true },
  people: { items: 'users', of: 'query', newestFirst: false, emptyWithout: true },
};

export const whatOf = (kind: Kind): What => (ROWS[kind].items === 'users' ? 'user' : 'tweet');

export type Change =
  | { readonly change: 'remove' | 'restore'; readonly what: What; readonly id: string }
  | { readonly change: 'hide' | 'show'; readonly kind: Kind }
  | { readonly change: 'post'; readonly kind: 'timeline' | 'followers' | 'search' };

export interface WorldPage {
  readonly ids: readonly string[];
  readonly next: string | null;
}

const USERS = 30;
/** Author of every tweet: comes with each for free (M22), and no call requests it. */
export const AUTHOR = '600';
/** Single tweets, 900 to 905, are in no list; the tweets of lists begin at 1000. */
const SINGLES = 6;
const LIST_TWEETS = 40;
const NESTED_TWEETS = 40;
const FIRST_POST = 2000;

const range = (count: number, first: number): string[] => Array.from({ length: count }, (_, i) => String(first + i));

/** A network of thirty users and eight lists, which a run can change. */
export class World {
  readonly users = new Set([...range(USERS, 1), AUTHOR]);
  readonly tweets = new Set([...range(SINGLES, 900), ...range(LIST_TWEETS, 1000), ...range(NESTED_TWEETS, 1100)]);
  /** While set, every read fails with this code. */
  fault: string | null = null;
  readonly #gone = new Set<string>();
  readonly #hidden = new Set<Kind>();
  #posted = 0;
  readonly #lists: Record<Kind, string[]> = {
    timeline: range(23, 1000).reverse(),
    followers: range(17, 10),
    following: range(4, 20),
    replies: range(9, 1030),
    quotes: range(5, 1025).reverse(),
    retweeters: range(8, 3),
    search: range(13, 1010).reverse(),
    people: range(7, 8),
  };
  /** Lists of the items on those lists; other items have none. No two lists share an item. */
  readonly #nested: Readonly<Record<string, readonly string[]>> = {
    'timeline 10': range(3, 1100).reverse(),
    'timeline 11': range(7, 1104).reverse(),
    'timeline 3': range(2, 1112).reverse(),
    'replies 1022': range(4, 1115),
    'replies 1021': range(1, 1120),
    'replies 1030': range(2, 1122),
    'quotes 1022': range(6, 1125).reverse(),
  };
  readonly #pageSizes: Record<Kind, number> = {
    timeline: 5,
    followers: 6,
    following: 4,
    replies: 3,
    quotes: 5,
    retweeters: 3,
    search: 4,
    people: 5,
  };

  has(what: What, id: string): boolean {
    const all = what === 'user' ? this.users : this.tweets;
    return all.has(id) && !this.#gone.has(`${what} ${id}`);
  }

  /** The posts in the main list of a kind, oldest first. */
  posts(kind: Kind): readonly string[] {
    return this.#lists[kind].filter((id) => Number(id) > FIRST_POST).reverse();
  }

  /** Whether the main list of a kind exists. */
  shows(kind: Kind): boolean {
    const { of } = ROWS[kind];
    return (of === 'query' || this.has(of, SUBJECTS[kind])) && !this.#hidden.has(kind);
  }

  /** Null if the network says 404. A token names the last item passed. */
  page(kind: Kind, subject: string, token: string | null): WorldPage | null {
    const { of, emptyWithout } = ROWS[kind];
    const there = (of === 'query' || this.has(of, subject)) && !this.#hidden.has(kind);
    if (!there) return emptyWithout ? { ids: [], next: null } : null;
    const ids = subject === SUBJECTS[kind] ? this.#lists[kind] : (this.#nested[`${kind} ${subject}`] ?? []);
    const start = token === null ? 0 : ids.indexOf(token) + 1;
    const part = ids.slice(start, start + this.#pageSizes[kind]);
    const more = start + part.length < ids.length;
    return { ids: part.filter((id) => this.has(whatOf(kind), id)), next: more ? (part.at(-1) ?? null) : null };
  }

  apply(one: Change): void {
    switch (one.change) {
      case 'remove':
        this.#gone.add(`${one.what} ${one.id}`);
        return;
      case 'restore':
        this.#gone.delete(`${one.what} ${one.id}`);
        return;
      case 'hide':
        this.#hidden.add(one.kind);
        return;
      case 'show':
        this.#hidden.delete(one.kind);
        return;
      case 'post': {
        this.#posted += 1;
        const id = String(FIRST_POST + this.#posted);
        (whatOf(one.kind) === 'tweet' ? this.tweets : this.users).add(id);
        this.#lists[one.kind].unshift(id);
      }
    }
  }
}
