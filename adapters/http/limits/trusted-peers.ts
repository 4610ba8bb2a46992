import { BlockList, isIPv6 } from 'node:net';
import { plainAddress } from '../../../src/access/address.js';

/** The ranges that names among trusted proxies stand for, as Fastify defines them. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.1/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/**
 * Whether a connection comes from one of these addresses, ranges or names: from a load balancer that serves many
 * clients.
 */
export function trustedPeers(proxies: readonly string[]): (address: string) => boolean {
  const trusted = new BlockList();
  for (const range of proxies.flatMap((proxy) => NAMED[proxy] ?? proxy)) {
    const [net = '', bits] = range.split('/');
    const family = isIPv6(net) ? 'ipv6' : 'ipv4';
    if (bits === undefined) trusted.addAddress(net, family);
    else trusted.addSubnet(net, Number(bits), family);
  }
  return (address) => {
    const plain = plainAddress(address);
    return trusted.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
  };
}
