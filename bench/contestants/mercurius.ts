import type { Server } from 'node:http';
import fastify from 'fastify';
import mercurius from 'mercurius';
import type { Answers } from './answers.js';
import { TYPE_DEFS } from './graphql.js';
import { resolversOf } from './resolvers.js';

/** Mercurius with its just-in-time compiler, serving the operation from memory. */
export async function mercuriusJit(answers: Answers): Promise<Server> {
  const app = fastify();
  await app.register(mercurius, { schema: TYPE_DEFS, resolvers: resolversOf(answers), jit: 1 });
  await app.ready();
  return app.server;
}
