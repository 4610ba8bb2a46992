import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Agent } from 'undici';
import { guardedLookup, nameLookups, type Resolve } from './name-lookups.js';

/** The only part of IPv6 allocated for the public internet. */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address is public unicast. Private, loopback, link-local, shared, documentation and multicast ranges are
 * not. Nor are addresses that wrap an IPv4 address for a translator (6to4, Teredo, NAT64), because they could lead into
 * any of those ranges.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  // An IPv4-mapped address is the IPv4 address.
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(GLOBAL_V6);
}

/** Relaxes the rules, for tests only. */
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

/**
 * Connects only to public addresses, whatever a name resolves to. `connections`: the most to one host; null: no bound.
 */
export async function openGuardedAgent(
  timeoutMs: number,
  connections: number | null,
  allow: Allowed = {},
): Promise<Agent> {
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
  // A connection to an IP address needs no look-up, so the guard of look-ups would not see it.
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (url.protocol !== 'https:') throw new Unfit('its URL is not https.');
  if (url.port !== '' && !allow.anyPort) throw new Unfit('its URL has a port.');
  if (isIP(host) !== 0 && !(allow.isPublic ?? isPublicAddress)(host)) throw new Error(`${host} is not public`);
}
