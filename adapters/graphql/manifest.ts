import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { readSdl } from '../../schema/print.js';
import { sendStatic, staticBody } from '../http/bodies/static-body.js';
import { type AdmitPublic, createPublic } from '../http/keyless.js';

/**
 * The persisted operations with their texts and hashes, in the ecosystem's manifest format, so that a client can run
 * one by `extensions.persistedQuery.sha256Hash` and knows what it runs. Needs no key, because the schema is public
 * documentation.
 */
export function mountManifest(
  app: FastifyInstance,
  published: Readonly<Record<string, string>>,
  path = '/graphql',
): void {
  const manifest = {
    format: 'apollo-persisted-query-manifest',
    version: 1,
    operations: Object.entries(published).flatMap(([name, body]) => manifestEntries(name, body)),
  };
  const body = staticBody('application/json; charset=utf-8', JSON.stringify(manifest));
  app.route({
    method: ['GET', 'HEAD'],
    url: `${path}/operations.json`,
    handler: (request, reply) => sendStatic(request, reply, body),
  });
}

/** Entries under the persisted name and under the operation's own name, which Apollo's tools look for (G21). */
function manifestEntries(name: string, body: string): object[] {
  const [, type, ownName = name] = /^(query|mutation) (\w+)/.exec(body) ?? [];
  const id = createHash('sha256').update(body).digest('hex');
  return [...new Set([name, ownName])].map((each) => ({ id, name: each, type, body }));
}

/**
 * `/schema.graphql`: the schema as text, with the prices, for tools that take a file or an address. Sent as plain text,
 * which browsers show, because no media type is registered for it.
 */
export function mountSdl(app: FastifyInstance, admitPublic: AdmitPublic): void {
  const sdl = staticBody('text/plain; charset=utf-8', readSdl());
  createPublic(app, admitPublic)('/schema.graphql', (request, reply) => sendStatic(request, reply, sdl));
}
