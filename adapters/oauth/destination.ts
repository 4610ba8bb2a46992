import { isLoopback } from '../../src/oauth/redirect-uris.js';
import { SITE_CSP } from '../site/policy.js';

/** Where an answer goes, for a person to read. */
export interface Destination {
  /** A host, or the scheme of an app. */
  readonly shown: string;
  readonly kind: 'web' | 'loopback' | 'app';
}

export function destinationOf(redirectUri: string): Destination {
  const url = new URL(redirectUri);
  if (isLoopback(url)) return { shown: url.host, kind: 'loopback' };
  if (url.protocol === 'https:') return { shown: url.host, kind: 'web' };
  return { shown: url.protocol.replace(':', ''), kind: 'app' };
}

/** The policy of the page that asks: browsers hold a form's redirects to `form-action` as well. */
export const consentPolicy = (redirectUri: string): string =>
  SITE_CSP.replace("form-action 'self'", `form-action 'self' ${sourceOf(redirectUri)}`);

function sourceOf(redirectUri: string): string {
  const { protocol, hostname, origin } = new URL(redirectUri);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  // A policy cannot name an IPv6 address.
  return isWeb && !hostname.startsWith('[') ? origin : protocol;
}
