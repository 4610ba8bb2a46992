import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../src/domain/errors.js';

/**
 * Refuses requests that another site made a browser send. A cookie alone proves nothing: the browser sends it with any
 * request. `Sec-Fetch-Site` is the browser's own statement of which site caused the request; older browsers, and pages
 * without TLS, send `Origin`. A client that sends neither is not a browser, and has no visitor's cookie.
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
 * Whether the `Origin` is Perch's known address or the requested host. The requested host is that of the Host header,
 * which the browser sends, never that of X-Forwarded-Host, which a client can add itself and not every proxy removes.
 */
function isOwn({ headers, raw, server }: FastifyRequest): boolean {
  const { origin } = headers;
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  if (new URL(origin).host === raw.headers.host) return true;
  return [server.authUrl, server.baseUrl].some((url) => URL.canParse(url) && new URL(url).origin === origin);
}
