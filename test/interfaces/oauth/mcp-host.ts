import type { OAuthClientProvider } from '@modelcontextprotocol/client';

/** Where a host's client is sent back to. */
const HOST_CALLBACK = 'http://127.0.0.1:51005/callback';

/** What a host keeps for its MCP client while it signs in, in whichever line of the library: `authProvider` is given to it. */
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
    // 2.x keeps what it found out, and checks `iss` against it.
    saveDiscoveryState: keep('discovery'),
    discoveryState: () => kept.discovery,
    invalidateCredentials(what: string) {
      if (what === 'all' || what === 'client') kept.client = undefined;
      if (what === 'all' || what === 'tokens') kept.tokens = undefined;
    },
  };
  // The lines of the library name the same methods with types of their own.
  return { kept, authProvider: authProvider as unknown as OAuthClientProvider };
}
