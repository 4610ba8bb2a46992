import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { badRequest, ERROR_CODES, ServiceError } from '../../../src/domain/errors.js';
import { quoted } from '../../../src/lib/text.js';
import { sendStatic, staticBody } from '../../http/bodies/static-body.js';
import { errorBody, failureHeaders, sendFailure } from '../../http/failure.js';
import { setHeaders } from '../../http/headers.js';
import { type AdmitPublic, createPublic, createUnrefused, type Handler, negotiated } from '../../http/keyless.js';
import { mountAssets } from '../kit/asset-set.js';
import { siteAssets } from '../kit/assets.js';
import { ATOM } from '../kit/atom.js';
import type { Publisher } from '../kit/layout.js';
import { notFoundPage } from '../kit/not-found.js';
import { sendPage, sendPublicPage, wantsHtml } from '../kit/send-page.js';
import { landingPage } from './landing.js';
import { type LandingModel, landingFacts } from './landing-facts.js';
import { legalFacts, legalPage } from './legal.js';
import { pricingPage } from './pricing.js';
import { calculate, pricingFacts } from './pricing-facts.js';
import { isErrorCode, problemFacts, problemPage, problemsFacts, problemsPage } from './problems.js';
import { statusPage } from './status/status.js';
import { STATUS_FEED, statusFeed } from './status/status-history.js';
import type { HistoryModel, StatusModel } from './status/status-model.js';

export interface SiteOptions {
  readonly admitPublic: AdmitPublic;
  readonly admitCheck: AdmitPublic;
  readonly status: () => Promise<StatusModel>;
  /** Null while the history can't be read. */
  readonly history: () => Promise<HistoryModel | null>;
  readonly version: string;
  readonly network: string;
  /** Whether the network is only the invented demo network. */
  readonly isDemo: () => Promise<boolean>;
  readonly publisher: Publisher;
  /** Whether packs can be bought by card. */
  readonly sells: boolean;
  /** Pictures of the dashboard. */
  readonly pictures: LandingModel['pictures'];
  /** The handle in the front page's example; null if the network has no accounts yet. */
  readonly sample: () => Promise<string | null>;
  /** What the front page's runnable example uses; null if it is only text. */
  readonly live: LandingModel['live'];
}

/** Paths for a single reader, or for programs that already know them. */
const NOT_FOR_ROBOTS = ['/dashboard', '/operator', '/sign-in', '/oauth/', '/api/', '/v1/', '/graphql', '/mcp'];

const FAVICON = staticBody('image/x-icon', readFileSync(new URL('../kit/files/favicon.ico', import.meta.url)));

/**
 * The keyless paths, under the `public` policy: HTML for a browser, JSON for a program; GET and HEAD (H4). Returns the
 * paths of the pages.
 */
export function mountSite(app: FastifyInstance, options: SiteOptions): string[] {
  const keyless = createPublic(app, options.admitPublic);
  const paths: string[] = [];
  const page = (url: string, handler: Handler) => {
    if (!url.includes(':')) paths.push(url);
    keyless(url, negotiated(handler));
  };
  page('/', landingHandler(app, options));
  createUnrefused(app, options.admitCheck)('/healthz', (request, reply) =>
    app.stopping ? sendStopping(request, reply) : reply.send({ status: 'ok' }),
  );
  page('/status', async (request, reply) => {
    const status = await options.status();
    if (!wantsHtml(request)) return reply.send(status);
    const where = { baseUrl: app.baseUrl, terms: options.publisher.terms };
    return sendPublicPage(reply, statusPage(status, await options.history(), where));
  });
  keyless(STATUS_FEED, async (_request, reply) => {
    const history = await options.history();
    if (history === null)
      throw new ServiceError('upstream_error', 'The history of the status cannot be read right now.');
    return reply.header('Cache-Control', 'public, max-age=60').type(ATOM).send(statusFeed(history, app.baseUrl));
  });
  page('/legal', (request, reply) =>
    wantsHtml(request)
      ? sendPublicPage(reply, legalPage(options.publisher))
      : reply.send(legalFacts(options.publisher)),
  );
  page('/pricing', pricingHandler(options));
  page('/problems', (request, reply) =>
    wantsHtml(request) ? sendPublicPage(reply, problemsPage()) : reply.send(problemsFacts()),
  );
  page('/problems/:code', (request, reply) => {
    const { code = '' } = request.params as { code?: string };
    if (isErrorCode(code))
      return wantsHtml(request) ? sendPublicPage(reply, problemPage(code)) : reply.send(problemFacts(code));
    if (wantsHtml(request)) return sendPage(reply.code(404), notFoundPage());
    return sendFailure(request, reply, new ServiceError('not_found', `Unknown error code ${quoted(code)}.`));
  });
  mountAssets(app, siteAssets());
  const lines = ['User-agent: *', ...NOT_FOR_ROBOTS.map((path) => `Disallow: ${path}`), ''];
  keyless('/robots.txt', (_request, reply) =>
    reply
      .header('Cache-Control', 'public, max-age=3600')
      .type('text/plain; charset=utf-8')
      .send([...lines, `Sitemap: ${app.baseUrl}/sitemap.xml`, ''].join('\n')),
  );
  keyless('/favicon.ico', (request, reply) => sendStatic(request, reply, FAVICON, 'public, max-age=86400'));
  return [...paths, ...Object.keys(ERROR_CODES).map((code) => `/problems/${code}`)];
}

/** Also in the shape of other failures, for clients. It is not logged as one: balancers ask every second. */
function sendStopping({ id, server }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = new ServiceError('upstream_rate_limited', 'This process is shutting down. Nothing was charged.');
  setHeaders(reply, failureHeaders(failure));
  return reply.code(failure.status).send({ status: 'stopping', ...errorBody(failure, id, server.baseUrl) });
}

/**
 * A demo's page contains the demo key to run its example, so no cache may keep it, and no page of another origin may
 * read it.
 */
function landingHandler(app: FastifyInstance, options: SiteOptions): Handler {
  const { version, network, isDemo, pictures } = options;
  return async (request, reply) => {
    const [demo, sample] = await Promise.all([isDemo(), options.sample()]);
    const live = demo ? options.live : null;
    const model = { baseUrl: app.baseUrl, version, network, demo, live, pictures, sample };
    if (!wantsHtml(request)) return reply.send(landingFacts(model));
    if (live !== null) reply.header('Cache-Control', 'no-store').removeHeader('Access-Control-Allow-Origin');
    return sendPublicPage(reply, landingPage(model));
  };
}

/** With a query, the page has the calculator's answer, so that its form needs no script. */
function pricingHandler({ publisher, sells }: SiteOptions): Handler {
  return (request, reply) => {
    const calculation = calculate(request.query as Readonly<Record<string, unknown>>);
    const wrong = calculation.fields.find(({ error }) => error !== null);
    if (!wantsHtml(request)) {
      if (wrong) throw badRequest(wrong.error ?? '', wrong.unit);
      return reply.send(pricingFacts(calculation));
    }
    return sendPublicPage(reply.code(wrong ? 400 : 200), pricingPage({ ...calculation, publisher, sells }));
  };
}
