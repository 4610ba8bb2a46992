import ipaddr from 'ipaddr.js';
import { badRequest, ServiceError } from '../domain/errors.js';
import { quoted } from '../lib/text.js';

/** One spelling per address: `::ffff:192.0.2.1`, as a dual-stack socket reports it, becomes 192.0.2.1. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');

/**
 * The address that a limit counts: an IPv4 address, or the /64 of an IPv6 address, because a household or a machine
 * owns a whole /64 and could use a new address for every request. Text that is not an address is returned unchanged.
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

/**
 * The network that a share of a service-wide limit counts, for the same address or what `limitAddress` made of it: an
 * IPv4 address, or a /48, because providers hand out up to 65,536 networks of /64 to one customer.
 */
export const limitNetwork = (address: string): string => limitAddress(address).replace(/:[\da-f]+::\/64$/, '::/48');

/** Most networks that a key can be limited to. */
export const MOST_NETWORKS = 20;

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Parses addresses and CIDR networks separated by commas or spaces. Throws `bad_request` (param `allowed_from`). */
export function readNetworks(typed: string): string[] {
  const texts = typed.split(/[\s,]+/).filter((text) => text !== '');
  if (texts.length > MOST_NETWORKS) {
    throw badRequest(`A key can be limited to at most ${MOST_NETWORKS} networks.`, 'allowed_from');
  }
  return [...new Set(texts.map(networkText))];
}

/** `192.0.2.0/24`. An address without a prefix length gets the full one, 32 or 128. */
function networkText(text: string): string {
  const full = ipaddr.isValid(text) ? `${text}/${ipaddr.parse(text).kind() === 'ipv4' ? 32 : 128}` : text;
  if (!isWhole(full) || !ipaddr.isValidCIDR(full)) {
    throw badRequest(
      `${quoted(text)} is neither an IP address nor a network such as 192.0.2.0/24 or 2001:db8::/32.`,
      'allowed_from',
    );
  }
  const [address, length] = ipaddr.parseCIDR(full);
  return `${address.toString()}/${length}`;
}

/** False for short and old spellings of IPv4, such as 10.1: programs disagree about which address they mean. */
function isWhole(network: string): boolean {
  const [address = '', length = '', ...rest] = network.split('/');
  const numbers = address.split('.');
  const isV6 = address.includes(':') && /^[\da-f:.]+$/i.test(address);
  const isFull = isV6 || (numbers.length === 4 && numbers.every((one) => /^\d+$/.test(one)));
  return isFull && /^\d+$/.test(length) && rest.length === 0;
}

/** Parsed networks of recently looked-up keys, by the identity of the list. */
const parsed = new WeakMap<readonly string[], readonly Network[]>();

/** Whether the address, in any spelling, is in one of the networks. Text that is not an address is in none. */
export function isAllowedFrom(networks: readonly string[], address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  let known = parsed.get(networks);
  if (known === undefined) {
    known = networks.map((text) => ipaddr.parseCIDR(text));
    parsed.set(networks, known);
  }
  const from = ipaddr.process(address);
  return known.some(([network, length]) => network.kind() === from.kind() && from.match(network, length));
}

export const wrongAddress = (address: string): ServiceError =>
  new ServiceError(
    'access_denied',
    `This key may not be used from ${quoted(plainAddress(address))}: it is limited to certain IP addresses. Nothing was charged.`,
    { reason: 'address_not_allowed' },
  );
