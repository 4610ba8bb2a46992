import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { ServiceError } from '../../../src/domain/errors.js';
import { lazily } from '../../../src/lib/lazily.js';
import { quoted } from '../../../src/lib/text.js';
import { type StaticBody, sendStatic, staticBody } from '../../http/bodies/static-body.js';
import { sendFailure } from '../../http/failure.js';
import { type AdmitPublic, createPublic, negotiated } from '../../http/keyless.js';
import { mountAssets } from '../kit/asset-set.js';
import { notFoundPage } from '../kit/not-found.js';
import { pageHeaders, publicPage, sendPage, wantsHtml } from '../kit/send-page.js';
import { apiEntries } from './api/model.js';
import { type ApiOptions, mountApi } from './api/mount.js';
import { llmsText, readDocs, searchRows } from './library.js';
import { docsIndex, docsPage } from './pages.js';
import { docsPictures } from './sources.js';
import { TYPES } from './types.js';

const HTML = 'text/html; charset=utf-8';
const MARKDOWN = 'text/markdown; charset=utf-8';

export interface DocsOptions extends ApiOptions {
  readonly admitPublic: AdmitPublic;
  readonly schema: GraphQLSchema;
}

/** Everything that is served, by its path below `/docs`; made for the first request. */
interface Shelf {
  readonly index: StaticBody;
  readonly llms: StaticBody;
  readonly search: StaticBody;
  readonly pages: ReadonlyMap<string, { readonly html: StaticBody; readonly markdown: StaticBody }>;
}

async function shelve(app: FastifyInstance, { schema, describe, operations }: DocsOptions): Promise<Shelf> {
  const { baseUrl } = app;
  const pages = await readDocs(baseUrl, schema);
  const entries = apiEntries({ document: describe(), operations, baseUrl });
  return {
    index: staticBody(HTML, publicPage(app, '/docs', docsIndex(pages))),
    llms: staticBody('text/plain; charset=utf-8', llmsText(pages, entries, baseUrl)),
    search: staticBody('application/json; charset=utf-8', JSON.stringify(searchRows(pages, entries))),
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

/**
 * The documentation, under the `public` policy: pages for a browser; Markdown for a program, and for everyone at the
 * address that ends in `.md` (H13).
 */
export function mountDocs(app: FastifyInstance, options: DocsOptions): void {
  const { admitPublic } = options;
  // The public address is known once the port is.
  const shelf = lazily(() => shelve(app, options));
  const keyless = createPublic(app, admitPublic);
  const sendHtml = (request: FastifyRequest, reply: FastifyReply, page: StaticBody) =>
    sendStatic(request, pageHeaders(reply), page);
  const sendIndex = negotiated(async (request, reply) => {
    const { index, llms } = await shelf.get();
    return wantsHtml(request) ? sendHtml(request, reply, index) : sendStatic(request, reply, llms);
  });
  keyless('/docs', sendIndex);
  keyless('/llms.txt', async (request, reply) => sendStatic(request, reply, (await shelf.get()).llms));
  keyless('/docs/search.json', async (request, reply) => sendStatic(request, reply, (await shelf.get()).search));
  const page = (folder: string) =>
    negotiated(async (request, reply) => {
      const asked = folder + (request.params as { page: string }).page;
      const isMarkdown = asked.endsWith('.md');
      const found = (await shelf.get()).pages.get(isMarkdown ? asked.slice(0, -'.md'.length) : asked);
      if (found !== undefined && !isMarkdown && wantsHtml(request)) return sendHtml(request, reply, found.html);
      if (found !== undefined) return sendStatic(request, reply, found.markdown);
      if (wantsHtml(request)) return sendPage(reply.code(404), notFoundPage());
      return sendFailure(request, reply, new ServiceError('not_found', `There is no page ${quoted(asked)} in /docs.`));
    });
  keyless('/docs/:page', page(''));
  keyless(`/docs/${TYPES}/:page`, page(`${TYPES}/`));
  mountApi(app, keyless, options);
  mountAssets(app, docsPictures());
}
