import type { Server } from 'node:http';
import fastify from 'fastify';
import type { Answers } from './answers.js';

/** What most services do: the object in memory, JSON.stringify per answer; no key, no limit, no meter. */
export async function fastifyJson({ rest }: Answers): Promise<Server> {
  const app = fastify();
  for (const { path, acceptEncoding, base64 } of rest) {
    if (acceptEncoding !== '') continue;
    const answer: unknown = JSON.parse(Buffer.from(base64, 'base64').toString());
    // By path alone: a query is the same for every request of a round.
    app.get(path.split('?')[0] ?? path, (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(JSON.stringify(answer)),
    );
  }
  await app.ready();
  return app.server;
}
