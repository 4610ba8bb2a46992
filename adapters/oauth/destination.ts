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
 * The policy of the consent page. It leaves out `form-action`, which all other pages have: Chromium applies it to the
 * whole chain of redirects after a form, and Perch cannot know where a client redirects the browser next. The directive
 * would guard against a form that an attacker injects into the page, but all foreign text is escaped, and only Perch's
 * own scripts run.
 */
export const CONSENT_CSP = SITE_CSP.split('; ')
  .filter((directive) => !directive.startsWith('form-action'))
  .join('; ');
