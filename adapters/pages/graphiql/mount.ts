import type { FastifyInstance } from 'fastify';
import { type StaticBody, sendStatic, staticBody } from '../../http/bodies/static-body.js';
import type { Handler } from '../../http/keyless.js';
import { mountAssets } from '../kit/mount-assets.js';
import { graphiqlAssets } from './assets.js';
import type { ExampleSubjects } from './examples.js';
import { graphiqlPage } from './page.js';
import { GRAPHIQL_CSP } from './policy.js';

export interface GraphiqlOptions {
  /** The demo account's key, which the page opens with; null where there is none. */
  readonly demoKey: string | null;
  /** The subjects of the examples; null: ones that exist in any corpus. */
  readonly subjects: ExampleSubjects | null;
}

/** Mounts GraphiQL's assets, and returns the page's handler, which shares its address with GraphQL itself. */
export function mountGraphiql(app: FastifyInstance, { demoKey, subjects }: GraphiqlOptions): Handler {
  mountAssets(app, graphiqlAssets());
  let page: StaticBody | undefined;
  return (request, reply) => {
    // The public address is known once the server listens.
    page ??= staticBody(
      'text/html; charset=utf-8',
      graphiqlPage({ demoKey, baseUrl: app.baseUrl, ...(subjects && { subjects }) }),
    );
    reply.header('Content-Security-Policy', GRAPHIQL_CSP).header('Vary', 'Accept');
    // With a demo key in the page, no cache on the way may keep it.
    return sendStatic(request, reply, page, demoKey === null ? 'public, max-age=60' : 'no-store');
  };
}
