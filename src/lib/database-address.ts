/** Where a database address names its hosts: after the login, before the path. The driver splits it in the same way. */
const AUTHORITY = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s;

/** The hosts of a database address, with their ports where they are given. */
export const hostsOf = (address: string): string[] => (AUTHORITY.exec(address)?.[2] ?? '').split(',');

/** The address of one of its hosts, whatever that one is at the moment. */
export const addressOf = (address: string, host: string): string =>
  address
    .replace(AUTHORITY, (_all, start: string, _hosts: string, rest: string) => start + host + rest)
    .replace(/([?&])target_session_attrs=[^&]*(&|$)/, (_all, before: string, after: string) => (after ? before : ''));

/**
 * Why this address would not lead to the primary, or null. Of what libpq knows as target_session_attrs only `primary` is
 * right for a database that is written to. `read-write` is, too, for libpq; the driver takes standbys for it.
 */
export function addressFault(address: string): string | null {
  const hosts = hostsOf(address);
  const [, query = ''] = address.split('?');
  const targets = new URLSearchParams(query).getAll('target_session_attrs');
  const wrong = targets.find((target) => target !== 'primary');
  if (wrong === 'read-write') {
    return 'must have target_session_attrs=primary instead of read-write, with which it may lead to a standby';
  }
  if (wrong !== undefined) {
    return `must have target_session_attrs=primary, not ${JSON.stringify(wrong)}: everything is written to it`;
  }
  if (hosts.length === 1) return null;
  if (hosts.includes('')) return 'must name a host before and after each comma';
  if (hosts.some((host) => host.includes('['))) return 'must name its hosts instead of giving IPv6 addresses';
  const ports = hosts.filter((host) => host.includes(':')).length;
  if (ports !== 0 && ports !== hosts.length) return 'must give the port of each of its hosts, or of none';
  if (targets.length > 0) return null;
  return 'names several hosts, so it must end with ?target_session_attrs=primary, which finds the one that takes writes';
}
