import { createServer, type Server } from 'node:http';
import { createSchema, createYoga } from 'graphql-yoga';
import type { Answers } from './answers.js';
import { TYPE_DEFS } from './graphql.js';
import { resolversOf } from './resolvers.js';

/** Yoga with its defaults, serving the operation from memory. */
export async function yoga(answers: Answers): Promise<Server> {
  const schema = createSchema({ typeDefs: TYPE_DEFS, resolvers: resolversOf(answers) });
  const handler = createYoga({ schema, logging: false, graphiql: false });
  return createServer((request, response) => void handler(request, response));
}
