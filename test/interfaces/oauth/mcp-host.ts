import type { OAuthClientProvider } from '@modelcontextprotocol/client';

/** The address to which a host's client is sent back. */
const HOST_CALLBACK = 'http://127.0.0.1:51005/callback';

/** What a host keeps for its MCP client during sign-in; both major versions of the library take `authProvider`. */
export function mcpHost(clientMetadataUrl?: string) {
  // biome-ignore lint/suspicious/noExplicitAny: whatever the library gives to keep
  const kept: Record<string, any> = {};
  const keep = (name: string) => (value: unknown) => {
    kept[name] = value;
  };
  const authProvider = {
    redirectUrl: HOST_CALLBACK,
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    clientMetadata: { redirect_uris: [HOST_CALLBACK], client_name: 'A host', token_endpoint_auth_method: 'none' },
    state: () => 'st',
    clientInformation: () => kept.client,
    saveClientInformation: keep('client'),
    tokens: () => kept.tokens,
    saveTokens: keep('tokens'),
    redirectToAuthorization: keep('address'),
    saveCodeVerifier: keep('verifier'),
    codeVerifier: () => kept.verifier,
    // 2.x stores what it discovered, and checks `iss` against it.
    saveDiscoveryState: keep('discovery'),
    discoveryState: () => kept.discovery,
    invalidateCredentials(what: string) {
      if (what === 'all' || what === 'client') kept.client = undefined;
      if (what === 'all' || what === 'tokens') kept.tokens = undefined;
    },
  };
  // Both versions of the library name the same methods, with types of their own.
  return { kept, authProvider: authProvider as unknown as OAuthClientProvider };
}
