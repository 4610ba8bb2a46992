import type { IncomingMessage, ServerResponse } from 'node:http';
import { apiEntries, keylessEntries } from '../../adapters/pages/docs/api/model.js';
import { apiIndex, apiPage } from '../../adapters/pages/docs/api/pages.js';
import { changelogPage } from '../../adapters/pages/docs/changelog.js';
import { readDocs, searchRows } from '../../adapters/pages/docs/library.js';
import { docsIndex, docsPage } from '../../adapters/pages/docs/pages.js';
import { dashboardPictures, docsPictures } from '../../adapters/pages/docs/sources.js';
import { siteAssets } from '../../adapters/pages/kit/assets.js';
import { type Publisher, withPublisher } from '../../adapters/pages/kit/layout.js';
import { notFoundPage } from '../../adapters/pages/kit/not-found.js';
import { SITE_CSP } from '../../adapters/pages/kit/send-page.js';
import { landingPage } from '../../adapters/pages/site/landing.js';
import type { LandingModel } from '../../adapters/pages/site/landing-facts.js';
import { legalPage } from '../../adapters/pages/site/legal.js';
import { pricingPage } from '../../adapters/pages/site/pricing.js';
import { calculate } from '../../adapters/pages/site/pricing-facts.js';
import { isErrorCode, problemPage, problemsPage } from '../../adapters/pages/site/problems.js';
import { statusPage } from '../../adapters/pages/site/status/status.js';
import type { HistoryModel, StatusModel } from '../../adapters/pages/site/status/status-model.js';
import { DAY_MS, utcDay } from '../../src/lib/durations.js';
import { describedAt, OPTIONS } from '../interfaces/openapi/subject.js';

export const LANDING: LandingModel = {
  baseUrl: 'https://perch.example',
  version: '0.3.0',
  network: 'corpus',
  demo: true,
  pictures: dashboardPictures(),
  live: {
    key: 'perch_live_00000000000000000000000000000000',
    handles: ['harbor_obs', 'quay_library'],
    postsOften: 'posts_often',
  },
};

/** An operator who has set everything. */
export const PUBLISHER: Publisher = {
  contact: 'help@perch.example',
  terms: 'https://perch.example/terms',
  privacy: 'https://perch.example/privacy',
  refunds: 'https://perch.example/refunds',
};

/** A fast and a slow family, neither of which has been read yet. */
const quiet = (name: 'fast' | 'slow'): StatusModel['families'][number] => ({
  name,
  state: 'ok',
  queueWaitMs: 0,
  queueLength: 0,
  upstreamCalls: 0,
  failures: 0,
  unreadable: 0,
  refused: 0,
  lastIncident: null,
  cacheHitRate: null,
});

/** All is well with one process, one session and no Redis. */
export const STATUS_OK: StatusModel = {
  status: 'ok',
  network: 'corpus',
  version: '0.3.0',
  startedAt: '2026-11-21T10:00:00.000Z',
  database: { ok: true },
  redis: { state: 'not used', since: null },
  processes: null,
  networkFindings: [],
  families: [quiet('fast'), quiet('slow')],
  sessions: [{ name: 'corpus', state: 'ok', closed: [] }],
  draining: false,
};

export const STATUS: StatusModel = {
  ...STATUS_OK,
  status: 'degraded',
  redis: { state: 'up', since: '2026-11-21T10:00:00.000Z' },
  processes: 4,
  networkFindings: [
    { ok: true, what: 'Profiles, posts, timelines, threads and followers can be read.' },
    { ok: false, what: 'Search needs an account: set BLUESKY_IDENTIFIER and BLUESKY_APP_PASSWORD.' },
  ],
  families: [
    { ...quiet('fast'), upstreamCalls: 12_345, cacheHitRate: 0.731 },
    {
      ...quiet('slow'),
      state: 'degraded',
      queueWaitMs: 1840,
      queueLength: 17,
      upstreamCalls: 2210,
      failures: 3,
      refused: 1,
      lastIncident: { at: '2026-11-21T11:12:13.000Z', code: 'upstream_error', message: 'No answer within 10 seconds.' },
    },
  ],
  sessions: [
    { name: 'token 1', state: 'ok', closed: [] },
    {
      name: 'token 2',
      state: 'limited',
      closed: [
        { kind: 'search:Top', why: 'refused', until: '2026-11-21T11:42:13.000Z' },
        { kind: 'followers', why: 'resting', until: '2026-11-21T11:27:00.000Z' },
      ],
    },
    { name: 'token 3', state: 'resting', closed: [{ kind: '*', why: 'resting', until: '2026-11-21T11:15:00.000Z' }] },
    { name: 'token 4', state: 'failing', closed: [] },
  ],
};

