import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../src/core/errors.js';

/**
 * Refuses what another site made a browser send. A cookie alone proves nothing: it goes along with whatever the browser is
 * told to send. `Sec-Fetch-Site` is the browser's own word for who told it; older ones, and pages without TLS, give `Origin`.
 * What names neither is no browser, and has no cookie of anybody's.
 */
export function refuseCrossSite(request: FastifyRequest): void {
  const site = request.headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none') return;
  if (site === undefined && isOwn(request)) return;
  throw new ServiceError(
    'access_denied',
    'This form was submitted from another site. Open the page on this site and try again.',
    {
      reason: 'cross_site',
    },
  );
}

/**
 * Whether the `Origin` is where we are known to be, or the host that was asked: by the header that a browser sends, never by
 * X-Forwarded-Host, which a client may add itself, and which not every proxy takes away.
 */
function isOwn({ headers, raw, server }: FastifyRequest): boolean {
  const { origin } = headers;
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  if (new URL(origin).host === raw.headers.host) return true;
  return [server.authUrl, server.baseUrl].some((url) => URL.canParse(url) && new URL(url).origin === origin);
}
