import { ServiceError } from '../../src/domain/errors.js';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Whether a page of this origin may use `/mcp` (A22). Keys are sent in a header, never in a cookie, so any site with
 * TLS is as safe as another; one without could be an attacker in between, or a name that was made to resolve to this
 * server.
 */
export function isAllowedOrigin(origin: string | undefined): boolean {
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname } = new URL(origin);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}

export const wrongOrigin = (): ServiceError =>
  new ServiceError(
    'access_denied',
    'MCP requests from this origin are not allowed: use https, or a page on this machine.',
    {
      reason: 'origin',
    },
  );
