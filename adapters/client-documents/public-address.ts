import ipaddr from 'ipaddr.js';

/** The only part of IPv6 allocated for the public internet. */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address is public unicast. Private, loopback, link-local, shared, documentation and multicast ranges are
 * not, nor are addresses that wrap an IPv4 address for a translator (6to4, Teredo, NAT64): they could lead to any of
 * those.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  // An IPv4-mapped address is the IPv4 address.
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(GLOBAL_V6);
}
