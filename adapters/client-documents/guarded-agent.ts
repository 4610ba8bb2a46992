import { isIP } from 'node:net';
import type { Agent } from 'undici';
import { guardedLookup, type Resolve } from './guarded-lookup.js';
import { nameLookups } from './name-lookups.js';
import { isPublicAddress } from './public-address.js';

/** Less strict, for tests only. */
export interface Allowed {
  /** Default: public unicast addresses. */
  readonly isPublic?: (address: string) => boolean;
  /** Default: `nameLookups`. */
  readonly resolve?: Resolve;
  /** Default: only 443. */
  readonly anyPort?: boolean;
  /** A certificate to trust besides the usual ones. */
  readonly ca?: string;
}

/** A fault that may be reported: its message reveals nothing about any network. */
export class Unfit extends Error {}

/** Connects only to public addresses, whatever a name resolves to. */
export async function openGuardedAgent(timeoutMs: number, connections: number, allow: Allowed = {}): Promise<Agent> {
  const { resolve = nameLookups(), ca } = allow;
  const { Agent } = await import('undici');
  return new Agent({
    connections,
    // No connection to a stranger's host is kept open.
    pipelining: 0,
    connect: {
      timeout: timeoutMs,
      lookup: guardedLookup(resolve, allow.isPublic ?? isPublicAddress),
      ...(ca !== undefined && { ca }),
    },
  });
}

/** Throws `Unfit` for a URL that is not https on the usual port, and an Error for a private address in it. */
export function refuseUnfit(url: URL, allow: Allowed = {}): void {
  // A connection to an IP address needs no look-up, so the guard there would not see it.
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (url.protocol !== 'https:') throw new Unfit('its URL is not https.');
  if (url.port !== '' && !allow.anyPort) throw new Unfit('its URL has a port.');
  if (isIP(host) !== 0 && !(allow.isPublic ?? isPublicAddress)(host)) throw new Error(`${host} is not public`);
}
