import type { IncomingMessage, ServerResponse } from 'node:http';
import { siteAssets } from '../../adapters/site/assets.js';
import { landingPage } from '../../adapters/site/landing.js';
import type { LandingModel } from '../../adapters/site/landing-facts.js';
import { notFoundPage } from '../../adapters/site/not-found.js';
import { SITE_CSP } from '../../adapters/site/policy.js';
import { isErrorCode, problemPage, problemsPage } from '../../adapters/site/problems.js';
import { statusPage } from '../../adapters/site/status.js';
import type { StatusModel } from '../../adapters/site/status-model.js';

export const LANDING: LandingModel = {
  baseUrl: 'https://perch.example',
  version: '0.3.0',
  network: 'corpus',
  demo: true,
};

export const STATUS: StatusModel = {
  status: 'degraded',
  network: 'corpus',
  version: '0.3.0',
  startedAt: '2026-11-21T10:00:00.000Z',
  database: { ok: true },
  families: [
    { name: 'fast', state: 'ok', queueWaitMs: 0, lastIncident: null, cacheHitRate: 0.731 },
    {
      name: 'slow',
      state: 'degraded',
      queueWaitMs: 1840,
      lastIncident: { at: '2026-11-21T11:12:13.000Z', code: 'upstream_error', message: 'No answer within 10 seconds.' },
      cacheHitRate: null,
    },
  ],
};

const pageAt = (path: string): string => {
  if (path === '/') return landingPage(LANDING);
  if (path === '/status') return statusPage(STATUS);
  if (path === '/problems') return problemsPage();
  const code = path.replace('/problems/', '');
  return isErrorCode(code) ? problemPage(code) : notFoundPage();
};

/** Serves the pages as the service does: their policy, their types. */
export function serveSite(request: IncomingMessage, response: ServerResponse): void {
  const path = request.url ?? '/';
  const asset = siteAssets().get(path);
  if (asset !== undefined) {
    response.writeHead(200, { 'content-type': asset.type, etag: asset.etag }).end(asset.body);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': SITE_CSP });
  response.end(pageAt(path));
}
