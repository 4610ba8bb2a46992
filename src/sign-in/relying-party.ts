/** Where passkeys work: a passkey is bound to a host name permanently. */
export interface RelyingParty {
  /** The host name. */
  readonly id: string;
  /** Scheme, host and port of the pages that may use them. */
  readonly origin: string;
}

const LOOPBACK = /^(?:127(?:\.\d+){3}|\[::1\])$/;
const IP = /^(?:\d+(?:\.\d+){3}|\[.*\])$/;

/**
 * Browsers allow no passkeys for IP addresses, nor without TLS, except for localhost, which replaces this machine's own
 * addresses here. Null if there is no suitable host name.
 */
export function relyingParty(authUrl: string): RelyingParty | null {
  const url = new URL(authUrl);
  if (LOOPBACK.test(url.hostname)) url.hostname = 'localhost';
  const { hostname, origin, protocol } = url;
  if (IP.test(hostname)) return null;
  if (protocol !== 'https:' && hostname !== 'localhost' && !hostname.endsWith('.localhost')) return null;
  return { id: hostname, origin };
}
