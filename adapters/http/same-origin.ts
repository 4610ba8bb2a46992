import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../src/core/errors.js';

/**
 * Refuses what another site made a browser send. A cookie alone proves nothing: it goes along with whatever the browser is
 * told to send. `Sec-Fetch-Site` is the browser's own word for who told it; older ones, and pages without TLS, give `Origin`.
 * What names neither is no browser, and has no cookie of anybody's.
 */
export function refuseCrossSite({ headers, host }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none') return;
  if (site === undefined) {
    const { origin } = headers;
    if (origin === undefined || (URL.canParse(origin) && new URL(origin).host === host)) return;
  }
  throw new ServiceError('access_denied', 'This was sent from another site. Open the page here and try again.', {
    reason: 'cross_site',
  });
}