/** Redis is down and the process was asked to stop; everything else is well. */
export const STATUS_ALONE: StatusModel = {
  ...STATUS_OK,
  status: 'degraded',
  redis: { state: 'away', since: '2026-11-21T11:10:00.000Z' },
  processes: 4,
  networkFindings: [
    { ok: true, what: 'Profiles, posts, timelines, threads and followers can be read.' },
    { ok: false, what: 'Search needs an account: set BLUESKY_IDENTIFIER and BLUESKY_APP_PASSWORD.' },
  ],
  draining: true,
};

const FROM_DAY = '2026-08-24';
const MINUTES = 1440;

/** Both families from the third day on. One day was degraded; on another, a hundredth of the minutes were down. */
export const HISTORY: HistoryModel = {
  fromDay: FROM_DAY,
  days: Array.from({ length: 88 }, (_, index) => utcDay(Date.parse(FROM_DAY) + (index + 2) * DAY_MS)).flatMap((day) =>
    (['fast', 'slow'] as const).map((family) => ({
      ...{ day, family, minutes: MINUTES, calls: 2000, failures: 10, readMs: 500_000, items: 8000, cacheHits: 6000 },
      degraded: family === 'fast' && day === '2026-11-20' ? 5 : 0,
      down: family === 'slow' && day === '2026-11-19' ? 15 : 0,
    })),
  ),
  incidents: [
    {
      ...{ family: 'fast', trouble: 'degraded', calls: 40, failures: 8 },
      ...{ from: Date.parse('2026-11-20T09:00:00Z'), until: Date.parse('2026-11-20T09:05:00Z') },
    },
    {
      ...{ family: 'slow', trouble: 'down', calls: 0, failures: 0 },
      ...{ from: Date.parse('2026-11-19T22:10:00Z'), until: Date.parse('2026-11-19T22:25:00Z') },
    },
  ],
};

export const NO_HISTORY: HistoryModel = { fromDay: FROM_DAY, days: [], incidents: [] };

const DOCS = await readDocs(LANDING.baseUrl, OPTIONS.schema);

/** Every page of the documentation, by its address. */
export const DOCS_PAGES: Readonly<Record<string, string>> = {
  '/docs': docsIndex(DOCS),
  ...Object.fromEntries(DOCS.map((page) => [`/docs/${page.name}`, docsPage(DOCS, page)])),
};

const ENTRIES = apiEntries({
  document: describedAt(LANDING.baseUrl),
  operations: OPTIONS.operations,
  baseUrl: LANDING.baseUrl,
});

/** Every page of the API reference, by its address, with the demo key in those that send a call. */
export const API_PAGES: Readonly<Record<string, string>> = {
  '/docs/api': apiIndex(ENTRIES, keylessEntries(describedAt(LANDING.baseUrl)), LANDING.baseUrl),
  ...Object.fromEntries(ENTRIES.map((entry) => [`/docs/api/${entry.id}`, apiPage(ENTRIES, entry, LANDING.live)])),
};

const SEARCH_ROWS = JSON.stringify(searchRows(DOCS, ENTRIES));

/** What the status page needs to know of the service. */
export const WHERE = { baseUrl: LANDING.baseUrl, terms: PUBLISHER.terms };

/** The page of prices, with the answer to a form. */
export const pricingAt = (path: string): string =>
  pricingPage({
    ...calculate(Object.fromEntries(new URL(path, LANDING.baseUrl).searchParams)),
    publisher: PUBLISHER,
    sells: true,
  });

const pageAt = (path: string): string => {
  if (path === '/') return landingPage(LANDING);
  if (path === '/status') return statusPage(STATUS, HISTORY, WHERE);
  if (path === '/status?ok') return statusPage(STATUS_OK, NO_HISTORY, WHERE);
  if (path === '/status?alone') return statusPage(STATUS_ALONE, null, WHERE);
  if (path === '/legal') return legalPage(PUBLISHER);
  if (path.startsWith('/pricing')) return pricingAt(path);
  if (path === '/changelog') return changelogPage();
  if (path === '/problems') return problemsPage();
  const docs = { ...DOCS_PAGES, ...API_PAGES }[path.replace(/\?.*/, '')];
  if (docs !== undefined) return docs;
  const code = path.replace('/problems/', '');
  return isErrorCode(code) ? problemPage(code) : notFoundPage();
};

/** Serves the pages as the service does: their policy, their types. */
export function serveSite(request: IncomingMessage, response: ServerResponse): void {
  const path = request.url ?? '/';
  const asset = siteAssets().get(path) ?? docsPictures().get(path);
  if (asset !== undefined) {
    response.writeHead(200, { 'content-type': asset.type }).end(asset.body);
    return;
  }
  if (path.startsWith('/v1/users/')) {
    const headers = { 'content-type': 'application/json', 'x-credits-charged': '1', 'x-credits-remaining': '999' };
    response.writeHead(200, headers).end(JSON.stringify({ path, key: request.headers['x-api-key'] }));
    return;
  }
  if (path === '/docs/search.json') {
    response.writeHead(200, { 'content-type': 'application/json' }).end(SEARCH_ROWS);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': SITE_CSP });
  response.end(withPublisher(pageAt(path), PUBLISHER));
}
