import type { Answers, Profile } from './answers.js';

/** Resolves from memory: the profile, and the requested number of its tweets. */
export const resolversOf = ({ graphql }: Answers) => ({
  Query: { user: (_root: unknown, { handle }: { handle: string }) => graphql[handle]?.user },
  User: {
    tweets: ({ tweets }: Profile, { first }: { first: number }) => ({
      nodes: tweets.nodes.slice(0, first),
      pageInfo: tweets.pageInfo,
    }),
  },
});
