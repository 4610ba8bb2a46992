import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { Admit } from '../../src/access/admit.js';
import { ServiceError } from '../../src/core/errors.js';
import { graphiqlAssets } from '../graphql/graphiql/assets.js';
import type { ExampleSubjects } from '../graphql/graphiql/examples.js';
import { graphiqlPage } from '../graphql/graphiql/page.js';
import { GRAPHIQL_CSP } from '../graphql/graphiql/policy.js';
import { sendFailure } from '../http/failure.js';
import { createKeyless, type Handler, PAGE } from '../http/keyless.js';
import { openapiYaml } from '../rest/openapi/document.js';
import type { AssetSet } from './asset-set.js';
import { siteAssets } from './assets.js';
import { landingPage } from './landing.js';
import { landingFacts } from './landing-facts.js';
import { notFoundPage } from './not-found.js';
import { packable } from './packed.js';
import { isErrorCode, problemFacts, problemPage, problemsFacts, problemsPage } from './problems.js';
import { sendPage, wantsHtml } from './send-page.js';
import { statusPage } from './status.js';
import type { StatusModel } from './status-model.js';

export interface SiteOptions {
  readonly admit: Admit;
  readonly status: () => Promise<StatusModel>;
  readonly version: string;
  readonly network: string;
  /** The demo account's key; null where there is none. */
  readonly demoKey: string | null;
  /** Whether what is read is the invented demo network. */
  readonly demo: boolean;
  /** What GraphiQL's examples ask for; null: what is in any corpus. */
  readonly subjects: ExampleSubjects | null;
  /** The address of consent and tokens, where it is another than the base address. */
  readonly authUrl: string | null;
  readonly schema: GraphQLSchema;
  readonly operations: Readonly<Record<string, string>>;
}

/** The keyless paths, under the `public` policy: HTML for a browser, JSON for a program; GET and HEAD (H4, H10). */
export function mountSite(app: FastifyInstance, options: SiteOptions): { graphiql: Handler } {
  const openKeyless = createKeyless(app, options.admit.admitPublic);
  const keyless = (url: string, handler: Handler): void =>
    openKeyless(PAGE, url, (request, reply) => handler(request, reply.header('Access-Control-Allow-Origin', '*')));
  keyless('/', landingHandler(app, options));
  keyless('/healthz', (_request, reply) =>
    app.stopping ? reply.code(503).send({ status: 'stopping' }) : reply.send({ status: 'ok' }),
  );
  keyless('/status', async (request, reply) => {
    const status = await options.status();
    return wantsHtml(request) ? sendPage(reply, statusPage(status)) : reply.send(status);
  });
  keyless('/openapi.yaml', openapiHandler(app, options));
  keyless('/problems', (request, reply) =>
    wantsHtml(request) ? sendPage(reply, problemsPage()) : reply.send(problemsFacts()),
  );
  keyless('/problems/:code', (request, reply) => {
    const { code = '' } = request.params as { code?: string };
    if (isErrorCode(code))
      return wantsHtml(request) ? sendPage(reply, problemPage(code)) : reply.send(problemFacts(code));
    if (wantsHtml(request)) return sendPage(reply.code(404), notFoundPage());
    return sendFailure(request, reply, new ServiceError('not_found', `${JSON.stringify(code)} is not an error code.`));
  });
  mountAssets(app, siteAssets());
  mountAssets(app, graphiqlAssets());
  return { graphiql: graphiqlHandler(app, options) };
}

/** A demo's page runs its example with the demo key: nothing on the way may keep it then, no page of another origin read it. */
function landingHandler(app: FastifyInstance, options: SiteOptions): Handler {
  const { version, network, demo, demoKey, subjects } = options;
  const live =
    demoKey !== null && subjects !== null
      ? { key: demoKey, handles: [subjects.handle, ...subjects.otherHandles] }
      : null;
  return (request, reply) => {
    const model = { baseUrl: app.baseUrl, version, network, demo, live };
    if (!wantsHtml(request)) return reply.send(landingFacts(model));
    if (live !== null) reply.header('Cache-Control', 'no-store').removeHeader('Access-Control-Allow-Origin');
    return sendPage(reply, landingPage(model));
  };
}

/** Built once, for the public address; a validator saves the next reader the transfer (H6). */
function openapiHandler(app: FastifyInstance, { schema, operations, authUrl }: SiteOptions): Handler {
  let built: { text: string; etag: string } | undefined;
  return (request, reply) => {
    built ??= described(openapiYaml({ schema, operations, baseUrl: app.baseUrl, authUrl: authUrl ?? app.baseUrl }));
    reply.header('ETag', built.etag).header('Cache-Control', 'public, max-age=300');
    if (request.headers['if-none-match'] === built.etag) return reply.code(304).send();
    return reply.type('application/yaml; charset=utf-8').send(built.text);
  };
}

const described = (text: string) => ({
  text,
  etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`,
});

/** Where a demo key is in the page, nothing on the way may keep it. */
function graphiqlHandler(app: FastifyInstance, { demoKey, subjects }: SiteOptions): Handler {
  return (_request, reply) =>
    reply
      .header('Content-Security-Policy', GRAPHIQL_CSP)
      .header('Cache-Control', demoKey === null ? 'public, max-age=60' : 'no-store')
      .header('Vary', 'Accept')
      .type('text/html; charset=utf-8')
      .send(graphiqlPage({ demoKey, baseUrl: app.baseUrl, ...(subjects && { subjects }) }));
}

/** Assets never change under their address and are under no rate policy (L10). */
function mountAssets(app: FastifyInstance, assets: AssetSet): void {
  for (const [url, asset] of assets) {
    const bytes = packable(asset);
    app.route({
      method: ['GET', 'HEAD'],
      url,
      handler: async (request, reply) => {
        reply.header('Cache-Control', 'public, max-age=31536000, immutable').header('Vary', 'Accept-Encoding');
        reply.header('ETag', asset.etag).type(asset.type);
        if (request.headers['if-none-match'] === asset.etag) return reply.code(304).send();
        const { body, gzip } = await bytes(request.headers['accept-encoding']);
        // Named even when it is none: the asset is packed here, once, and not again on its way out.
        return reply.header('Content-Encoding', gzip ? 'gzip' : 'identity').send(body);
      },
    });
  }
}
