import { isLoopback } from '../../src/oauth/redirect-uris.js';
import { SITE_CSP } from '../pages/kit/send-page.js';

/** Where an answer is sent, for a person to read. */
export interface Destination {
  /** A host, or the scheme of an app. */
  readonly shown: string;
  readonly kind: 'web' | 'loopback' | 'app';
}

export function describeDestination(redirectUri: string): Destination {
  const url = new URL(redirectUri);
  if (isLoopback(url)) return { shown: url.host, kind: 'loopback' };
  if (url.protocol === 'https:') return { shown: url.host, kind: 'web' };
  return { shown: url.protocol.replace(':', ''), kind: 'app' };
}

/**
 * The policy of the consent page. Chromium applies `form-action` to the whole chain of redirects after a form, and
 * nobody can know where a client redirects the browser next: so it is left out, only here. It would guard against a
 * form that an attacker injected into the page; but all foreign text is escaped, and only Perch's own scripts run.
 */
export const CONSENT_CSP = SITE_CSP.split('; ')
  .filter((directive) => !directive.startsWith('form-action'))
  .join('; ');
