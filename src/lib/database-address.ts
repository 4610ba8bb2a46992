/** Where a database address names its hosts: after the login, before the path. The driver splits it in the same way. */
const AUTHORITY = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s;

/** The hosts of a database address, with their ports where they are given. */
export const hostsOf = (address: string): string[] => (AUTHORITY.exec(address)?.[2] ?? '').split(',');

/** The address of one of its hosts, whatever role that host has at the moment. */
export const addressOf = (address: string, host: string): string =>
  address
    .replace(AUTHORITY, (_all, start: string, _hosts: string, rest: string) => start + host + rest)
    .replace(/([?&])target_session_attrs=[^&]*(&|$)/, (_all, before: string, after: string) => (after ? before : ''));

/** The address with the same hosts that leads to the primary among them. */
export const primaryOf = (address: string): string =>
  address.replace(/([?&]target_session_attrs=)[^&]*/, (_all, before: string) => `${before}primary`);

/** The address with its hosts rotated, so that processes that begin at different hosts spread over them. */
export const startingAt = (address: string, nth: number): string => {
  const hosts = hostsOf(address);
  const turned = hosts.map((_, index) => hosts[(index + nth) % hosts.length]).join(',');
  return address.replace(AUTHORITY, (_all, start: string, _hosts: string, rest: string) => start + turned + rest);
};

/** Which of several hosts a connection should lead to: target_session_attrs, as libpq calls it. */
export interface WantedHosts {
  readonly targets: readonly string[];
  /** What the first target finds, in words for the operator. */
  readonly finds: string;
  /** Why no other target is right, in words for the operator. */
  readonly why: string;
}

/**
 * The only right target for a database that is written to. For libpq `read-write` would be right, too, but the driver
 * accepts standbys for it.
 */
export const PRIMARY: WantedHosts = {
  targets: ['primary'],
  finds: 'the one that takes writes',
  why: 'everything is written to it',
};

/** Why this address would not lead to the right host, or null. */
export function addressFault(address: string, { targets: allowed, finds, why }: WantedHosts = PRIMARY): string | null {
  const hosts = hostsOf(address);
  const [, query = ''] = address.split('?');
  const targets = new URLSearchParams(query).getAll('target_session_attrs');
  const wrong = targets.find((target) => !allowed.includes(target));
  const right = `target_session_attrs=${allowed.join(' or ')}`;
  if (wrong === 'read-write' && allowed === PRIMARY.targets) {
    return 'must have target_session_attrs=primary instead of read-write, with which it may lead to a standby';
  }
  if (wrong !== undefined) {
    return `must have ${right}, not ${JSON.stringify(wrong)}: ${why}`;
  }
  if (hosts.length === 1) return null;
  if (hosts.includes('')) return 'must name a host before and after each comma';
  if (hosts.some((host) => host.includes('['))) return 'must name its hosts instead of giving IPv6 addresses';
  const ports = hosts.filter((host) => host.includes(':')).length;
  if (ports !== 0 && ports !== hosts.length) return 'must give the port of each of its hosts, or of none';
  if (targets.length > 0) return null;
  return `names several hosts, so it must end with ?target_session_attrs=${allowed[0]}, which finds ${finds}`;
}
