import type { Answers } from './answers.js';

/** From memory: the profile, and of its tweets as many as were asked for. */
export const resolversOf = ({ graphql }: Answers) => ({
  Query: { user: () => graphql.user },
  User: {
    tweets: ({ tweets }: Answers['graphql']['user'], { first }: { first: number }) => ({
      nodes: tweets.nodes.slice(0, first),
      pageInfo: tweets.pageInfo,
    }),
  },
});
