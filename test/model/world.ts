/** What the network holds, as plain data: the model knows what can be read, and the scripted network answers from it. */

export type Kind = 'timeline' | 'followers' | 'following' | 'replies' | 'quotes' | 'retweeters';

/** Every list of the world: its subject is `1` (a user) or `900` (a tweet). */
export const KINDS: readonly Kind[] = ['timeline', 'followers', 'following', 'replies', 'quotes', 'retweeters'];

export interface KindRow {
  readonly items: 'tweets' | 'users';
  readonly of: 'user' | 'tweet';
  /** Ordered by time, the newest first. */
  readonly newestFirst: boolean;
  /** T6: whether the list of a subject that is not there is empty, in place of 404. */
  readonly emptyWithout: boolean;
}

export const ROWS: Readonly<Record<Kind, KindRow>> = {
  timeline: { items: 'tweets', of: 'user', newestFirst: true, emptyWithout: false },
  followers: { items: 'users', of: 'user', newestFirst: false, emptyWithout: false },
  following: { items: 'users', of: 'user', newestFirst: false, emptyWithout: false },
  replies: { items: 'tweets', of: 'tweet', newestFirst: false, emptyWithout: false },
  quotes: { items: 'tweets', of: 'tweet', newestFirst: true, emptyWithout: true },
  retweeters: { items: 'users', of: 'tweet', newestFirst: false, emptyWithout: true },
};

export type Change =
  | { readonly change: 'remove' | 'restore'; readonly what: 'user' | 'tweet'; readonly id: string }
  | { readonly change: 'hide' | 'show'; readonly kind: Kind }
  | { readonly change: 'post'; readonly kind: 'timeline' | 'followers' };

export interface WorldPage {
  readonly ids: readonly string[];
  readonly next: string | null;
}

const USER = '1';
const TWEET = '900';
const USERS = 30;
/** Single tweets 900 to 905 are in no list; those of lists begin at 1000. */
/** Who wrote every tweet: comes with it for free (M22), and is asked for by nobody. */
export const AUTHOR = '600';
const SINGLES = 6;
const LIST_TWEETS = 40;

const range = (count: number, first: number): string[] => Array.from({ length: count }, (_, i) => String(first + i));

/** A network of thirty users and six lists, which changes when told. */
export class World {
  readonly users = new Set([...range(USERS, 1), AUTHOR]);
  readonly tweets = new Set([...range(SINGLES, 900), ...range(LIST_TWEETS, 1000)]);
  /** The upstream's fault while it has one: every read fails with this code. */
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
  };
  readonly #pageSizes: Record<Kind, number> = {
    timeline: 5,
    followers: 6,
    following: 4,
    replies: 3,
    quotes: 5,
    retweeters: 3,
  };

  has(what: 'user' | 'tweet', id: string): boolean {
    const all = what === 'user' ? this.users : this.tweets;
    return all.has(id) && !this.#gone.has(`${what} ${id}`);
  }

  /** Null: the network says 404. A token names the last item passed. */
  page(kind: Kind, subject: string, token: string | null): WorldPage | null {
    const { of, emptyWithout, items } = ROWS[kind];
    const there = this.has(of, subject) && !this.#hidden.has(kind);
    if (!there) return emptyWithout ? { ids: [], next: null } : null;
    const ids = subject === (of === 'user' ? USER : TWEET) ? this.#lists[kind] : [];
    const start = token === null ? 0 : ids.indexOf(token) + 1;
    const part = ids.slice(start, start + this.#pageSizes[kind]);
    const what = items === 'users' ? 'user' : 'tweet';
    const more = start + part.length < ids.length;
    return { ids: part.filter((id) => this.has(what, id)), next: more ? (part.at(-1) ?? null) : null };
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
        const id = String(2000 + this.#posted);
        (one.kind === 'timeline' ? this.tweets : this.users).add(id);
        this.#lists[one.kind].unshift(id);
      }
    }
  }
}
