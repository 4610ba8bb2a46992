import type { FastifyInstance } from 'fastify';
import { type StaticBody, sendStatic, staticBody } from '../../http/bodies/static-body.js';
import type { Handler } from '../../http/keyless.js';
import { mountAssets } from '../kit/asset-set.js';
import { graphiqlAssets } from './assets.js';
import type { ExampleSubjects } from './examples.js';
import { graphiqlPage } from './page.js';

/**
 * The only `<style>` that GraphiQL writes itself: react-remove-scroll adds it while a dialog or menu is open. Its text
 * is always the same here, because the page does not scroll. All other styling goes through the CSSOM, to which a CSP
 * does not apply. A test opens the dialogs and fails on any violation, so a change in the package is noticed (U43).
 */
const DIALOG_STYLE = 'sha256-Y/huXlwoYkVyQlxwSVcCi1RCDGDCSVBzDt0hYP9qlTc=';

/** Content-Security-Policy of the page: own scripts and styles, no eval; icons are embedded in the stylesheet. */
export const GRAPHIQL_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' '${DIALOG_STYLE}'`,
  "img-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export interface GraphiqlOptions {
  /** The demo account's key, which the page uses when it opens; null unless the network is the demo now. */
  readonly demoKey: () => Promise<string | null>;
  /** The subjects of the examples; null if the network has no accounts yet. */
  readonly samples: () => Promise<ExampleSubjects | null>;
}

/** Mounts GraphiQL's assets, and returns the page's handler, which shares its address with GraphQL itself. */
export function mountGraphiql(app: FastifyInstance, { demoKey, samples }: GraphiqlOptions): Handler {
  mountAssets(app, graphiqlAssets());
  let made: { readonly key: string | null; readonly handle: string | undefined; readonly page: StaticBody } | undefined;
  return async (request, reply) => {
    const [key, subjects] = await Promise.all([demoKey(), samples()]);
    if (made === undefined || made.key !== key || made.handle !== subjects?.handle) {
      // The public address is known only once the server listens.
      const page = graphiqlPage({ demoKey: key, baseUrl: app.baseUrl, subjects });
      made = { key, handle: subjects?.handle, page: staticBody('text/html; charset=utf-8', page) };
    }
    reply.header('Content-Security-Policy', GRAPHIQL_CSP).header('Vary', 'Accept');
    // A page with a demo key must not be kept by any cache on the way.
    return sendStatic(request, reply, made.page, key === null ? 'public, max-age=60' : 'no-store');
  };
}
