import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { type AdmitPublic, createPublic } from '../../http/keyless.js';

export interface OpenapiOptions {
  readonly admitPublic: AdmitPublic;
  /** The address of consent and tokens, where it is another than the base address. */
  readonly authUrl: string | null;
  readonly schema: GraphQLSchema;
  readonly operations: Readonly<Record<string, string>>;
}

/** `/openapi.yaml`, built once, for the public address; a validator saves the next reader the transfer (H6). */
export function mountOpenapi(app: FastifyInstance, { admitPublic, authUrl, ...described }: OpenapiOptions): void {
  let built: Promise<{ text: string; etag: string }> | undefined;
  const build = async () => {
    const { openapiYaml } = await import('./document.js');
    const text = openapiYaml({ ...described, baseUrl: app.baseUrl, authUrl: authUrl ?? app.baseUrl });
    return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
  };
  createPublic(app, admitPublic)('/openapi.yaml', async (request, reply) => {
    built ??= build();
    const { text, etag } = await built;
    reply.header('ETag', etag).header('Cache-Control', 'public, max-age=300');
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    return reply.type('application/yaml; charset=utf-8').send(text);
  });
}
