/** One small invented network in Perch's own terms. Each adapter's stand-in serves it in those of its upstream. */

export interface Person {
  /** Letters only; stand-ins make handles and ids from it. */
  readonly name: string;
  readonly bio?: string;
  /** Not to be shown, whatever the network calls that. */
  readonly state?: 'deleted' | 'private' | 'suspended';
  readonly followers: readonly string[];
  readonly createdAt: string;
}

export interface Post {
  /** Unique in the world. */
  readonly key: string;
  readonly by: string;
  readonly text: string;
  readonly at: string;
  readonly replyTo?: string;
  readonly quotes?: string;
  readonly reposts?: string;
  readonly deleted?: true;
  readonly photo?: { readonly url: string };
  readonly hashtags?: readonly string[];
  readonly mentions?: readonly string[];
  readonly links?: readonly string[];
}

export interface World {
  readonly people: readonly Person[];
  /** Oldest first. */
  readonly posts: readonly Post[];
}

/** Several times what any natural page holds. */
export const MANY = 250;

/** The number of posts written while a list is watched: replies to and quotes of `question`. */
export const LATER = 5;

const START = Date.UTC(2026, 9, 1);
const at = (minutes: number): string => new Date(START + minutes * 60_000).toISOString();
const letters = (n: number): string => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');

export const fanOf = (n: number): string => `fan${letters(n)}`;
export const laterOf = (n: number): string => `later${n}`;
export const noteOf = (n: number): string => `note${n}`;

const fans: Person[] = Array.from({ length: MANY }, (_, n) => ({ name: fanOf(n), followers: [], createdAt: at(n) }));

const person = (name: string, rest: Partial<Person> = {}): Person => ({
  name,
  followers: [],
  createdAt: at(0),
  ...rest,
});

/**
 * `harbor` has 250 followers and 250 notes; `ada` asks, `ben` and `cleo` answer, `ben` is answered in turn; `quiet` has
 * never posted; `gone`, `shy` and `banned` are not to be shown.
 */
export const WORLD: World = {
  people: [
    person('harbor', { bio: 'Tides and ferries.', followers: fans.map(({ name }) => name) }),
    person('ada', { followers: ['ben', 'cleo'] }),
    person('ben', { followers: ['ada'] }),
    person('cleo'),
    person('quiet'),
    person('gone', { state: 'deleted' }),
    person('shy', { state: 'private' }),
    person('banned', { state: 'suspended' }),
    ...fans,
  ],
  posts: [
    ...Array.from({ length: MANY }, (_, n) => ({
      key: noteOf(n),
      by: 'harbor',
      text: `Tide table number ${n}`,
      at: at(1000 + n),
    })),
    { key: 'question', by: 'ada', text: 'Which ferry is the earliest?', at: at(2000) },
    { key: 'answer', by: 'ben', text: 'The one at six.', at: at(2001), replyTo: 'question' },
    { key: 'other', by: 'cleo', text: 'Ask the harbour.', at: at(2002), replyTo: 'question' },
    { key: 'nested', by: 'ada', text: 'Thank you!', at: at(2003), replyTo: 'answer' },
    { key: 'quoting', by: 'cleo', text: 'A good question', at: at(2004), quotes: 'question' },
    { key: 'boost', by: 'ben', text: '', at: at(2005), reposts: 'question' },
    { key: 'removed', by: 'ada', text: 'Never mind.', at: at(2006), deleted: true },
    { key: 'quotingRemoved', by: 'ben', text: 'What was it?', at: at(2007), quotes: 'removed' },
    {
      key: 'rich',
      by: 'cleo',
      text: 'A picture of the #harbour for @ada https://example.org/ferries',
      at: at(2008),
      photo: { url: 'https://pictures.example/harbour.jpg' },
      hashtags: ['harbour'],
      mentions: ['ada'],
      links: ['https://example.org/ferries'],
    },
    { key: 'hidden', by: 'shy', text: 'Only for friends', at: at(2009) },
    ...Array.from({ length: LATER }, (_, n) => ({
      key: laterOf(n),
      by: 'cleo',
      text: `A later ferry, number ${n}`,
      at: at(2020 + n),
      replyTo: 'question',
      quotes: 'question',
      deleted: true as const,
    })),
  ],
};

/** The later posts are written after a pause of a few minutes without any. */
export const QUIET_FROM = START + 2015 * 60_000;
export const LATER_FROM = START + 2030 * 60_000;

/** Adds the later posts, or removes them. */
export function setLater(isThere: boolean): void {
  for (const post of WORLD.posts) {
    if (post.key.startsWith('later')) Object.assign(post, { deleted: isThere ? undefined : true });
  }
}

export const isShown = (world: World, name: string): boolean =>
  world.people.some((one) => one.name === name && one.state === undefined);

export const postOf = (world: World, key: string): Post => {
  const found = world.posts.find((post) => post.key === key);
  if (found === undefined) throw new Error(`There is no ${key} in the world.`);
  return found;
};

/** The visible posts of a person's timeline, newest first, reposts included. */
export const timelineOf = (world: World, name: string): Post[] =>
  world.posts.filter((post) => post.by === name && !post.deleted).reverse();
