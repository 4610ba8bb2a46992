import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

/**
 * The persisted operations with their texts and hashes, in the ecosystem's manifest format, so that a client can run
 * one by `extensions.persistedQuery.sha256Hash` and knows what it runs. Keyless: the schema is public documentation
 * (U44).
 */
export function mountManifest(
  app: FastifyInstance,
  operations: Readonly<Record<string, string>>,
  path = '/graphql',
): void {
  const manifest = JSON.stringify({
    format: 'apollo-persisted-query-manifest',
    version: 1,
    operations: Object.entries(operations).map(([name, body]) => ({
      id: createHash('sha256').update(body).digest('hex'),
      name,
      type: /^mutation\b/m.test(body) ? 'mutation' : 'query',
      body,
    })),
  });
  app.route({
    method: ['GET', 'HEAD'],
    url: `${path}/operations.json`,
    handler: (_request, reply) =>
      reply.header('Cache-Control', 'public, max-age=300').type('application/json; charset=utf-8').send(manifest),
  });
}
