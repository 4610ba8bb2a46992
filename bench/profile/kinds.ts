import { QUERY } from '../contestants/graphql.js';
import { handleOf, SUBJECT } from '../data/rows.js';
import type { Target } from '../load/load.js';

/** A kind of request, and the most of our own files that may take part in one. */
export interface Kind {
  readonly name: string;
  /** The nth request. A miss requests something that was never requested before. */
  readonly at: (nth: number) => Target;
  /** The bound, in fives above the present number; it is only ever lowered. */
  readonly most: number;
  readonly goal?: number;
}

const CACHED: Target = { path: `/v1/users/${SUBJECT.handle}` };

export const KINDS: readonly Kind[] = [
  { name: 'a cached profile over REST', at: () => CACHED, most: 65, goal: 55 },
  {
    name: 'the same, asked in a new way',
    at: (nth) => ({ path: `${CACHED.path}?unknown=${nth}` }),
    most: 75,
  },
  {
    name: 'a profile over REST, not cached',
    at: (nth) => ({ path: `/v1/users/${handleOf(300 + nth)}` }),
    most: 120,
    goal: 95,
  },
  {
    name: 'a profile with 20 tweets over GraphQL, not cached',
    at: (nth) => ({
      path: '/graphql',
      body: JSON.stringify({ query: QUERY, variables: { handle: handleOf(400 + nth) } }),
    }),
    most: 135,
    goal: 110,
  },
];
