import { OAuthError } from './oauth-error.js';

/** The service's public addresses, without a trailing slash. */
export interface Addresses {
  readonly baseUrl: string;
  /** The issuer. */
  readonly authUrl: string;
}

/**
 * The resource that the client wants the token for (RFC 8707): the service, or its MCP endpoint; null if it named none.
 * Throws `invalid_target` for anything else.
 */
export function parseResource(fields: URLSearchParams, { baseUrl }: Addresses): string | null {
  const named = new Set(fields.getAll('resource').map((resource) => plain(resource)));
  if (named.size === 0) return null;
  const [resource = ''] = named;
  if (named.size === 1 && [baseUrl, `${baseUrl}/mcp`].includes(resource)) return resource;
  throw new OAuthError('invalid_target', `resource must be one of ${baseUrl} and ${baseUrl}/mcp.`);
}

/** Normalises a resource: the case of scheme and host, and a trailing slash, make no difference. */
function plain(resource: string): string {
  if (!URL.canParse(resource) || /[?#]/.test(resource)) return resource;
  return new URL(resource).href.replace(/\/$/, '');
}
