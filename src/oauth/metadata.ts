import type { Addresses } from './resources.js';

/** The only permission a client can get: to read public data. */
export const SCOPE = 'read';

/** RFC 8414: describes the authorization server and its endpoints. */
export const serverMetadata = ({ authUrl, baseUrl }: Addresses) => ({
  issuer: authUrl,
  authorization_endpoint: `${authUrl}/oauth/authorize`,
  token_endpoint: `${authUrl}/api/oauth/token`,
  registration_endpoint: `${authUrl}/api/oauth/register`,
  revocation_endpoint: `${authUrl}/api/oauth/revoke`,
  scopes_supported: [SCOPE],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  protected_resources: [baseUrl, `${baseUrl}/mcp`],
});

/**
 * RFC 9728: the authorization server whose keys a resource accepts. `resource` must be the one that the address of this
 * metadata was derived from.
 */
export const resourceMetadata = ({ authUrl }: Addresses, resource: string) => ({
  resource,
  authorization_servers: [authUrl],
  scopes_supported: [SCOPE],
  bearer_methods_supported: ['header'],
  resource_name: 'Perch',
});

/** The resource whose metadata is at `/.well-known/oauth-protected-resource{suffix}`; undefined if there is none. */
export function resourceAt({ baseUrl }: Addresses, suffix: string): string | undefined {
  if (suffix === '') return baseUrl;
  if (suffix === '/mcp') return `${baseUrl}/mcp`;
  return [baseUrl, `${baseUrl}/mcp`].find((resource) => new URL(resource).pathname === suffix);
}

/** Whether the server's metadata is at `/.well-known/oauth-authorization-server{suffix}` (RFC 8414 3.1). */
export const isIssuerAt = ({ authUrl }: Addresses, suffix: string): boolean =>
  suffix === '' || new URL(authUrl).pathname === suffix;
