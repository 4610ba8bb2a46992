import ipaddr from 'ipaddr.js';

/** One spelling per address: `::ffff:192.0.2.1`, as a dual-stack socket reports it, becomes 192.0.2.1. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');

/**
 * The address that a limit counts: an IPv4 address, or the /64 of an IPv6 address. A household or a machine has all of
 * a /64, and could use a new address for every request. Text that is not an address stays as it is.
 */
export function limitAddress(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  // IPv4-mapped addresses, in any spelling, become IPv4.
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
