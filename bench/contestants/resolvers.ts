import type { Answers, Profile } from './answers.js';

/** From memory: the profile, and of its tweets as many as were asked for. */
export const resolversOf = ({ graphql }: Answers) => ({
  Query: { user: (_root: unknown, { handle }: { handle: string }) => graphql[handle]?.user },
  User: {
    tweets: ({ tweets }: Profile, { first }: { first: number }) => ({
      nodes: tweets.nodes.slice(0, first),
      pageInfo: tweets.pageInfo,
    }),
  },
});
