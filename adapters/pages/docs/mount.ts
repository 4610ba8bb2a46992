import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { ServiceError } from '../../../src/domain/errors.js';
import { lazily } from '../../../src/lib/lazily.js';
import { quoted } from '../../../src/lib/text.js';
import { type StaticBody, sendStatic, staticBody } from '../../http/bodies/static-body.js';
import { sendFailure } from '../../http/failure.js';
import { type AdmitPublic, createUnrefused, negotiated } from '../../http/keyless.js';
import { mountAssets } from '../kit/asset-set.js';
import { ATOM } from '../kit/atom.js';
import { notFoundPage } from '../kit/not-found.js';
import { pageHeaders, publicPage, sendPage, wantsHtml } from '../kit/send-page.js';
import { apiEntries } from './api/model.js';
import { type ApiOptions, mountApi } from './api/mount.js';
import { CHANGELOG, CHANGELOG_FEED, changelogFeed, changelogPage } from './changelog.js';
import { TYPES } from './contents.js';
import { llmsText, readDocs, searchRows } from './library.js';
import { docsIndex, docsPage } from './pages.js';
import { COMPOSE_PATH, composeFile, docsPictures } from './sources.js';

const HTML = 'text/html; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';
const MARKDOWN = 'text/markdown; charset=utf-8';

export interface DocsOptions extends ApiOptions {
  readonly admitStatic: AdmitPublic;
  readonly schema: GraphQLSchema;
  /** Paths of other public pages, for the sitemap. */
  readonly sitePaths: readonly string[];
}

/** Everything that is served; made for the first request. */
interface Shelf {
  readonly index: StaticBody;
  readonly llms: StaticBody;
  readonly search: StaticBody;
  readonly sitemap: StaticBody;
  readonly changelog: { readonly html: StaticBody; readonly feed: StaticBody };
  readonly compose: StaticBody;
  readonly pages: ReadonlyMap<string, { readonly html: StaticBody; readonly markdown: StaticBody }>;
}

async function shelve(app: FastifyInstance, options: DocsOptions): Promise<Shelf> {
  const { schema, describe, operations, sitePaths } = options;
  const { baseUrl } = app;
  const pages = await readDocs(baseUrl, schema);
  const entries = apiEntries({ document: describe(), operations, baseUrl });
  const paths = ['/docs', ...pages.map(({ name }) => `/docs/${name}`), '/docs/api'];
  const operationPaths = entries.map(({ id }) => `/docs/api/${id}`);
  return {
    sitemap: staticBody(
      'application/xml; charset=utf-8',
      sitemap(baseUrl, [...sitePaths, CHANGELOG, ...paths, ...operationPaths]),
    ),
    changelog: {
      html: staticBody(HTML, publicPage(app, CHANGELOG, changelogPage())),
      feed: staticBody(ATOM, changelogFeed(baseUrl)),
    },
    index: staticBody(HTML, publicPage(app, '/docs', docsIndex(pages))),
    llms: staticBody(TEXT, llmsText(pages, entries, baseUrl)),
    search: staticBody('application/json; charset=utf-8', JSON.stringify(searchRows(pages, entries))),
    compose: staticBody(TEXT, composeFile()),
    pages: new Map(
      pages.map((page) => [
        page.name,
        {
          html: staticBody(HTML, publicPage(app, `/docs/${page.name}`, docsPage(pages, page))),
          markdown: staticBody(MARKDOWN, page.markdown),
        },
      ]),
    ),
  };
}

/** The addresses of all public pages (sitemaps.org). */
const sitemap = (baseUrl: string, paths: readonly string[]): string =>
  [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...paths.map((path) => `<url><loc>${baseUrl}${path}</loc></url>`),
    '</urlset>',
    '',
  ].join('\n');

/**
 * The documentation, under the `public` policy and never refused. Browsers get pages; programs get Markdown, as does
 * everyone at addresses that end in `.md` (H13).
 */
export function mountDocs(app: FastifyInstance, options: DocsOptions): void {
  // The public address is known only once the port is.
  const shelf = lazily(() => shelve(app, options));
  const keyless = createUnrefused(app, options.admitStatic);
  const sendHtml = (request: FastifyRequest, reply: FastifyReply, page: StaticBody) =>
    sendStatic(request, pageHeaders(reply), page);
  const sendIndex = negotiated(async (request, reply) => {
    const { index, llms } = await shelf.get();
    return wantsHtml(request) ? sendHtml(request, reply, index) : sendStatic(request, reply, llms);
  });
  keyless('/docs', sendIndex);
  keyless('/llms.txt', async (request, reply) => sendStatic(request, reply, (await shelf.get()).llms));
  keyless('/docs/search.json', async (request, reply) => sendStatic(request, reply, (await shelf.get()).search));
  keyless('/sitemap.xml', async (request, reply) => sendStatic(request, reply, (await shelf.get()).sitemap));
  keyless(CHANGELOG, async (request, reply) => sendHtml(request, reply, (await shelf.get()).changelog.html));
  keyless(CHANGELOG_FEED, async (request, reply) => sendStatic(request, reply, (await shelf.get()).changelog.feed));
  keyless(COMPOSE_PATH, async (request, reply) => sendStatic(request, reply, (await shelf.get()).compose));
  const page = (folder: string) =>
    negotiated(async (request, reply) => {
      const requestedPath = folder + (request.params as { page: string }).page;
      const isMarkdown = requestedPath.endsWith('.md');
      const found = (await shelf.get()).pages.get(isMarkdown ? requestedPath.slice(0, -'.md'.length) : requestedPath);
      if (found !== undefined && !isMarkdown && wantsHtml(request)) return sendHtml(request, reply, found.html);
      if (found !== undefined) return sendStatic(request, reply, found.markdown);
      if (wantsHtml(request)) return sendPage(reply.code(404), notFoundPage());
      return sendFailure(
        request,
        reply,
        new ServiceError('not_found', `There is no page ${quoted(requestedPath)} in /docs.`),
      );
    });
  keyless('/docs/:page', page(''));
  keyless('/docs/clients/:page', page('clients/'));
  keyless(`/docs/${TYPES}/:page`, page(`${TYPES}/`));
  mountApi(app, keyless, options);
  mountAssets(app, docsPictures());
}
