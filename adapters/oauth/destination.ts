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

/**
 * The policy of the page that asks. Chromium holds the whole chain of redirects after a form to `form-action`, and where a
 * client sends the browser on to nobody can know: so it is left out, here alone. What it would guard against is a form that
 * somebody else wrote into the page; all that comes from outside is escaped, and no script runs that is not ours.
 */
export const CONSENT_CSP = SITE_CSP.split('; ')
  .filter((directive) => !directive.startsWith('form-action'))
  .join('; ');
