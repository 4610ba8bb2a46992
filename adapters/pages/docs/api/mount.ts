import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../../../src/domain/errors.js';
import { quoted } from '../../../../src/lib/text.js';
import type { SampleAccount } from '../../../../src/ports/network.js';
import { sendStatic, staticBody } from '../../../http/bodies/static-body.js';
import { sendFailure } from '../../../http/failure.js';
import { type Handler, negotiated } from '../../../http/keyless.js';
import type { OpenapiDocument } from '../../../rest/openapi/types.js';
import { notFoundPage } from '../../kit/not-found.js';
import { pageHeaders, publicPage, sendPage, wantsHtml } from '../../kit/send-page.js';
import { apiEntries, keylessEntries } from './model.js';
import { apiIndex, apiPage } from './pages.js';

export interface ApiOptions {
  /** The OpenAPI document, for the service's own address. */
  readonly describe: () => OpenapiDocument;
  /** Texts of the persisted operations, by name. */
  readonly operations: Readonly<Record<string, string>>;
  /** The key that the pages send while the network is the demo; null otherwise. */
  readonly demoKey: () => Promise<string | null>;
  /**
   * The account that samples read; undefined on the demo network, which has the accounts of the document's examples.
   */
  readonly sample: () => Promise<SampleAccount | null | undefined>;
}

const HTML = 'text/html; charset=utf-8';

/** The API reference: pages for a browser; programs are redirected to the document itself. */
export function mountApi(
  app: FastifyInstance,
  keyless: (url: string, handler: Handler) => void,
  { describe, operations, demoKey, sample }: ApiOptions,
): void {
  const whole = (path: string, page: string) => staticBody(HTML, publicPage(app, path, page));
  const made = (key: string | null, named: SampleAccount | null | undefined) => {
    const live = key === null ? null : { key };
    const document = describe();
    const entries = apiEntries({ document, operations, baseUrl: app.baseUrl, sample: named });
    const each = new Map(
      entries.map((entry) => [entry.id, whole(`/docs/api/${entry.id}`, apiPage(entries, entry, live))]),
    );
    return { live, index: whole('/docs/api', apiIndex(entries, keylessEntries(document), app.baseUrl)), each };
  };
  let last: { readonly text: string; readonly pages: ReturnType<typeof made> } | undefined;
  /** Rendered again if the demo ends, or the samples' account or tweet changes. */
  const pages = async () => {
    const [key, named] = await Promise.all([demoKey(), sample()]);
    const text = JSON.stringify({ key, named });
    if (last?.text !== text) last = { text, pages: made(key, named) };
    return last.pages;
  };
  const sendIndex = negotiated(async (request, reply) => {
    if (!wantsHtml(request)) return reply.redirect('/openapi.yaml', 303);
    return sendStatic(request, pageHeaders(reply), (await pages()).index);
  });
  keyless('/docs/api', sendIndex);
  const sendOperation = negotiated(async (request, reply) => {
    const { operation = '' } = request.params as { operation?: string };
    const { live, each } = await pages();
    const page = each.get(operation);
    if (page === undefined && wantsHtml(request)) return sendPage(reply.code(404), notFoundPage());
    if (page === undefined) {
      return sendFailure(request, reply, new ServiceError('not_found', `Unknown operation ${quoted(operation)}.`));
    }
    if (!wantsHtml(request)) return reply.redirect('/openapi.yaml', 303);
    // The page contains the demo key, so no cache may keep it, and no page of another origin may read it.
    if (live !== null) reply.removeHeader('Access-Control-Allow-Origin');
    return sendStatic(request, pageHeaders(reply), page, live === null ? undefined : 'no-store');
  });
  keyless('/docs/api/:operation', sendOperation);
}
