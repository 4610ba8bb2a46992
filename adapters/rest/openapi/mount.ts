import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { lazily } from '../../../src/core/lazily.js';
import { type AdmitPublic, createPublic } from '../../http/keyless.js';
import { openapiYaml } from './document.js';

export interface OpenapiOptions {
  readonly admitPublic: AdmitPublic;
  /** The address of consent and tokens, where it differs from the base address. */
  readonly authUrl: string | null;
  readonly schema: GraphQLSchema;
  readonly operations: Readonly<Record<string, string>>;
}

/** `/openapi.yaml`, built once, for the public address; its validator saves the next reader the download (H6). */
export function mountOpenapi(app: FastifyInstance, { admitPublic, authUrl, ...described }: OpenapiOptions): void {
  const built = lazily(async () => {
    const text = await openapiYaml({ ...described, baseUrl: app.baseUrl, authUrl: authUrl ?? app.baseUrl });
    return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
  });
  createPublic(app, admitPublic)('/openapi.yaml', async (request, reply) => {
    const { text, etag } = await built.get();
    reply.header('ETag', etag).header('Cache-Control', 'public, max-age=300');
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    return reply.type('application/yaml; charset=utf-8').send(text);
  });
}
